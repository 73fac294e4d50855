"""The fixture of these tests; its class stands beside, where tests can name it."""

import pytest

from tests.compile.expressions.bench import Bench


@pytest.fixture
def bench() -> Bench:
    """A fresh bench."""
    return Bench()
