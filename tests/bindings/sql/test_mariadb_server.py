"""A server of our own: TLS, settings that would undo ours, a restart, no connection left."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.catalog.sources import Database
from runner.errors import BindingError, Kind, StartError
from runner.secret import Secret
from tests.bindings.sql.lab import Lab, open_lab
from tests.bindings.sql.mariadb_server import Server, mariadb_server

HOSTILE = (
    "--sql-mode=ANSI_QUOTES,NO_BACKSLASH_ESCAPES",
    "--default-time-zone=+05:30",
    "--character-set-server=latin1",
    "--autocommit=0",
    "--lc-messages=de_DE",
    "--local-infile=1",
    "--max-recursive-iterations=5",
    "--group-concat-max-len=10",
    "--general-log=1",
    "--general-log-file=general.log",
    "--max-connections=10",
    "--max-allowed-packet=64M",
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Settings that other engines' users would not expect, and TLS."""
    with mariadb_server(tmp_path_factory.mktemp("mariadb"), *HOSTILE) as server:
        yield server


def database(url: str, **rest: object) -> Database:
    return Database("lab", Secret(url), "mariadb", **rest)  # type: ignore[arg-type]


@pytest.fixture
def lab(server: Server) -> Iterator[Lab]:
    """A session on it."""
    with open_lab(database(server.url(), pool_size=2)) as lab:
        yield lab


ASKED = (
    "SELECT @@sql_mode AS modes, @@time_zone AS zone, @@character_set_client AS client,"
    " @@character_set_results AS results, @@tx_read_only AS ro, @@lc_messages AS language,"
    " @@max_recursive_iterations AS depth, @@group_concat_max_len AS length"
)
TOLD = {
    "modes": "PIPES_AS_CONCAT,ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,STRICT_ALL_TABLES,"
    "NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION",
    "zone": "+00:00",
    "client": "utf8mb4",
    "results": "utf8mb4",
    "ro": 1,
    "language": "en_US",
    "depth": 4294967295,
    "length": 16777216,
}


def test_session_is_the_same_whatever_the_server_is_set_to(lab: Lab) -> None:
    assert [lab.rows(ASKED) for _ in range(4)] == [[TOLD]] * 4
    lab.execute("SET @@sql_mode = '', @@time_zone = '+09:00'", "SET NAMES latin1")
    assert [lab.rows(ASKED) for _ in range(4)] == [[TOLD]] * 4


def test_session_is_the_same_whatever_connect_says(server: Server) -> None:
    statements = [
        "SET SESSION sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'",
        "SET NAMES latin1",
        "SET time_zone = '-03:00', autocommit = 0",
        "SET SESSION TRANSACTION READ WRITE",
    ]
    with open_lab(database(server.url(), connect=statements)) as lab:
        assert lab.rows(ASKED) == [TOLD]
        assert lab.fails(lab.plan("CREATE TABLE evil (x int)", writes=False)).kind == "read_only"


NASTY = "x\\' OR 1=1 -- \\\" ` 東京 😀 %s ? :x"


def test_values_travel_beside_the_text_under_every_mode(lab: Lab, server: Server) -> None:
    """No mode matters to a value that is never part of a statement; the server's log shows it."""
    for modes in ("", "NO_BACKSLASH_ESCAPES", "ANSI_QUOTES", "NO_BACKSLASH_ESCAPES,ANSI"):
        plan = lab.plan(
            f"SET SESSION sql_mode = '{modes}'",
            "SELECT :x AS x, hex(:x) AS h",
            types={"x": "string"},
            writes=True,
            result=1,
            shape="row",
        )
        found = lab.invoke(plan, x=NASTY).value
        assert found == {"x": NASTY, "h": NASTY.encode().hex().upper()}
    log = (server.folder / "data" / "general.log").read_text("utf-8", "replace")
    prepared = [line for line in log.splitlines() if "Prepare" in line and "hex(" in line]
    assert len(prepared) == 4
    assert {line.rpartition("\t")[2] for line in prepared} == {"SELECT ? AS x, hex(?) AS h"}


def test_tls_is_used_where_the_server_has_it(server: Server) -> None:
    cipher = "SHOW STATUS LIKE 'Ssl_cipher'"
    with open_lab(database(server.url())) as lab:
        assert lab.rows(cipher)[0]["Value"] != ""
    with open_lab(database(server.url("?ssl_disabled=true"))) as lab:
        assert lab.rows(cipher)[0]["Value"] == ""


@pytest.mark.parametrize(
    ("host", "options", "is_trusted"),
    [
        ("localhost", "ssl_ca={folder}/ca.pem", True),
        ("127.0.0.1", "ssl_ca={folder}/ca.pem", False),
        ("127.0.0.1", "ssl_ca={folder}/ca.pem&ssl_check_hostname=false", True),
        ("localhost", "ssl_ca={folder}/other.pem", False),
        ("localhost", "ssl_ca={folder}/nowhere.pem", False),
        ("localhost", "ssl_verify_cert=true", False),
        ("localhost", "ssl_verify_identity=true", False),
        ("localhost", "ssl_verify_cert=false", True),
        ("localhost", "ssl_ca={folder}/ca.pem&ssl_cert={folder}/cert.pem&ssl_key={folder}/key.pem",
         True),
    ],
)  # fmt: skip
def test_tls_options_of_the_address_are_kept(
    server: Server, host: str, options: str, is_trusted: bool
) -> None:
    url = server.url("?" + options.format(folder=server.folder), host)
    if is_trusted:
        with open_lab(database(url)) as lab:
            assert lab.rows("SHOW STATUS LIKE 'Ssl_cipher'")[0]["Value"] != ""
        return
    with pytest.raises(StartError) as caught, open_lab(database(url)):
        pass
    assert str(caught.value) == f"database 'lab': TLS failed at {host}:{server.port}"


@pytest.mark.parametrize(
    "option", ["init_command=SELECT 1", "local_infile=1", "sql_mode=x", "charset=latin1", "x=y"]
)
def test_options_that_would_undo_what_is_fixed_are_refused(server: Server, option: str) -> None:
    name = option.partition("=")[0]
    with pytest.raises(StartError) as caught, open_lab(database(server.url(f"?{option}"))):
        pass
    assert str(caught.value) == f"database 'lab': the address has no option '{name}'"


def test_statement_is_stopped_over_tls_too(lab: Lab, server: Server) -> None:
    assert lab.fails(lab.plan("SELECT sleep(30) AS s"), timeout_s=0.2).kind is Kind.TIMEOUT
    asked = "SELECT count(*) FROM information_schema.processlist WHERE info LIKE '%(30)%'"
    assert server.rows(asked + " AND id <> connection_id()") == [(0,)]


def test_rest_of_a_result_is_cut_over_tls_too(lab: Lab) -> None:
    plan = lab.plan("SELECT seq AS n FROM seq_1_to_1000000000", max_rows=3, shape="column")
    assert [lab.invoke(plan, timeout_s=5).value for _ in range(3)] == [[1, 2, 3]] * 3


def test_restart_of_the_server_is_survived(lab: Lab, server: Server) -> None:
    plan = lab.plan("SELECT 5 AS n", shape="value")
    lab.execute("CREATE OR REPLACE TABLE counts (n int)", "INSERT INTO counts VALUES (0)")
    assert [lab.invoke(plan).value for _ in range(4)] == [5] * 4
    server.stop()
    assert lab.fails(plan).kind is Kind.UNAVAILABLE
    server.start()
    assert [lab.invoke(plan).value for _ in range(4)] == [5] * 4
    add = lab.plan("UPDATE counts SET n = n + 1", shape="affected")
    assert lab.invoke(add).value == 1
    assert lab.rows("SELECT n FROM counts") == [{"n": 1}]


def test_write_during_a_restart_is_done_once_or_not_at_all(lab: Lab, server: Server) -> None:
    lab.execute("CREATE OR REPLACE TABLE counts (n int)", "INSERT INTO counts VALUES (0)")
    add = lab.plan("UPDATE counts SET n = n + 1", shape="affected")
    lab.invoke(add)
    server.stop()
    server.start()
    kinds: list[object] = ["first"]
    for _ in range(6):
        try:
            kinds.append(lab.invoke(add).value)
        except BindingError as error:
            kinds.append(error.kind)
    assert set(kinds) <= {"first", 1, Kind.UNAVAILABLE}
    assert lab.rows("SELECT n FROM counts") == [{"n": 1 + kinds.count(1)}]


def test_no_connection_left_is_unavailable_and_heals(server: Server) -> None:
    """A lazy database that finds every place taken says so, and works when one is free."""
    with open_lab(database(server.url(), pool_size=1, is_lazy=True)) as late:
        with open_lab(database(server.url(), pool_size=12, pool_wait_s=5.0)) as crowd:
            server.rows("SET GLOBAL max_connections = 10")
            plan = crowd.plan("SELECT sleep(0.2) AS s", shape="value")
            crowd.run(_all(crowd, plan))
            assert late.fails(late.plan("SELECT 1 AS one")).kind is Kind.UNAVAILABLE
        assert late.value("SELECT 1 AS one") == 1


async def _all(lab: Lab, plan: object) -> None:
    import asyncio

    from tests.bindings.sql.lab import call

    binding = lab.binding(plan)  # type: ignore[arg-type]  # a plan
    await asyncio.gather(*(binding.invoke(call({})) for _ in range(12)), return_exceptions=True)


@pytest.mark.parametrize("size", [16_777_215 - 18, 16_777_215, 40_000_000])
def test_value_larger_than_a_packet_of_the_protocol_goes_both_ways(lab: Lab, size: int) -> None:
    types = {"x": "string"}
    plan = lab.plan("SELECT :x AS x", types=types, shape="value", max_bytes=64 * 1024**2)
    value = "x" * (size - 1) + "y"
    assert lab.invoke(plan, x=value).value == value


def test_file_of_somebody_is_neither_written_nor_sent(lab: Lab, tmp_path: Path) -> None:
    lab.execute("CREATE OR REPLACE TABLE counts (n text)")
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    load = lab.plan(f"LOAD DATA LOCAL INFILE '{secret}' INTO TABLE counts", writes=True)
    assert lab.fails(load).kind is Kind.INVALID
    assert lab.rows("SELECT n FROM counts") == []
