"""The recorder refuses what no server of the version may send, and what no client may."""

import json

import pytest
from jsonschema_rs import ValidationError

from tests.wire.client import legacy_message, modern_message, opening_params
from tests.wire.recording import check_exchange, sent_over_http, sent_over_stdio, takes_more

LISTING = json.dumps(modern_message("tools/list")).encode()
CACHED = {"tools": [], "ttlMs": 0, "cacheScope": "public"}


def answer(result: object) -> dict[str, object]:
    """An answer to request 1."""
    return {"jsonrpc": "2.0", "id": 1, "result": result}


def test_result_without_its_type_is_none_of_the_modern_version() -> None:
    sent = sent_over_http(LISTING, "2026-07-28")

    check_exchange(sent, [answer({**CACHED, "resultType": "complete"})])
    with pytest.raises(ValidationError):
        check_exchange(sent, [answer(CACHED)])


def test_block_is_not_known_to_the_version_that_lacks_it() -> None:
    content = [{"type": "resource_link", "uri": "r://one", "name": "one"}]
    body = json.dumps(legacy_message("tools/call", {"name": "echo"})).encode()

    check_exchange(sent_over_http(body, "2025-06-18"), [answer({"content": content})])
    with pytest.raises(ValidationError):
        check_exchange(sent_over_http(body, None), [answer({"content": content})])


def test_each_line_is_of_the_version_that_was_settled_before_it() -> None:
    opening = legacy_message("initialize", opening_params("2025-03-26"), id_=0)
    lines = [opening, legacy_message("ping"), modern_message("tools/list")]

    sent = sent_over_stdio("\n".join(map(json.dumps, lines)).encode())

    assert [item.version for item in sent] == ["2025-03-26", "2025-03-26", "2026-07-28"]


def test_request_that_no_schema_admits_has_no_result_unless_a_test_says_so() -> None:
    body = json.dumps(modern_message("tools/call", {"name": 1})).encode()
    received = [answer({"content": [], "resultType": "complete"})]

    with pytest.raises(ValidationError):
        check_exchange(sent_over_http(body, "2026-07-28"), received)
    with takes_more("a name that is a number"):
        check_exchange(sent_over_http(body, "2026-07-28"), received)


def test_server_asks_nothing() -> None:
    with pytest.raises((ValidationError, KeyError)):
        check_exchange(sent_over_http(LISTING, "2026-07-28"), [legacy_message("roots/list")])
