"""Options that every test may ask for."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update-golden` rewrites what the golden files expect; the diff is then reviewed."""
    parser.addoption("--update-golden", action="store_true", help="rewrite golden expectations")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Golden files are to be rewritten, not compared."""
    return bool(request.config.getoption("--update-golden"))
