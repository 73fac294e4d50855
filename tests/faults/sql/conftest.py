"""The same file and the same questions for every engine."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

import pytest

from tests.engines import ENGINES
from tests.faults.sql.served import Server, Source, serve, source_of


class Serve(Protocol):
    """Serves a file until the test ends."""

    def __call__(self, tools: str, **rest: object) -> Server:
        """`tools` in YAML; `rest` are fields at the file's root."""


@pytest.fixture(params=ENGINES)
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Source]:
    """An empty database of each engine."""
    with source_of(request.param, tmp_path) as source:
        yield source


@pytest.fixture
def served(source: Source) -> Iterator[Serve]:
    """Serves a file on `source`."""
    with ExitStack() as stack:

        def start(tools: str, **rest: object) -> Server:
            return stack.enter_context(serve(source.folder, source.file(tools, **rest)))

        yield start
