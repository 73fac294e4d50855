"""What a client sent is what the tool gets: read without loss, or refused in plain words.

Guards against servers that turn the text 12345 into a number on the way, against those that refuse
the text 42 which models send for an integer, and against those that cut 3.9 to 3 or take every text
but one for false.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engines import ENGINES
from tests.faults.io.product import Message, Product, database, served

WORDS = (
    *("string", "integer", "number", "boolean", "object", "string[]", "integer[]", "decimal"),
    *("int64", "date", "date-time", "time", "duration", "uuid", "email", "uri", "object[]"),
)
NOTHING = object()


def name_of(word: str) -> str:
    """A tool's name for a type word."""
    return word.replace("[]", "-list")


@pytest.fixture(scope="module")
def echo(folder: Path) -> Iterator[Product]:
    """A tool a type word that gives back what came, and one that takes everything."""
    tools = [f"  {name_of(w)}: {{description: x, input: {{v: '{w}'}}, value: $v}}" for w in WORDS]
    every = ", ".join(f"a_{name_of(w).replace('-', '_')}?: '{w}|null'" for w in WORDS)
    tools.append(f"  every: {{description: x, input: {{{every}}}, value: 1}}")
    tools.append("  word: {description: x, input: {v: [no, 7, on]}, value: $v}")
    with served(folder, "\n".join(["tools:", *tools])) as product:
        yield product


TEXTS = ["007", "1e5", "true", "null", "12345", "1.10", "", " ", "[1]", '{"a": 1}', "0x1F", "NaN"]


@pytest.mark.parametrize("text", TEXTS)
def test_text_stays_text_to_the_letter(echo: Product, text: str) -> None:
    assert echo.value("string", v=text) == text
    assert echo.value("string-list", v=[text]) == [text]


@pytest.mark.parametrize("engine", ENGINES)
def test_text_stays_text_down_to_the_database(engine: str, tmp_path: Path) -> None:
    """The column has no type that could change it, and the driver guesses none."""
    tool = """
tools:
  keep:
    description: Keeps a text.
    writes: true
    input: {v: string}
    sql:
      - INSERT INTO kept VALUES (:v)
      - SELECT v, length(v) AS n FROM kept WHERE v = :v
    result: {shape: row}
"""
    if engine == "mariadb":  # spaces at the end count for nothing there, unless bytes are compared
        tool = tool.replace("v = :v", "v = BINARY :v")
    with (
        database(engine, "CREATE TABLE kept (v text)") as (section, files),
        served(tmp_path, section + tool, files) as product,
    ):
        found = [product.value("keep", v=text) for text in TEXTS]

    assert found == [{"v": text, "n": len(text)} for text in TEXTS]


@pytest.mark.parametrize("number", [7, 12345678901234567890, 1.5, True, None])
def test_number_for_text_is_refused(echo: Product, number: object) -> None:
    """Refused and not spelled: 1.0 and 1e0 are one number and two texts."""
    shown = "true" if number is True else number
    expected = "required, but missing" if number is None else f"expected text, found {shown}"
    assert echo.refusal("string", v=number) == f"v: {expected}"


@pytest.mark.parametrize(
    ("word", "sent", "value"),
    [
        ("integer", "42", 42),
        ("integer", "-7", -7),
        ("integer", 42.0, 42),
        ("number", "1.5", 1.5),
        ("number", "1e3", 1000.0),
        ("boolean", "true", True),
        ("boolean", "false", False),
        ("integer[]", ["1", 2], [1, 2]),
        ("integer[]", "[1, 2]", [1, 2]),
        ("string[]", '["1", "a"]', ["1", "a"]),
        ("object", '{"a": 1}', {"a": 1}),
        ("object[]", '[{"a": 1}]', [{"a": 1}]),
        ("int64", "9007199254740993", "9007199254740993"),
        ("int64", 7, 7),
        ("decimal", "0.10", "0.10"),
    ],
)
def test_what_can_be_read_without_loss_is_read(
    echo: Product, word: str, sent: object, value: object
) -> None:
    assert echo.value(name_of(word), v=sent) == value


@pytest.mark.parametrize(
    ("word", "sent", "message"),
    [
        ("integer", "3.9", "expected an integer, found '3.9'"),
        ("integer", 3.9, "expected an integer, found 3.9"),
        ("integer", "1e3", "expected an integer, found '1e3'"),
        ("integer", "0123", "expected an integer, found '0123'"),
        ("integer", "1_000", "expected an integer, found '1_000'"),
        ("integer", "", "expected an integer, found ''"),
        ("integer", " 42", "expected an integer, found ' 42'"),
        ("integer", "٤٢", "expected an integer, found '٤٢'"),
        ("integer", True, "expected an integer, found true"),
        ("integer", [1], "expected an integer, found a list"),
        ("number", "NaN", "expected a number, found 'NaN'"),
        ("number", "1,5", "expected a number, found '1,5'"),
        ("boolean", "yes", "expected true or false, found 'yes'"),
        ("boolean", "True", "expected true or false, found 'True'"),
        ("boolean", 1, "expected true or false, found 1"),
        ("boolean", "0", "expected true or false, found '0'"),
        ("object", "[1]", "expected an object, found '[1]'"),
        ("object", "{", "expected an object, found '{'"),
        ("object", "null", "expected an object, found 'null'"),
        ("string[]", "a,b", "expected a list, found 'a,b'"),
        ("string[]", '{"a": 1}', "expected a list, found '{\"a\": 1}'"),
        ("int64", "9223372036854775808", None),
        ("decimal", "1/2", None),
        ("date", "31.1.2026", None),
        ("date-time", "2026-01-31T12:00:00", None),
        ("uuid", "not-one", None),
    ],
)
def test_what_cannot_is_refused_with_what_was_expected_and_what_came(
    echo: Product, word: str, sent: object, message: str | None
) -> None:
    told = echo.refusal(name_of(word), v=sent)

    assert told.startswith("v: expected ")
    assert message is None or told == f"v: {message}"


@pytest.mark.parametrize("word", ["string", "integer", "boolean", "date", "uuid"])
@pytest.mark.parametrize("sent", ['"quoted"', "[1, 2]", '{"a": 1}'])
def test_json_text_is_opened_for_lists_and_objects_alone(
    echo: Product, word: str, sent: str
) -> None:
    if word == "string":
        assert echo.value("string", v=sent) == sent
    else:
        assert echo.refusal(word, v=sent).startswith("v: expected ")


def test_every_faulty_argument_is_named_at_once(echo: Product) -> None:
    told = echo.refusal("every", a_integer="3.9", a_boolean="yes", a_string=7, a_stirng="x")

    assert sorted(told.splitlines()) == [
        "a_boolean: expected true or false or null, found 'yes'",
        "a_integer: expected an integer or null, found '3.9'",
        "a_stirng: unknown argument, did you mean 'a_string'?",
        "a_string: expected text or null, found 7",
    ]


def test_words_of_a_list_of_choices_stay_as_written(echo: Product) -> None:
    """`no` and `on` are words, and so is 7 among them."""
    assert [echo.value("word", v=word) for word in ("no", "7", "on")] == ["no", "7", "on"]
    assert echo.refusal("word", v=False) == "v: expected text, found false"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(max_size=8)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["2026-01-31", "2026-01-31T12:00:00Z", "12:30:00", "P1D", "a@b.ch", "1.5"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)  # fmt: skip


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.sampled_from(WORDS), VALUES)
def test_any_value_is_taken_or_refused_by_name(echo: Product, word: str, value: object) -> None:
    """Never a protocol error, an internal error or silence."""
    result = echo.call(name_of(word), {"v": value})

    if result.get("isError"):
        assert result["content"][0]["text"].startswith("v")
    else:
        assert "structuredContent" in result


def test_the_listed_types_are_those_that_are_taken(echo: Product) -> None:
    listed: Message = {
        name: tool["inputSchema"]["properties"]["v"]["type"]  # type: ignore[index]  # as listed
        for name, tool in echo.tools().items()
        if name not in ("every", "word")
    }
    texts = ["date", "date-time", "time", "duration", "uuid", "email", "uri", "string"]
    assert listed == {
        **dict.fromkeys(texts, "string"),
        "integer": "integer",
        "number": "number",
        "boolean": "boolean",
        "object": "object",
        "string-list": "array",
        "integer-list": "array",
        "object-list": "array",
        "decimal": ["number", "string"],
        "int64": ["integer", "string"],
    }
