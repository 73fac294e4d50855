"""The fixture that drives the whole server in memory, once a transport."""

import pytest

from tests.wire.client import Client, HttpClient, StdioClient


@pytest.fixture(params=[HttpClient, StdioClient], ids=["http", "stdio"])
def client(request: pytest.FixtureRequest) -> Client:
    """A client of each transport."""
    made: Client = request.param()
    return made
