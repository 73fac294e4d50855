"""Conversations as files: `>` what the client sends, `<` what comes back, one JSON a line.

The same lines come over both transports; over HTTP the headers are made from each message, as a
client makes them.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest

from runner.codec.json import Json, decode
from tests.wire.client import an_app, modern_headers
from tests.wire.http_client import send
from tests.wire.serving import a_protocol
from tests.wire.stdio_client import talk_lines

CASES = sorted((Path(__file__).parent.parent / "golden" / "wire").glob("*.txt"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_conversation_is_as_recorded(
    path: Path, transport: str, request: pytest.FixtureRequest
) -> None:
    before = path.read_text("utf-8")
    sent = [line[2:] for line in before.splitlines() if line.startswith("> ")]
    converse = over_http if transport == "http" else over_stdio

    after = before.splitlines()[0] + "\n" + "".join(converse(sent))

    if request.config.getoption("--update-golden", default=False):
        path.write_text(after, "utf-8")
    assert after == before


def over_http(sent: Sequence[str]) -> list[str]:
    """The lines of the file, the answers of each message below it."""
    app, version, found = an_app(a_protocol()), "", []
    for line in sent:
        message = decode(line)
        response = send(app, line.encode(), headers_of(message, version))
        found.append(f"> {line}\n")
        if response.body:
            found.append(f"< {response.body.decode()}\n")
        version = settled(message, version)
    return found


def headers_of(message: Json, version: str) -> dict[str, str | None]:
    """Those that a client sends with `message` once `version` is settled."""
    match message:
        case {"params": {"_meta": {"io.modelcontextprotocol/protocolVersion": asked}}}:
            assert isinstance(message, dict)
            return {**modern_headers(message), "MCP-Protocol-Version": str(asked)}
        case _:
            return {"MCP-Protocol-Version": version or None}


def settled(message: Json, version: str) -> str:
    """The version of a legacy client after `message`."""
    if isinstance(message, dict) and message.get("method") == "initialize":
        return str(message["params"]["protocolVersion"])
    return version


def over_stdio(sent: Sequence[str]) -> list[str]:
    """The same; the answers come in order, because nothing here waits."""
    text = "".join(line + "\n" for line in sent).encode()
    raw = iter(talk_lines(a_protocol(), text))
    expects = [not is_notification(decode(line)) for line in sent]
    found = []
    for line, is_answered in zip(sent, expects, strict=True):
        found.append(f"> {line}\n")
        if is_answered:
            found.append(f"< {next(raw).decode()}\n")
    assert next(raw, None) is None
    return found


def is_notification(message: Json) -> bool:
    """It is not answered."""
    return isinstance(message, dict) and "id" not in message
