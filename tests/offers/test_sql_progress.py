"""Progress of a SQL tool as a client sees it: before the answer, and only where it was asked."""

import asyncio
from pathlib import Path

import pytest

from runner.app import catalog_of, check, open_application, state_keys
from runner.codec.json import encode
from tests.offers.whole import HEAD
from tests.requirements import requirement
from tests.wire.client import modern_headers, modern_message
from tests.wire.http_client import Connection, Response, run

FILE = """databases: {numbers: {url: "sqlite:///numbers.db", create: {schema: numbers.sql}}}
defaults: {database: numbers}
budgets: {rows: 5000}
tools:
  pairs:
    description: All pairs.
    sql: SELECT a.n AS a, b.n AS b FROM numbers AS a, numbers AS b
  sums:
    description: Pairs in a step.
    steps: [{tool: pairs, as: one}, {tool: pairs, as: two}]
    select: one.truncated
"""
ROWS = 2500


@pytest.fixture
def file(tmp_path: Path) -> Path:
    values = ", ".join(f"({number})" for number in range(50))
    script = f"CREATE TABLE numbers (n INTEGER PRIMARY KEY); INSERT INTO numbers VALUES {values};"
    (tmp_path / "numbers.sql").write_text(script, encoding="utf-8")
    path = tmp_path / "mcp.yaml"
    path.write_text(HEAD + FILE, encoding="utf-8")
    return path


def answered(file: Path, tool: str, **meta: object) -> Response:
    """The response to a call."""
    catalog = catalog_of(check(file, {}))
    message = modern_message("tools/call", {"name": tool}, meta=meta)

    async def main() -> Response:
        async with open_application(catalog, state_keys(catalog)) as app:
            return await run(app, Connection([encode(message)]), modern_headers(message))

    return asyncio.run(main())


@requirement("P-117")
def test_rows_are_told_before_the_answer_and_only_up_to_it(file: Path) -> None:
    *told, answer = answered(file, "pairs", progressToken="p").messages
    params = [message["params"] for message in told]
    counts = [found["progress"] for found in params if isinstance(found, dict)]
    assert params == [
        {"progressToken": "p", "progress": count, "message": f"{count} rows read"}
        for count in counts
    ]
    assert sorted(set(counts)) == counts
    assert ROWS // 2 < counts[-1] <= ROWS
    assert len(answer["result"]["structuredContent"]["rows"]) == ROWS  # type: ignore[index]  # of objects


def test_without_a_token_there_is_the_answer_alone(file: Path) -> None:
    response = answered(file, "pairs")
    assert response.headers["content-type"] == "application/json"
    assert len(response.messages) == 1


def test_rows_of_a_step_are_not_the_progress_of_the_whole(file: Path) -> None:
    *told, _ = answered(file, "sums", progressToken=7).messages
    assert [message["params"] for message in told] == [
        {"progressToken": 7, "progress": 0, "total": 2, "message": "one"},
        {"progressToken": 7, "progress": 1, "total": 2, "message": "two"},
        {"progressToken": 7, "progress": 2, "total": 2},
    ]
