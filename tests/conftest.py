"""Options that every test may ask for, and which engines it is for."""

from collections.abc import Iterator

import pytest

from tests.engines import applies
from tests.run.forks import PARENT


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update-golden` rewrites what the golden files expect; the diff is then reviewed."""
    parser.addoption("--update-golden", action="store_true", help="rewrite golden expectations")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what a test is not asked of an engine, by its marker `engines`."""
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        (kept if applies(item) else left_out).append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Golden files are to be rewritten, not compared."""
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture(autouse=True, scope="session")
def _forks() -> Iterator[None]:
    """What forks servers, if a test needed one, ends with the tests."""
    yield
    PARENT.close()
