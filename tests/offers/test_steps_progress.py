"""The progress of steps as a client is told it: one rising count, and only where it asked."""

from collections.abc import Mapping
from pathlib import Path

from runner.codec.json import encode
from tests.offers.whole import serve
from tests.wire.client import modern_headers, modern_message
from tests.wire.http_client import Connection, run

FILE = """\
tools:
  price: {description: A price., input: {name: string}, value: {price: 4}}
  bill:
    description: A bill.
    input: {name: string}
    steps:
      - {tool: price, with: {name: $name}, as: thing}
      - {value: {total: $thing.price}, as: sum}
    select: sum.total
"""


def messages(folder: Path, meta: Mapping[str, object]) -> list[dict[str, object]]:
    """Every message that the call of `bill` brings, the answer last."""
    asked = modern_message("tools/call", {"name": "bill", "arguments": {"name": "a"}}, meta=meta)
    with serve(folder, FILE) as whole:
        connection = Connection([encode(asked)])
        return list(whole.run(run(whole.app, connection, modern_headers(asked))).messages)


def test_each_step_is_told_by_its_name_and_the_end_is_the_number_of_steps(tmp_path: Path) -> None:
    *before, answer = messages(tmp_path, {"progressToken": "p"})

    told = {"progressToken": "p", "total": 2}
    assert [item["params"] for item in before] == [
        {**told, "progress": 0, "message": "thing"},
        {**told, "progress": 1, "message": "sum"},
        {**told, "progress": 2},
    ]
    assert {item["method"] for item in before} == {"notifications/progress"}
    assert isinstance(answer["result"], dict)
    assert answer["result"]["structuredContent"] == 4


def test_without_a_token_nothing_is_told(tmp_path: Path) -> None:
    [answer] = messages(tmp_path, {})

    assert "result" in answer
