"""The database of each test: the same behaviour is asked of every engine."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.catalog.sources import Database
from tests.bindings.sql.lab import Lab, database_of, duckdb, open_lab
from tests.engines import ENGINES


@pytest.fixture(params=ENGINES)
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """An empty database, not yet opened."""
    with database_of(request.param, tmp_path) as database:
        yield database


@pytest.fixture
def lab(source: Database) -> Iterator[Lab]:
    """An empty database, open."""
    with open_lab(source) as lab:
        yield lab


@pytest.fixture
def duck() -> Iterator[Lab]:
    """An empty database in memory."""
    with open_lab(duckdb("duckdb://")) as lab:
        yield lab


@pytest.fixture
def items(lab: Lab) -> Lab:
    """A database with five items: 1 … 5, `a` … `e`."""
    numeric = "NUMERIC(9, 1)" if lab.is_mariadb else "NUMERIC"
    lab.execute(
        "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
        f" price {numeric} CHECK (price >= 0))",
        "INSERT INTO items VALUES (1,'a',1.5),(2,'b',2.5),(3,'c',3.5),(4,'d',4.5),(5,'e',NULL)",
    )
    return lab
