"""The project that the commands are tried on."""

from pathlib import Path

import pytest

from tests.cli.shop import shop


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the project of `shop` in it."""
    return shop(tmp_path / "shop")
