"""`databases`, compiled: addresses are read and never dialled, and never repeated in a fault."""

import pytest

from runner.catalog.sources import Create, Database
from runner.secret import Secret
from tests.compile.whole import compiled, faults, served

PORT = "bad-url: expected a number from 1 to 65535 as the port, behind the host's ':'"


@pytest.mark.parametrize(
    ("url", "expected", "dialect"),
    [
        ("sqlite:///data/a.db", "sqlite:////srv/probe/data/a.db", "sqlite"),
        ("sqlite:////var/a.db", "sqlite:////var/a.db", "sqlite"),
        ("sqlite://", "sqlite://", "sqlite"),
        ("duckdb:///data/a.db", "duckdb:////srv/probe/data/a.db", "duckdb"),
        ("duckdb://", "duckdb://", "duckdb"),
        ("duckdb:///:memory:", "duckdb:///:memory:", "duckdb"),
        ("sqlite:///:memory:", "sqlite:///:memory:", "sqlite"),
        ("postgresql://u:p@h:5433/d", "postgresql://u:p@h:5433/d", "postgresql"),
        ("mysql://u:p@h/d", "mysql://u:p@h/d", "mysql"),
        ("mysql+pymysql://u:p@h/d", "mysql+pymysql://u:p@h/d", "mysql"),
        ("mariadb://u:p@h:3307/d?ssl_ca=x", "mariadb://u:p@h:3307/d?ssl_ca=x", "mariadb"),
    ],
)
def test_relative_path_starts_at_the_folder_of_the_file(
    url: str, expected: str, dialect: str
) -> None:
    found = served(f"databases: {{d: {{url: '{url}'}}}}\n").databases["d"]
    assert (found.url.reveal(), found.dialect) == (expected, dialect)


def test_everything_that_a_database_says_is_kept() -> None:
    text = (
        "databases: {d: {url: 'sqlite:///a.db', create: {schema: s.sql, seed: t.sql},"
        " pool: {size: 2, wait: 1s, recycle: 5m}, connect: [PRAGMA cache_size = 1],"
        " startup: lazy}}\n"
    )
    files = {"s.sql": "CREATE TABLE a (b)", "t.sql": "INSERT INTO a VALUES (1)"}
    assert served(text, **files).databases["d"] == Database(
        name="d",
        url=Secret("sqlite:////srv/probe/a.db"),
        dialect="sqlite",
        create=Create("CREATE TABLE a (b)", "INSERT INTO a VALUES (1)"),
        pool_size=2,
        pool_wait_s=1.0,
        pool_recycle_s=300.0,
        connect=("PRAGMA cache_size = 1",),
        is_lazy=True,
        is_written=False,
    )


def test_files_that_duckdb_reads_are_absolute_and_its_folder_is_kept() -> None:
    text = "databases: {d: {url: 'duckdb:///a.duckdb', external: [data, /var/b.parquet]}}\n"
    assert served(text, data="", **{"/var/b.parquet": ""}).databases["d"] == Database(
        name="d",
        url=Secret("duckdb:////srv/probe/a.duckdb"),
        dialect="duckdb",
        external=("/srv/probe/data", "/var/b.parquet"),
        folder="/srv/probe",
        is_written=False,
    )


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://h/d?sslmode=verify-full&connect_timeout=3&application_name=a b",
        "postgresql://h/d?host=a&host=b&port=1,2&target_session_attrs=read-write",
        "postgresql://h/d?options=-csearch_path%3Dsales",
        "mysql+pymysql://h/d?charset=utf8mb4&ssl_disabled=TRUE",
        "sqlite+pysqlite:///a.db",
        "sqlite:///file:/a.db?mode=ro&immutable=1&uri=true",
        "mariadb://h:65535/d",
    ],
)
def test_address_with_what_the_engine_takes_is_kept(url: str) -> None:
    assert faults(f"databases: {{d: {{url: '{url}'}}}}\n") == []


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("postgresql://u:hunter2@h:54x2/d", PORT),
        ("postgresql://u:hunter2/d", PORT),
        ("postgresql://u:hunter2@h:0/d", PORT),
        ("mysql://u:hunter2@[::1]:65536/d", PORT),
        ("mariadb://h:/d?program_name=x", PORT),
        ("postgresql://u:a@b:hunter2@h/d",
         "bad-url: expected a database address such as sqlite:///data/app.db"),
        ("postgresql+asyncpg://u:hunter2@h/d",
         "unknown-driver: 'asyncpg' is no driver that is used for postgresql"),
        ("mysql+mysqldb://u:hunter2@h/d",
         "unknown-driver: 'mysqldb' is no driver that is used for mysql"),
        ("duckdb+engine://", "unknown-driver: 'engine' is no driver that is used for duckdb"),
        ("sqlite+aiosqlite://", "unknown-driver: 'aiosqlite' is no driver that is used for sqlite"),
        ("postgresql://h/d?sslmod=require", "url-option: the address has no option 'sslmod'"),
        ("mariadb://h/d?local_infile=1", "url-option: the address has no option 'local_infile'"),
        ("sqlite:///a.db?mode=ro", "url-option: the address has no option 'mode'"),
        ("duckdb:///a.db?read_only=true", "url-option: the address has no option 'read_only'"),
        ("postgresql://h/d?connect_timeout=abc", "url-option: option 'connect_timeout' of the"
         " address: expected a whole number above 0, found 'abc'"),
        ("mysql://h/d?connect_timeout=0", "url-option: option 'connect_timeout' of the"
         " address: expected a whole number above 0, found '0'"),
        ("mariadb://h/d?charset=latin1",
         "url-option: option 'charset' of the address: expected 'utf8mb4', found 'latin1'"),
        ("sqlite:///file:a.db?mode=rx&uri=true", "url-option: option 'mode' of the address:"
         " expected one of memory, ro, rw, rwc, found 'rx'"),
        ("postgresql://h/d?sslcert=a&sslcert=b",
         "url-option: option 'sslcert' of the address: expected one value, found several values"),
    ],
)  # fmt: skip
def test_address_that_its_engine_does_not_take_is_refused(url: str, expected: str) -> None:
    found = faults(f"databases: {{d: {{url: '{url}'}}}}\n")
    assert [item.split(" ", 1)[1] for item in found] == [expected]
    assert "hunter2" not in "".join(found)


def test_misspelt_dialect_that_is_installed_is_suggested() -> None:
    _, [found] = compiled("databases: {d: {url: 'shilelagh://'}}\n")
    assert (found.code, found.hint) == ("unknown-engine", "did you mean 'shillelagh'?")


READ = "a: {description: A., sql: SELECT 1 AS n}"
WRITE = "a: {description: A., sql: DELETE FROM t, writes: true}"
STEPS = "a: {description: A., writes: true, steps: [{sql: DELETE FROM t, as: x}]}"


CALLS = (
    "a: {description: A., transaction: true, steps: [{tool: b, as: x}]},"
    " b: {description: B., sql: DELETE FROM t, writes: true}"
)


@pytest.mark.parametrize(
    ("tool", "is_written"), [(READ, False), (WRITE, True), (STEPS, True), (CALLS, True)]
)
def test_database_that_no_tool_writes_to_is_known(tool: str, is_written: bool) -> None:
    text = f"databases: {{d: {{url: 'duckdb:///a.duckdb'}}}}\ntools: {{{tool}}}\n"
    assert served(text).databases["d"].is_written is is_written


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{url: 'no address with hunter2'}",
         "bad-url: expected a database address such as sqlite:///data/app.db"),
        ("{url: 'sqlite://hunter2.db'}",
         "bad-url: expected a path behind 'sqlite:///', found a host behind 'sqlite://'"),
        ("{url: 'postgres://u:hunter2@h/d'}", "unknown-engine: no engine is named 'postgres'"),
        ("{url: 'postgrsql://u:hunter2@h/d'}", "unknown-engine: no engine is named 'postgrsql'"),
        ("{url: 'duckdb://hunter2.db'}",
         "bad-url: expected a path behind 'duckdb:///', found a host behind 'duckdb://'"),
        ("{url: 'sqlite://', external: s.sql}", "external-not-duckdb: 'external' is for DuckDB,"
         " which reads files in place, and this database is sqlite"),
        ("{url: 'sqlite://', pool: {size: 0}}", "out-of-range: expected at least 1, found 0"),
        ("{url: 'sqlite://', pool: {wait: 0s}}", "out-of-range: expected more than 0"),
        ("{url: 'postgresql://h/d', create: {schema: s.sql}}",
         "create-not-embedded: 'create' makes embedded databases only, and this one is postgresql"),
    ],
)  # fmt: skip
def test_database_with_a_fault_is_refused_without_its_address(text: str, expected: str) -> None:
    found = faults(f"databases: {{d: {text}}}\n", **{"s.sql": "SELECT 1"})
    assert [item.split(" ", 1)[1] for item in found] == [expected]
    assert "hunter2" not in "".join(found)
