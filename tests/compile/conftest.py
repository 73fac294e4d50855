"""The bench of the tests that compile texts."""

import pytest

from tests.compile.expressions.bench import Bench


@pytest.fixture
def bench() -> Bench:
    """A fresh bench."""
    return Bench()
