"""Where the tests keep tasks: a file of SQLite, or a schema of PostgreSQL that is dropped again."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

SERVER = "postgresql://postgres@127.0.0.1:5432/test"


@contextmanager
def store_address(engine: str, folder: Path) -> Iterator[str]:
    """The address of an empty store."""
    if engine == "sqlite":
        yield f"sqlite:///{folder}/deep/tasks.db"
        return
    schema = f"tasks_{secrets.token_hex(6)}"
    try:
        admin = psycopg.connect(SERVER, autocommit=True)
    except psycopg.OperationalError:
        if os.environ.get("MCP_RUN_SERVICES") == "optional":
            pytest.skip("PostgreSQL does not answer")
        raise
    with admin:
        admin.execute(f"CREATE SCHEMA {schema}")
        try:
            yield f"{SERVER}?options=-csearch_path%3D{schema}"
        finally:
            admin.execute(f"DROP SCHEMA {schema} CASCADE")
