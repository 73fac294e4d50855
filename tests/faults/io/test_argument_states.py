"""Absent, null and a value are three things, for each way to declare a parameter.

Guards against servers that let an omitted parameter leave its placeholder in the SQL, that write
the word null for null, that ignore a default of null, and that refuse the null which many clients
send for every field that nobody touched.
"""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engines import ENGINES
from tests.faults.io.product import Message, Product, database, served

MISSING = object()
WAYS = {
    "required": "x: string",
    "optional": "x?: string",
    "defaulted": "x: {type: string, default: d}",
    "nullable": 'x?: "string|null"',
    "nullable-required": 'x: "string|null"',
    "nullable-defaulted": 'x: {type: "string|null", default: d}',
    "null-by-default": 'x: {type: "string|null", default: null}',
}
ABSENT_NULL_VALUE = {
    "required": ("x: required, but missing", "x: required, but missing", "v"),
    "optional": (MISSING, MISSING, "v"),
    "defaulted": ("d", "d", "v"),
    "nullable": (MISSING, None, "v"),
    "nullable-required": ("x: required, but missing", None, "v"),
    "nullable-defaulted": ("d", None, "v"),
    "null-by-default": (None, None, "v"),
}
"""Way to declare → what the statement gets when nothing, null and 'v' are sent."""


def tools() -> str:
    """A tool a way to declare; it tells what was bound and whether its optional part stands."""
    lines = ["tools:"]
    for name, way in WAYS.items():
        lines += [
            f"  {name}:",
            "    description: Tells what came.",
            f"    input: {{{way}}}",
            "    sql: >-",
            "      SELECT (SELECT max(name) FROM names WHERE name = :x) AS found,",
            "      (SELECT count(*) FROM names WHERE :x IS NULL) AS nulls,",
            "      (SELECT count(*) FROM names",
            "       WHERE 1 = 1 [[ AND ( 1 = 0 OR :x = '-' ) ]] ) AS open",
            "    result: {shape: row}",
        ]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module", params=ENGINES)
def grid(request: pytest.FixtureRequest, folder: Path) -> Iterator[Product]:
    """Every way to declare, served on an engine."""
    ddl = "CREATE TABLE names (name text); INSERT INTO names VALUES ('d'), ('v'), ('null');"
    with (
        database(request.param, ddl) as (section, files),
        served(folder / request.param, section + tools(), files) as product,
    ):
        yield product


@pytest.mark.parametrize("sent", ["absent", "null", "value"])
@pytest.mark.parametrize("way", WAYS)
def test_each_state_reaches_the_statement_as_what_it_is(grid: Product, way: str, sent: str) -> None:
    """`open` counts all rows only where the optional part, which admits none, is gone."""
    sendings: dict[str, Message] = {"absent": {}, "null": {"x": None}, "value": {"x": "v"}}
    arguments = sendings[sent]
    expected = ABSENT_NULL_VALUE[way][("absent", "null", "value").index(sent)]

    if expected == "x: required, but missing":
        assert grid.refusal(way, **arguments) == expected
        return
    is_null = expected is None or expected is MISSING
    assert grid.value(way, **arguments) == {
        "found": None if is_null else expected,
        "nulls": 3 if is_null else 0,
        "open": 3 if expected is MISSING else 0,
    }


OPTIONAL = {
    "string": ("text", "'a'", "a"),
    "integer": ("bigint", "7", 7),
    "number": ("double precision", "1.5", 1.5),
    "boolean": ("boolean", "true", True),
    "uuid": (
        "uuid",
        "'5b58b410-fa40-5567-9bcc-1527c00b54cb'",
        "5b58b410-fa40-5567-9bcc-1527c00b54cb",
    ),
    "date": ("date", "'2026-01-31'", "2026-01-31"),
    "date-time": ("timestamptz", "'2026-01-31T12:00:00Z'", "2026-01-31T13:00:00+01:00"),
    "time": ("time", "'12:30:00'", "12:30:00"),
    "duration": ("interval", "'P1D'", "P1D"),
    "email": ("text", "'a@b.ch'", "a@b.ch"),
    "uri": ("text", "'https://a.b/c'", "https://a.b/c"),
    "decimal": ("numeric(30,10)", "'12345678901234567890.5'", "12345678901234567890.5"),
    "int64": ("bigint", "9007199254740993", "9007199254740993"),
    "object": ("jsonb", "'{\"a\": 1}'", {"a": 1}),
    "object[]": ("jsonb", "'[{\"a\": 1}]'", [{"a": 1}]),
    "string[]": ("text[]", "'{a,b}'", ["a", "b"]),
    "integer[]": ("bigint[]", "'{1,2}'", [1, 2]),
}
"""Declared type → column, the literal in the first row, the value that is sent for it."""
CROSSED = {
    "string of uuid": ("string", *OPTIONAL["uuid"]),
    "string of date": ("string", *OPTIONAL["date"]),
    "integer of smallint": ("integer", "smallint", "7", 7),
    "integer of numeric": ("integer", "numeric", "7", 7),
    "number of numeric": ("number", "numeric", "1.5", 1.5),
    "number of integer": ("number", "integer", "7", 7),
    "decimal of double": ("decimal", "double precision", "1.5", "1.5"),
}
CASES = {**{word: (word, *rest) for word, rest in OPTIONAL.items()}, **CROSSED}


@pytest.fixture(scope="module")
def optional(folder: Path) -> Iterator[Product]:
    """A tool a type, on PostgreSQL, where a null without a type cannot be bound."""
    lines = ["tools:"]
    with database("postgresql", "") as (section, _):
        url = section.split('"')[1]
        with psycopg.connect(url, autocommit=True) as connection:
            for number, (word, column, literal, _) in enumerate(CASES.values()):
                connection.execute(f"CREATE TABLE t{number} (id int, x {column})".encode())
                connection.execute(
                    f"INSERT INTO t{number} VALUES (1, {literal}), (2, NULL)".encode()
                )
                lines += [
                    f"  find{number}:",
                    "    description: Rows with x, or all of them.",
                    f'    input: {{x?: "{word}|null"}}',
                    f"    sql: SELECT id FROM t{number} WHERE :x IS NULL OR x = :x ORDER BY id",
                    "    result: {shape: column}",
                ]
        with served(folder / "optional", section + "\n".join(lines)) as product:
            yield product


@pytest.mark.parametrize("case", CASES)
def test_null_or_equal_works_for_every_declared_type(optional: Product, case: str) -> None:
    """A typed placeholder that is tested for null and compared is the commonest optional filter."""
    name = f"find{list(CASES).index(case)}"
    value = CASES[case][3]

    found = [optional.value(name, **sent) for sent in ({}, {"x": None}, {"x": value})]

    assert found == [[1, 2], [1, 2], [1]]


PEOPLE = [
    (number, name, team)
    for number, (name, team) in enumerate(
        [(name, team) for name in ("ann", "bob", None) for team in ("red", "blue", None)]
    )
]
SEARCH = """
tools:
  search:
    description: People by what is sent.
    input:
      name?: "string|null"
      team?: string
      ids?: "integer[]"
      limit: {type: integer, minimum: 0, maximum: 50, default: 50}
    sql: |
      SELECT id FROM people WHERE 1 = 1   -- :name in a comment is none
        [[ AND name = :name ]] [[ AND team = :team ]] [[ AND id IN :ids ]]
      ORDER BY id LIMIT :limit
    result: {shape: column}
"""


@pytest.fixture(scope="module", params=ENGINES)
def people(request: pytest.FixtureRequest, folder: Path) -> Iterator[Product]:
    """A search with every mixture of optional parts."""
    rows = ", ".join(
        f"({number}, {_literal(name)}, {_literal(team)})" for number, name, team in PEOPLE
    )
    ddl = (
        f"CREATE TABLE people (id integer, name text, team text); INSERT INTO people VALUES {rows}"
    )
    with (
        database(request.param, ddl) as (section, files),
        served(folder / f"people-{request.param}", section + SEARCH, files) as product,
    ):
        yield product


def _literal(text: str | None) -> str:
    return "NULL" if text is None else f"'{text}'"


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    sent=st.fixed_dictionaries(
        {},
        optional={
            "name": st.sampled_from(["ann", "bob", "nobody", ":team", "null", None]),
            "team": st.sampled_from(["red", "blue", None]),
            "ids": st.none() | st.lists(st.integers(0, 9), max_size=4),
            "limit": st.none() | st.integers(0, 9),
        },
    )
)
def test_no_mixture_of_sent_and_absent_leaves_a_placeholder_unbound(
    people: Product, sent: dict[str, object]
) -> None:
    """Null for a parameter that does not admit null is absent; null for `name` matches no row."""
    ids, limit = sent.get("ids"), sent.get("limit")

    expected = [
        number
        for number, name, team in PEOPLE
        if ("name" not in sent or (sent["name"] is not None and sent["name"] == name))
        and (sent.get("team") is None or sent["team"] == team)
        and (not isinstance(ids, list) or number in ids)
    ][: limit if isinstance(limit, int) else 50]

    assert people.value("search", **sent) == expected


def test_strict_types_still_take_null_for_an_untouched_field(tmp_path: Path) -> None:
    """`coerce: false` is about values; null still says that nothing was meant."""
    tool = "tools: {t: {description: x, coerce: false, input: {a?: integer}, value: {a: $a}}}"
    with served(tmp_path, tool) as product:
        assert product.value("t", a=None) == {}
        assert product.refusal("t", a="1") == "a: expected an integer, found '1'"
