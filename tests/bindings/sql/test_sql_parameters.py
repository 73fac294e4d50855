"""What goes in: lists, nulls, types that the engine infers, optional parts, chosen words."""

from decimal import Decimal

import pytest

from runner.errors import Kind
from tests.bindings.sql.lab import Lab, names

IN = "SELECT name FROM items WHERE id IN :ids ORDER BY id"
NOT_IN = "SELECT name FROM items WHERE id NOT IN :ids ORDER BY id"


@pytest.mark.parametrize(
    ("text", "ids", "expected"),
    [
        (IN, [], []),
        (IN, [2], ["b"]),
        (IN, [2, 4], ["b", "d"]),
        (IN, [1, 3, 5], ["a", "c", "e"]),
        (IN, list(range(1000)), ["a", "b", "c", "d", "e"]),
        (NOT_IN, [], ["a", "b", "c", "d", "e"]),
        (NOT_IN, [1, 2, 3, 4], ["e"]),
    ],
    ids=["none", "one", "two", "three", "thousand", "not none", "not four"],
)
def test_a_list_expands(items: Lab, text: str, ids: list[int], expected: list[str]) -> None:
    plan = items.plan(text, types={"ids": "integer[]"})
    assert names(items.invoke(plan, ids=ids).value["rows"]) == expected  # type: ignore[index]


def test_a_list_beyond_what_a_statement_holds_is_named(items: Lab) -> None:
    error = items.fails(items.plan(IN, types={"ids": "integer[]"}), ids=[1] * 20_000)
    assert (error.kind, error.field) == (Kind.TOO_LARGE, "ids")


WORDS = {
    "string": ("TEXT", "x"),
    "integer": ("INTEGER", 42),
    "int64": ("BIGINT", 9_007_199_254_740_993),
    "number": ("DOUBLE PRECISION", 1.5),
    "boolean": ("BOOLEAN", True),
    "decimal": ("NUMERIC", Decimal("12.50")),
    "uuid": ("UUID", "6f1e4c0e-9c3f-4f0a-8f0e-1d2c3b4a5f60"),
    "date": ("DATE", "2026-01-31"),
    "date-time": ("TIMESTAMPTZ", "2026-01-31T10:00:00+00:00"),
    "time": ("TIME", "10:00:00"),
    "email": ("TEXT", "a@example.com"),
}


MARIADB_WORDS = {
    "decimal": ("NUMERIC(9, 2)", Decimal("12.50")),
    "date-time": ("TIMESTAMP", "2026-01-31T10:00:00+00:00"),
}


@pytest.mark.parametrize("word", list(WORDS))
def test_null_or_equal_works_for_every_declared_type(lab: Lab, word: str) -> None:
    kind, value = {**WORDS, **(MARIADB_WORDS if lab.is_mariadb else {})}[word]
    plan = lab.plan("INSERT INTO t (v) VALUES (:x)", types={"x": word})
    lab.execute(f"CREATE TABLE t (v {kind})")
    lab.invoke(plan, x=value)
    text = "SELECT count(*) AS n FROM t WHERE :x IS NULL OR v = :x"
    assert lab.value(text, {"x": word}, x=None) == 1
    assert lab.value(text, {"x": word}, x=value) == 1
    assert lab.value(text, {"x": word}) == 1


@pytest.mark.parametrize(
    ("word", "value", "expected"),
    [("integer", 7, 7), ("boolean", True, True), ("number", 1.5, 1.5), ("string", "7", "7")],
)
def test_a_bare_value_keeps_its_type(lab: Lab, word: str, value: object, expected: object) -> None:
    if word == "boolean" and lab.is_sqlite:
        expected = 1
    assert lab.value("SELECT :x AS x", {"x": word}, x=value) == expected


def test_an_optional_part_vanishes_when_absent_but_not_when_null(items: Lab) -> None:
    plan = items.plan(
        "SELECT count(*) AS n FROM items WHERE 1 = 1 [[ AND price = :price ]]",
        types={"price": "decimal"},
        shape="value",
    )
    sent = [{}, {"price": Decimal("1.5")}, {"price": None}]
    assert [items.invoke(plan, **one).value for one in sent] == [5, 1, 0]  # type: ignore[arg-type]


def test_chosen_words_are_the_authors_text(items: Lab) -> None:
    plan = items.plan(
        "SELECT name FROM items ORDER BY {sort}",
        words={"sort": {"newest": "id DESC", "name": "name ASC"}},
        shape="column",
    )
    assert items.invoke(plan, sort="newest").value == ["e", "d", "c", "b", "a"]
    assert items.invoke(plan, sort="name").value == ["a", "b", "c", "d", "e"]
    assert items.invoke(plan, sort=["name", "newest"]).value == ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize(
    "value", ['x"; drop', "x'; DROP TABLE items --", "%", "$1", "?", ":x", "{x}"]
)
def test_no_value_is_ever_part_of_the_text(items: Lab, value: str) -> None:
    assert items.value("SELECT :x AS x", {"x": "string"}, x=value) == value
    assert items.value("SELECT 'a%b' || :x AS x", {"x": "string"}, x=value) == f"a%b{value}"


def test_percent_signs_are_inert(items: Lab) -> None:
    text = "SELECT 5 % 3 AS n, name LIKE '%a%' AS l FROM items WHERE id = :id"
    row = items.invoke(items.plan(text, types={"id": "integer"}, shape="row"), id=1).value
    assert row == {"n": 2, "l": 1 if items.is_sqlite else True}


def test_lists_are_arrays_where_the_engine_has_them(lab: Lab) -> None:
    values = ["a", 'b"\\', "c,d", "{e}", "", "NULL"]
    text = {
        "postgresql": "SELECT to_jsonb(CAST(:xs AS text[])) AS v",
        "duckdb": "SELECT list_transform(:xs, lambda x: x) AS v",
        "mariadb": "SELECT json_arrayagg(v) AS v"
        " FROM json_table(:xs, '$[*]' COLUMNS (v text PATH '$')) AS t",
        "sqlite": "SELECT json_group_array(value) AS v FROM json_each(:xs)",
    }[lab.engine]
    found = lab.value(text, {"xs": "string[]"}, xs=values)
    assert found == ('["a","b\\"\\\\","c,d","{e}","","NULL"]' if lab.is_sqlite else values)


def test_objects_are_json_text(lab: Lab) -> None:
    text = {
        "postgresql": "SELECT CAST(:o AS jsonb) AS v",
        "duckdb": "SELECT CAST(:o AS JSON) AS v",
        "mariadb": "SELECT json_query(:o, '$') AS v",
        "sqlite": "SELECT json(:o) AS v",
    }[lab.engine]
    found = lab.value(text, {"o": "object"}, o={"a": [1, None, "é"]})
    assert found == ('{"a":[1,null,"é"]}' if lab.is_sqlite else {"a": [1, None, "é"]})


@pytest.mark.engines("postgresql", "duckdb", "mariadb", why="SQLite has no enums")
def test_texts_meet_enums(lab: Lab) -> None:
    if lab.is_mariadb:
        lab.execute("CREATE TABLE t (m enum('sad', 'glad'), ms set('sad', 'glad'))")
        plan = lab.plan("INSERT INTO t VALUES (:m, :ms)", types={"m": "string", "ms": "string"})
        lab.invoke(plan, m="glad", ms="sad,glad")
        types = {"m": "string", "in": "string[]"}
        text = "SELECT m, ms FROM t WHERE m = :m AND m IN :in"
        read = lab.plan(text, types=types, shape="row")
        found = {"m": "glad", "ms": "sad,glad"}
        assert lab.invoke(read, m="glad", **{"in": ["glad"]}).value == found
        assert lab.fails(plan, m="mad", ms="sad").kind is Kind.INVALID
        return
    lab.execute("CREATE TYPE mood AS ENUM ('sad', 'glad')", "CREATE TABLE t (m mood, ms mood[])")
    plan = lab.plan("INSERT INTO t VALUES (:m, :ms)", types={"m": "string", "ms": "string[]"})
    lab.invoke(plan, m="glad", ms=["sad", "glad"])
    read = lab.plan(
        "SELECT m, ms FROM t WHERE m = :m AND m IN :in",
        types={"m": "string", "in": "string[]"},
        shape="row",
    )
    assert lab.invoke(read, m="glad", **{"in": ["glad"]}).value == {
        "m": "glad",
        "ms": ["sad", "glad"],
    }
    if lab.is_duckdb:  # compares the texts of enums
        assert lab.invoke(read, m="mad", **{"in": []}).value is None
    else:
        assert lab.fails(read, m="mad", **{"in": []}).kind is Kind.INVALID


def test_an_empty_list_of_uuids_is_typed(lab: Lab) -> None:
    lab.execute("CREATE TABLE t (u UUID)")
    text = "SELECT count(*) AS n FROM t WHERE u NOT IN :us"
    assert lab.value(text, {"us": "uuid[]"}, us=[]) == 0


@pytest.mark.parametrize("value", [2**53 + 1, -(2**53) - 1, 10**400], ids=["more", "less", "huge"])
def test_integer_that_no_number_keeps_is_refused_for_one(lab: Lab, value: int) -> None:
    """Engines round it, or answer with a text, which is no number to a client."""
    plan = lab.plan("SELECT :x * 1e0 AS v", types={"x": "number"}, shape="value")
    assert lab.invoke(plan, x=2**53).value in (2**53, str(2**53))
    error = lab.fails(plan, x=value)
    assert (error.kind, str(error), error.field) == (
        Kind.INVALID,
        "'x' has more digits than a number keeps; 'int64' and 'decimal' keep it",
        "x",
    )
