"""A bench on which functions are called as tools."""

from collections.abc import Iterator

import pytest

from runner.bindings.python.threads import Threads
from tests.bindings.python.tool_bench import Bench


@pytest.fixture
def bench() -> Iterator[Bench]:
    threads = Threads(2, waiting=2)
    yield Bench(threads)
    threads.close()
