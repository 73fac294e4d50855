"""Fixtures that only the tests here need: a folder that a whole module shares."""

from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder for the module."""
    return tmp_path_factory.mktemp("served")
