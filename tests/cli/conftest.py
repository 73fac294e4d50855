"""The project that the commands are tried on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import TIMEOUT_S
from tests.cli.shop import shop
from tests.prepared import Prepared, prepared


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the project of `shop` in it."""
    return shop(tmp_path / "shop")


@pytest.fixture(scope="module")
def ready() -> Iterator[Prepared]:
    """A process that has imported the command, for tests that do not prove its start."""
    with prepared(TIMEOUT_S) as opened:
        yield opened
