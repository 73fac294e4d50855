"""What a function may ask a user: no secrets by forms, and addresses that are safe to open."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from runner.bindings.python.questions import check_question, form
from runner.catalog.asking import Form, Link
from tests.offers.whole import Whole, serve
from tests.requirements import requirement
from tests.wire.client import PREFIX

FILE = """
tools:
  log_in: {description: Logs in., writes: false, python: "code:log_in"}
"""
CODE = """
from runner import Context

async def log_in(context: Context) -> str:
    reply = await context.elicit("Log in", {"password": {"type": "string"}})
    return reply.action
"""


@pytest.fixture
def whole(tmp_path: Path) -> Iterator[Whole]:
    (tmp_path / "code.py").write_text(CODE, encoding="utf-8")
    with serve(tmp_path, FILE) as served:
        yield served


@requirement("P-127")
@pytest.mark.parametrize(
    "fields",
    [
        {"password": {"type": "string"}},
        {"API-Key": {"type": "string"}},
        {"access_token": {"type": "string"}},
        {"word": {"type": "string", "format": "password"}},
        {"word": {"type": "string", "writeOnly": True}},
    ],
    ids=str,
)
def test_form_asks_for_no_secret(fields: Mapping[str, object]) -> None:
    with pytest.raises(ValueError, match="a form asks for no secret; send the user to an address"):
        check_question(form("Please", fields))


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {"type": "null"},
        {"type": ["string", "null"]},
        {},
        "string",
        {"type": "string", "format": "hostname"},
        {"type": "string", "oneOf": [{"const": "a"}]},
        {"type": "string", "enum": [1]},
        {"type": "string", "default": None},
        {"type": "integer", "minimum": "1"},
        {"type": "boolean", "default": "yes"},
        {"type": "array"},
        {"type": "array", "items": {"type": "string"}},
        {"type": "array", "items": {"type": "string", "enum": ["a"]}, "default": "a"},
    ],
    ids=str,
)
def test_form_is_flat(schema: object) -> None:
    """Another would not be a message that the schema admits."""
    with pytest.raises(
        ValueError, match="field 'a' of a form is a text, number, boolean or choice"
    ):
        check_question(Form("Please", {"properties": {"a": schema}}))


@pytest.mark.parametrize("schema", [{"type": "array"}, {"properties": []}], ids=str)
def test_form_is_an_object(schema: Mapping[str, object]) -> None:
    with pytest.raises(ValueError, match="a form is an object of fields"):
        check_question(Form("Please", schema))


@requirement("P-127")
@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/",
        "javascript:alert(1)",
        "file:///etc/hosts",
        "//example.com",
        "https://",
        "http://127.0.0.1.example.com/",
    ],
)
def test_address_that_is_not_safe_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="is https, or http on this machine"):
        check_question(Link("Look.", url))


@requirement("P-127")
def test_address_holds_no_credentials() -> None:
    with pytest.raises(ValueError, match="holds no credentials"):
        check_question(Link("Look.", "https://ann:pass@example.com/"))


@pytest.mark.parametrize(
    "url",
    ["https://example.com/x?y=1", "http://localhost:8080/", "http://[::1]/", "http://127.0.0.1"],
)
def test_address_that_is_safe_may_be_opened(url: str) -> None:
    check_question(Link("Look.", url))


def test_client_is_told_nothing_of_a_question_that_is_refused(
    whole: Whole, caplog: pytest.LogCaptureFixture
) -> None:
    meta: dict[str, object] = {f"{PREFIX}clientCapabilities": {"elicitation": {}}}
    result = whole.result("tools/call", {"name": "log_in"}, meta=meta)
    assert result["isError"] is True
    assert "password" not in str(result)
    assert "ValueError" in caplog.text
