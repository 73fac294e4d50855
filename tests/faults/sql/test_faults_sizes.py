"""A result is cut while it is fetched, and says so; the statement stays as it was written.

Elsewhere millions of rows were loaded before a limit applied, a limit was written into the SQL
(which broke other statements), and a cut was told nowhere.
"""

import time

import pytest

from tests.faults.sql.conftest import Serve
from tests.faults.sql.recorded import record
from tests.faults.sql.served import Source, tool

ROWS = 10_000_000
LONG_TEXT = f"replace(hex(zeroblob(1000000)), '0', '{'x' * 90}')"
MEMORY_BYTES = 64 * 1024**2
"""Far below what ten million rows need, far above what a block of them does."""
MANY = (
    "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {rows})"
    " SELECT n, 'some text of a row' AS x FROM s"
)


def many_rows(source: Source, rows: int) -> str:
    """A query that gives so many rows, one after the other."""
    if source.is_mariadb:  # a recursion fills a table there before its first row comes
        return f"SELECT seq AS n, 'some text of a row' AS x FROM seq_1_to_{rows}"
    return MANY.format(rows=rows)


def peak_bytes() -> int:
    """The most memory that the process held since the last `forget_peak`."""
    with open("/proc/self/status", encoding="ascii") as status:
        line = next(line for line in status if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def forget_peak() -> int:
    """Begins to measure anew; what is held now."""
    with open("/proc/self/clear_refs", "w", encoding="ascii") as control:
        control.write("5")
    return peak_bytes()


@pytest.mark.parametrize("text", ["json", "csv"])
def test_ten_million_rows_need_little_memory(served: Serve, source: Source, text: str) -> None:
    many = many_rows(source, ROWS)
    server = served(
        tool("many", many, result={"text": text})
        + tool("query", {"parameter": "text"}, input={"text": "string"}, result={"text": text})
    )
    server.call("many")
    before = forget_peak()

    answers = [server.call("many"), server.call("query", text=many)]

    assert peak_bytes() - before < MEMORY_BYTES
    for answer in answers:
        assert len(answer.rows) == 1000
        assert answer.structured == {"rows": answer.rows, "truncated": True}
        assert answer.texts[1].startswith("Only the first 1000 rows are shown; narrow the request")


@pytest.mark.parametrize("rows", [ROWS, 100 * ROWS])
def test_first_rows_come_at_once_however_many_there_are(
    served: Serve, source: Source, rows: int
) -> None:
    """A thousand million rows would take minutes; the one bound of every wait is seconds."""
    server = served(tool("many", many_rows(source, rows), result={"max_rows": 100}))

    assert [row["n"] for row in server.call("many").rows] == list(range(1, 101))


@pytest.mark.parametrize("shape", ["rows", "column"])
@pytest.mark.parametrize(("rows", "is_cut"), [(6, False), (7, False), (8, True)])
def test_only_more_than_the_budget_is_cut(
    served: Serve, rows: int, is_cut: bool, shape: str
) -> None:
    text = MANY.format(rows=rows).replace(", 'some text of a row' AS x", "")
    server = served(tool("some", text, result={"max_rows": 7, "shape": shape}))

    answer = server.call("some")

    numbers = list(range(1, min(rows, 7) + 1))
    if shape == "rows":
        rows_found = [{"n": n} for n in numbers]
        assert answer.structured == {"rows": rows_found, "truncated": is_cut}
    else:
        assert answer.structured == numbers
    assert len(answer.texts) == (2 if is_cut else 1)


@pytest.mark.parametrize(("limit", "is_cut"), [(2, True), (3, False), (50, False)])
def test_limit_of_the_statement_tells_whether_more_would_come(
    served: Serve, source: Source, limit: int, is_cut: bool
) -> None:
    """The last LIMIT is a budget too: one row more is asked for."""
    source.execute("CREATE TABLE t (n integer)", "INSERT INTO t VALUES (1), (2), (3)")
    server = served(
        tool("sent", "SELECT n FROM t ORDER BY n LIMIT :limit", input={"limit": "integer"})
        + tool("fixed", f"SELECT n FROM t ORDER BY n LIMIT {limit}")
    )

    expected = [{"n": n} for n in range(1, min(limit, 3) + 1)]
    assert server.value("sent", limit=limit) == {"rows": expected, "truncated": is_cut}
    assert server.call("fixed").rows == expected


def test_bytes_are_cut_between_rows(served: Serve) -> None:
    """What came is whole JSON and whole rows."""
    many = MANY.format(rows=1000)
    server = served(
        tool("many", many, result={"max_bytes": 1000}),
        budgets={"response_body": "1MiB"},
    )

    answer = server.call("many")

    assert answer.structured == {"rows": answer.rows, "truncated": True}
    assert [row["n"] for row in answer.rows] == list(range(1, len(answer.rows) + 1))
    assert {row["x"] for row in answer.rows} == {"some text of a row"}
    assert 900 < len(answer.text.encode()) <= 1000
    assert answer.texts[1] == (
        f"Only the first {len(answer.rows)} rows are shown (size limit);"
        " narrow the request to see others."
    )


@pytest.mark.parametrize("shape", ["rows", "row", "value", "column"])
def test_row_larger_than_the_budget_is_an_error_that_says_so(served: Serve, shape: str) -> None:
    zeros = "SELECT '" + "0" * 3000 + "' AS x"
    server = served(
        tool("large", zeros, result={"shape": shape, "max_bytes": 2000})
        + tool("small", "SELECT 1 AS x")
    )

    assert server.refusal("large") == "a row is larger than the limit of 2000 bytes"
    assert server.call("small").rows == [{"x": 1}]


MARKS = {"sqlite": "?", "postgresql": "$1", "duckdb": "CAST($1 AS VARCHAR)", "mariadb": "?"}


@pytest.mark.parametrize("padding", ["", " ", "\n-- the end", ";"])
def test_statement_is_sent_as_it_was_written(
    served: Serve, source: Source, monkeypatch: pytest.MonkeyPatch, padding: str
) -> None:
    """But for the parameter's mark and a last semicolon."""
    tells = source.is_postgres or source.is_duckdb
    texts = record(monkeypatch)
    text = f"SELECT  {'current_query()' if tells else 7}  AS q,\n\t:a AS a /* é */ LIMIT  3"
    server = served(tool("echo", text + padding, input={"a": "string"}))
    texts.clear()

    [row] = server.call("echo", a="x").rows

    expected = (text + padding).replace(":a", MARKS[source.engine]).rstrip(";")
    assert row == {"q": expected if tells else 7, "a": "x"}
    assert tells or expected in texts


WITHOUT_LIMIT = {
    "postgresql": ("SHOW timezone", "TABLE t", "VALUES (1)", "EXPLAIN SELECT 1"),
    "sqlite": ("VALUES (1)", "EXPLAIN QUERY PLAN SELECT 1", "PRAGMA table_info(t)"),
    "duckdb": (
        *("SHOW TABLES", "TABLE t", "VALUES (1)", "EXPLAIN SELECT 1", "FROM t"),
        *("DESCRIBE t", "SUMMARIZE t", "PIVOT t ON n USING count(*)"),
    ),
    "mariadb": ("SHOW TABLES", "DESCRIBE t", "VALUES (1)", "EXPLAIN SELECT 1"),
}


def test_statements_that_take_no_limit_are_capped_too(served: Serve, source: Source) -> None:
    source.execute("CREATE TABLE t (n integer)", "INSERT INTO t VALUES (1)")
    texts = WITHOUT_LIMIT[source.engine]
    tools = "".join(tool(f"t{n}", text) for n, text in enumerate(texts))
    server = served(tools + tool("query", {"parameter": "text"}, input={"text": "string"}))

    found = {text: len(server.call(f"t{n}").rows) for n, text in enumerate(texts)}
    assert found == {text: len(server.call("query", text=text).rows) for text in texts}
    assert found == dict.fromkeys(texts, 1)


@pytest.mark.parametrize("key", [["n"], []], ids=["by key", "by offset"])
@pytest.mark.parametrize("max_bytes", [300, 301, 350, 1000])
def test_page_that_is_cut_by_bytes_goes_on_too(
    served: Serve, source: Source, key: list[str], max_bytes: int
) -> None:
    """The cursor counts: no page is larger than the budget, none is lost."""
    rows = ", ".join(f"({n}, '{'x' * (n % 40)}')" for n in range(60))
    source.execute("CREATE TABLE t (n integer, x text)", f"INSERT INTO t VALUES {rows}")
    after = "[[ AND n > :cursor.n ]] ORDER BY n LIMIT :limit"
    text = f"SELECT n, x FROM t WHERE 1 = 1 {after}"
    if not key:
        text = "SELECT n, x FROM t ORDER BY n LIMIT :limit OFFSET :offset"
    limit = {"type": "integer", "default": 25}
    page = {"size": "limit", "key": key} if key else {"size": "limit"}
    result = {"page": page, "max_bytes": max_bytes}
    server = served(tool("page", text, input={"limit": limit}, result=result))

    found: list[object] = []
    arguments: dict[str, object] = {}
    is_cut = True
    while is_cut:
        answer = server.call("page", **arguments)
        found += [row["n"] for row in answer.rows]
        assert isinstance(answer.structured, dict)
        assert len(answer.text.encode()) <= max_bytes
        is_cut = bool(answer.structured["truncated"])
        arguments = {"cursor": answer.structured.get("next")}

    assert found == list(range(60))


@pytest.mark.engines(
    "sqlite", why="the servers stop a function at the time limit, DuckDB knows no limit of a value"
)
@pytest.mark.parametrize("made", ["hex(randomblob(90000000))", LONG_TEXT], ids=["blob", "text"])
def test_a_client_makes_no_large_value_in_sqlite(source: Source, served: Serve, made: str) -> None:
    """One call of a function makes it, so that no time limit ends it; the author's own may."""
    server = served(
        tool("query", {"parameter": "text"}, input={"text": "string"}, result={"shape": "value"})
        + tool("own", f"SELECT length({made}) AS n", result={"shape": "value"})
    )
    before = forget_peak()

    answer = server.call("query", text=f"SELECT length({made})")

    assert answer.texts == ["a value is larger than the database allows"]
    assert peak_bytes() - before < MEMORY_BYTES
    assert server.value("own") == 180_000_000


@pytest.mark.engines("postgresql", "duckdb", why="the others have no arrays")
def test_an_array_beyond_the_budget_is_refused_unread(source: Source, served: Serve) -> None:
    """Reading its elements took many seconds, during which nothing else was answered."""
    array = "(SELECT array_agg(x) FROM generate_series(1, {size}) AS s(x))"
    first, second = array.format(size=2_000_000), array.format(size=2)
    query = tool("query", {"parameter": "q"}, input={"q": "string"})
    server = served(query)
    begin = time.process_time()

    refused = server.call("query", q=f"SELECT {first} AS a")
    cut = server.call("query", q=f"SELECT {second} AS a UNION ALL SELECT {first}")

    assert time.process_time() - begin < 1
    assert refused.texts == ["a row is larger than the limit of 1048576 bytes"]
    assert cut.structured == {"rows": [{"a": [1, 2]}], "truncated": True}
