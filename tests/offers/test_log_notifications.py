"""`serve.log_notifications` of a real file: what older clients hear of a call without asking."""

import json
import subprocess
from pathlib import Path

import pytest

from runner.codec.json import encode
from runner.protocol.metadata import LOG_LEVELS
from tests.offers.whole import HEAD, Whole, faults, serve
from tests.requirements import requirement
from tests.run.processes import COMMAND, LIMIT_S
from tests.wire.client import legacy_message
from tests.wire.http_client import Connection, run

TOOLS = "tools: {logs: {description: Logs., writes: false, python: logging_tool:logs}}\n"
CODE = """
from runner import Context


def logs(context: Context) -> str:
    context.log("info", "small")
    context.log("error", "large")
    return "done"


def silent() -> str:
    return "done"


def suggests(value: str, context: Context) -> list[str]:
    return [value]


def suggests_silently(value: str) -> list[str]:
    return [value]
"""
VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]


def log_messages(whole: Whole, version: str) -> list[object]:
    """What a call logs to a client of that version over HTTP."""
    connection = Connection([encode(legacy_message("tools/call", {"name": "logs"}))])
    response = whole.run(run(whole.app, connection, {"MCP-Protocol-Version": version}))
    return [message.get("params") for message in response.messages if "method" in message]


def capabilities(whole: Whole) -> object:
    """What `initialize` says that the server can."""
    opening = whole.legacy(
        "initialize",
        {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "tests", "version": "1"},
        },
    )
    assert isinstance(opening["result"], dict)
    return opening["result"]["capabilities"]


@pytest.mark.parametrize("version", VERSIONS)
def test_messages_at_or_above_the_level_precede_the_answer(tmp_path: Path, version: str) -> None:
    (tmp_path / "logging_tool.py").write_text(CODE)
    with serve(tmp_path, "serve: {log_notifications: warning}\n" + TOOLS) as whole:
        assert log_messages(whole, version) == [{"level": "error", "data": "large"}]
        assert capabilities(whole) == {"tools": {}, "logging": {}}


def test_file_knows_every_level_of_the_protocol(tmp_path: Path) -> None:
    """The file's words and the protocol's stand in two places, which know nothing of each other."""
    (tmp_path / "logging_tool.py").write_text(CODE)
    for level in ("off", *LOG_LEVELS):
        assert faults(tmp_path, f"serve: {{log_notifications: {level}}}\n{TOOLS}") == []
    wrong = faults(tmp_path, f"serve: {{log_notifications: verbose}}\n{TOOLS}")
    assert wrong == ["3:28 unknown-word"]


@pytest.mark.parametrize("text", ["", "serve: {log_notifications: off}\n"], ids=["unset", "off"])
def test_nothing_is_logged_to_older_clients_unless_the_file_says_so(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "logging_tool.py").write_text(CODE)
    with serve(tmp_path, text + TOOLS) as whole:
        assert log_messages(whole, "2025-11-25") == []
        assert capabilities(whole) == {"tools": {}}


def test_level_of_a_client_of_its_own_takes_the_place_of_the_level_of_the_file(
    tmp_path: Path,
) -> None:
    """Over stdio `logging` is offered whatever the file says: the level that is set is kept."""
    (tmp_path / "logging_tool.py").write_text(CODE)
    path = tmp_path / "mcp.yaml"
    path.write_text(HEAD + TOOLS)
    messages = [
        legacy_message(
            "initialize",
            {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "tests", "version": "1"},
            },
            id_=0,
        ),
        legacy_message("logging/setLevel", {"level": "error"}, id_=1),
        legacy_message("tools/call", {"name": "logs"}, id_=2),
    ]
    text = b"".join(encode(message) + b"\n" for message in messages)

    done = subprocess.run(
        [COMMAND, "serve", "--stdio", "-f", str(path)],
        input=text, capture_output=True, check=True, timeout=LIMIT_S,
    )  # fmt: skip

    found = [json.loads(line) for line in done.stdout.splitlines()]
    opening = next(message for message in found if message.get("id") == 0)
    assert opening["result"]["capabilities"] == {"tools": {}, "logging": {}}
    logged = [message["params"] for message in found if "method" in message]
    assert logged == [{"level": "error", "data": "large"}]


STEPS = "tools: {{a: {{description: A., writes: false, steps: [{{python: {0}, as: a}}]}}}}\n"
READER = "resources: {{read: {{uri: 'log://read', python: {0}}}}}\n"
SUGGESTER = """prompts:
  write:
    description: W.
    arguments: {{a: {{complete: {{python: "{0}"}}}}}}
    template: "{{{{ a }}}}"
"""


@requirement("P-075", "P-116")
@pytest.mark.parametrize(
    ("text", "advertised"),
    [
        (TOOLS, True),
        (TOOLS.replace(":logs}", ":silent}"), False),
        ("serve: {log_notifications: debug}\ntools: {one: {description: One., value: 1}}\n", False),
        (STEPS.format("logging_tool:logs"), True),
        (STEPS.format("logging_tool:silent"), False),
        (READER.format("logging_tool:logs"), True),
        (READER.format("logging_tool:silent"), False),
        (SUGGESTER.format("logging_tool:suggests"), True),
        (SUGGESTER.format("logging_tool:suggests_silently"), False),
    ],
    ids=[
        *("tool", "silent tool", "no function", "step", "silent step"),
        *("reader", "silent reader", "suggester", "silent suggester"),
    ],
)
def test_modern_clients_are_told_that_they_can_ask_for_log_messages(
    tmp_path: Path, text: str, advertised: bool
) -> None:
    """A server that logs to a client MUST have declared it; one that cannot declares nothing."""
    (tmp_path / "logging_tool.py").write_text(CODE)
    with serve(tmp_path, text) as whole:
        found = whole.result("server/discover")["capabilities"]

    assert isinstance(found, dict)
    assert found.get("logging") == ({} if advertised else None)
