"""A failure says to the client what it may know, and the rest to the operator.

Guards against a driver's error with the password in it, against tracebacks and paths in answers,
against an upstream's words that are passed on, and against a failed tool that looks like a broken
protocol.
"""

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.bindings.http.upstream import http
from tests.faults.io.product import Message, Product, database, served
from tests.faults.io.upstream_product import api, upstream

MARK = "hunter2"
"""Stands in everything that is secret; it is never heard of again."""
CODE = f'''
import os
import sqlite3
from typing import Annotated

from runner import Database, Http, ToolError


def raises(text: str) -> str:
    """Raises whatever it is told."""
    raise RuntimeError(text)


def leaks() -> str:
    """Raises with what the environment holds."""
    raise RuntimeError("cannot connect with " + os.environ["MARKED"])


def chained() -> str:
    """Raises from a driver's error that holds an address."""
    try:
        sqlite3.connect("/nowhere/{MARK}/x.db")
    except sqlite3.Error as error:
        raise ValueError("postgresql://user:{MARK}@host/db") from error
    return ""


def words() -> str:
    """Says it in words of its own."""
    raise ToolError("No such order.", code="no-order")


def returns() -> dict[str, object]:
    """Gives what JSON cannot say."""
    return {{"a": object()}}


def surrogate() -> str:
    """Gives half of a character."""
    return "\\ud800"


def huge() -> dict[str, int]:
    """Gives a number that no reader holds."""
    return {{"n": 2**200}}


def deep() -> list[object]:
    """Gives a list in a list, and so on."""
    found: list[object] = []
    for _ in range(5000):
        found = [found]
    return found


def recursion() -> str:
    """Never comes back."""
    return recursion()


async def queries(db: Database) -> list[dict[str, object]]:
    """Asks for a table that is not there."""
    return await db.query("SELECT {MARK} FROM missing")


async def fetches(http: Annotated[Http, "up"]) -> object:
    """Asks an API that fails."""
    return await http.get("/x")
'''
PYTHON = (
    *("raises", "leaks", "chained", "words", "returns", "surrogate", "huge", "deep", "recursion"),
    *("queries", "fetches"),
)
DDL = (
    "CREATE TABLE users (name text PRIMARY KEY NOT NULL, age integer,"
    " CONSTRAINT age_is_positive CHECK (age > 0))"
)
BODY = """
vars: {key: "${MARKED}"}
tools:
  insert:
    description: x
    writes: true
    database: lab
    input: {name?: "string|null", age?: "integer|null"}
    sql: INSERT INTO users VALUES (:name, :age)
  cast:
    description: x
    database: lab
    input: {v: string}
    sql: "SELECT name FROM users WHERE age = CAST(:v AS integer) OR 1 / (age - age) = 1"
  down: {description: x, database: down, sql: SELECT 1 AS a}
  asks: {description: x, http: {api: up, get: /x, query: {q: "{{ vars.key }}"}}}
  words: {description: x, http: {api: up, get: /x}, errors: {500: "Try later."}}
  gone: {description: x, http: {api: gone, get: /x}}
  template: {description: x, input: {a: integer}, value: "{{ 1 // a }}"}
"""


MORE = f"""
databases:
  down: {{url: "postgresql://u:{MARK}@127.0.0.1:1/db?application_name={MARK}", startup: lazy}}
apis:
  gone:
    url: http://127.0.0.1:1
    allow_private: true
    auth: {{header: {{name: X-Key, value: "${{MARKED}}"}}}}
tools:
""" + "".join(
    f"  py_{name}: {{writes: false, database: lab, python: 'tools.code:{name}'}}\n"
    for name in PYTHON
)


@contextmanager
def troubled(folder: Path, engine: str = "sqlite") -> Iterator[Product]:
    """Every tool that fails, with secrets at every place that takes one."""
    answer = http("500 X", f"upstream says {MARK}".encode(), Content_Type="text/plain", X_A=MARK)
    with upstream(answer) as up, database(engine, DDL) as (section, files):
        apis = api(up.url, auth=f"{{bearer: {MARK}-bearer}}", headers=f"{{X-Other: {MARK}}}")
        whole = f"{section}{apis}include: [more.yaml]\n{BODY}"
        every = {**files, "more.yaml": MORE, "tools/code.py": CODE}
        with served(folder, whole, every, MARKED=f"{MARK}-env") as product:
            yield product


UNEXPECTED = re.compile(r"the tool failed unexpectedly; error id [0-9a-f]{12}\Z")
CALLS: list[tuple[str, Message]] = [
    ("insert", {"name": "a", "age": 1}),
    ("insert", {"name": "a", "age": 1}),
    ("insert", {"name": None}),
    ("insert", {"name": "b", "age": -1}),
    ("insert", {"name": "x" * 100_000, "age": -1}),
    ("cast", {"v": f"{MARK}-value"}),
    ("down", {}),
    ("asks", {}),
    ("words", {}),
    ("gone", {}),
    ("template", {"a": 0}),
    ("py_raises", {"text": f"{MARK}-argument"}),
    *((f"py_{name}", {}) for name in PYTHON[1:]),
]


@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
def test_no_secret_path_or_traceback_is_ever_said(
    tmp_path: Path,
    engine: str,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Neither to the client nor, as the log is by default, to the operator."""
    monkeypatch.setenv("MARKED", f"{MARK}-process")
    caplog.set_level(logging.INFO)
    with troubled(tmp_path, engine) as product:
        for tool, arguments in CALLS:
            answer = product.ask("tools/call", {"name": tool, "arguments": arguments})
            assert "result" in answer, (tool, answer)
        listed = json.dumps(product.tools())
        said = product.said.decode()

    for word in (MARK, "Traceback", str(tmp_path), ".py", "site-packages", "psycopg", "sqlite3"):
        assert word not in said, word
    assert MARK not in listed
    assert MARK not in caplog.text


def test_each_failure_has_its_own_plain_words(tmp_path: Path) -> None:
    with troubled(tmp_path, "postgresql") as product:
        said = {tool: product.call(tool, sent)["content"][0]["text"] for tool, sent in CALLS}
    unexpected = {tool for tool, text in said.items() if UNEXPECTED.match(text)}
    plain = {tool: text for tool, text in said.items() if tool not in unexpected}
    upstream_failed = "the API answered with status 500 (Internal Server Error)"
    no_form = "the tool returned something that has no JSON form"
    big = f'{{"n":"{2**200}"}}'
    assert unexpected == {"py_raises", "py_leaks", "py_chained", "py_recursion"}
    assert plain == {
        "insert": "the rule 'age_is_positive' of the database refuses these values",
        "cast": "the value of 'v' is out of range or of the wrong type",
        "down": "the database cannot be reached at present",
        "asks": upstream_failed,
        "words": "Try later.",
        "gone": "the API cannot be reached",
        "template": "an expression of this tool does not fit these values",
        "py_words": "No such order.",
        "py_returns": no_form,
        "py_deep": no_form,
        "py_surrogate": "\ufffd",
        "py_huge": big,
        "py_queries": "the database refuses a value or the statement",
        "py_fetches": upstream_failed,
    }


def test_error_id_of_the_answer_is_in_the_log_with_the_place(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARKED", f"{MARK}-process")
    with troubled(tmp_path) as product:
        said = product.refusal("py_leaks")
    found = re.search(r"error id ([0-9a-f]{12})", said)
    assert found is not None
    [line] = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    assert line.startswith(f"error {found[1]}: tool py_leaks: RuntimeError at ")
    assert line.endswith("tools/code.py:16")


@pytest.fixture(scope="module")
def raising(folder: Path) -> Iterator[Product]:
    """A tool that raises what it is told."""
    body = "tools: {raises: {writes: false, python: 'tools.code:raises'}}\n"
    with served(folder, body, {"tools/code.py": CODE}) as product:
        yield product


@settings(max_examples=60, deadline=None)
@given(text=st.text(max_size=60))
def test_text_of_an_exception_is_never_in_the_answer(raising: Product, text: str) -> None:
    assert UNEXPECTED.match(raising.refusal("raises", text=text))


def test_failed_tool_is_a_result_and_a_wrong_request_an_error(tmp_path: Path) -> None:
    """A model can mend the first; the second is for the client's maker."""
    with troubled(tmp_path) as product:
        results: list[tuple[str, object]] = [
            ("py_words", {}),
            ("insert", {"age": "x"}),
            ("insert", {"unknown": 1}),
            ("asks", {}),
        ]
        for tool, sent in results:
            answer = product.ask("tools/call", {"name": tool, "arguments": sent})
            assert isinstance(answer["result"], dict)
            assert answer["result"]["isError"] is True
        errors: list[tuple[str, Message, int]] = [
            ("tools/call", {"name": "nowhere", "arguments": {}}, -32602),
            ("tools/call", {"name": 7}, -32602),
            ("tools/call", {"name": "insert", "arguments": []}, -32602),
            ("tools/nothing", {}, -32601),
            ("tools/list", {"cursor": "x"}, -32602),
        ]
        for method, params, code in errors:
            error = product.ask(method, params)["error"]
            assert isinstance(error, dict)
            assert error["code"] == code
    assert product.said.count(b"No such order.") == 1
