"""The stdio transport: lines, both eras in one process, cancellation, the end."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, TypedDict

import pytest

from runner.catalog.call import CallContext
from runner.catalog.caller import ANONYMOUS, Caller
from runner.catalog.content import TextContent
from runner.catalog.result import CallResult
from runner.catalog.tool import Tool
from runner.codec.json import encode
from runner.protocol.jsonrpc import Body, joined
from runner.transport.intake import MAX_IN_FLIGHT
from runner.transport.stdio import Stdio
from tests.requirements import requirement
from tests.wire.client import PREFIX, legacy_message, modern_message, opening_params
from tests.wire.http_client import LIMIT_S
from tests.wire.serving import a_protocol, always
from tests.wire.stdio_client import by_id, talk

DISCOVER = encode(modern_message("server/discover", id_="d"))
PING = encode(legacy_message("ping", id_="p"))


def opening(version: str) -> bytes:
    """An `initialize` and its notification."""
    message = legacy_message("initialize", opening_params(version), id_=0)
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    return encode(message) + b"\n" + encode(ready) + b"\n"


@requirement("P-203")
def test_both_eras_are_served_in_one_process() -> None:
    listing = encode(legacy_message("tools/list", id_="l"))

    found = by_id(
        talk(a_protocol(), DISCOVER + b"\n" + opening("2025-06-18") + listing + b"\n" + DISCOVER)
    )

    results = {key: json.loads(json.dumps(message))["result"] for key, message in found.items()}
    assert set(results) == {"d", 0, "l"}
    assert results["d"]["supportedVersions"] == ["2026-07-28"]
    assert results[0]["protocolVersion"] == "2025-06-18"
    assert set(results["l"]) == {"tools"}


@requirement("P-203")
@pytest.mark.parametrize("method", ["tools/list", "server/discover", "no/such"])
def test_before_initialize_a_bare_request_lacks_its_envelope(method: str) -> None:
    [answer] = talk(a_protocol(), encode(legacy_message(method)) + b"\n")

    message = f"params._meta['{PREFIX}protocolVersion'] is missing"
    assert answer["error"] == {"code": -32602, "message": message}


@requirement("P-023")
def test_unserved_version_is_told_what_is_served() -> None:
    """There are no headers to compare; the version is judged as over HTTP."""
    message = modern_message("tools/list", meta={f"{PREFIX}protocolVersion": "1999-01-01"})

    [answer] = talk(a_protocol(), encode(message) + b"\n")

    assert answer["error"] == {
        "code": -32022,
        "message": "Protocol version is not supported",
        "data": {"supported": ["2026-07-28"], "requested": "1999-01-01"},
    }


@pytest.mark.parametrize("params", [{}, {"protocolVersion": 1}], ids=["none", "a number"])
def test_initialize_that_fails_settles_nothing(params: dict[str, object]) -> None:
    asked = [legacy_message("initialize", params, id_=0), legacy_message("tools/list", id_=1)]

    found = by_id(talk(a_protocol(), b"".join(encode(message) + b"\n" for message in asked)))

    message = f"params._meta['{PREFIX}protocolVersion'] is missing"
    assert found[0]["error"] == {"code": -32602, "message": "params.protocolVersion is a string"}
    assert found[1]["error"] == {"code": -32602, "message": message}


def test_process_without_the_legacy_era_says_so() -> None:
    asked = [
        legacy_message("initialize", opening_params("2025-06-18"), id_=0),
        legacy_message("ping", id_=1),
        modern_message("server/discover", id_=2),
    ]

    found = by_id(
        talk(a_protocol(legacy=False), b"".join(encode(message) + b"\n" for message in asked))
    )

    assert found[0]["error"] == {
        "code": -32022,
        "message": "Protocol version is not supported",
        "data": {"supported": ["2026-07-28"], "requested": "2025-06-18"},
    }
    assert found[1]["error"] == {"code": -32602, "message": "params is an object with _meta"}
    assert "result" in found[2]


@requirement("P-172")
def test_ping_needs_no_initialize() -> None:
    assert talk(a_protocol(), PING + b"\n") == [{"jsonrpc": "2.0", "id": "p", "result": {}}]


@requirement("P-204", "P-010")
@pytest.mark.parametrize("line", [b"{", b"\xff", b"nonsense", b"[" * 3000], ids=repr)
def test_malformed_line_is_an_error_and_the_process_goes_on(line: bytes) -> None:
    found = talk(a_protocol(), line + b"\n" + PING + b"\n")

    error = {"code": -32700, "message": "The message is not valid JSON"}
    assert by_id(found)[None] == {"jsonrpc": "2.0", "error": error}
    assert by_id(found)["p"]["result"] == {}


@requirement("P-059")
def test_line_over_the_limit_is_refused_and_the_process_goes_on() -> None:
    found = by_id(talk(a_protocol(), b" " * 1_000_000 + b"\n" + PING, max_line_bytes=100))

    error = {"code": -32600, "message": "The message has at most 100 bytes"}
    assert found[None] == {"jsonrpc": "2.0", "error": error}
    assert found["p"]["result"] == {}


@requirement("P-200")
def test_line_ends_of_every_system_and_empty_lines_are_read() -> None:
    found = talk(a_protocol(), b"\r\n\n  \n" + PING + b"\r\n" + PING + b"\n\r\n" + PING)

    assert [message["id"] for message in found] == ["p", "p", "p"]


@requirement("P-001", "P-200")
def test_text_is_utf8_and_a_line_break_in_it_is_escaped() -> None:
    text = "Привет 👋\nsecond \u2028 line"
    message = modern_message("tools/call", {"name": "echo", "arguments": {"text": text}})

    [answer] = talk(a_protocol(), encode(message) + b"\n")

    assert json.loads(json.dumps(answer))["result"]["structuredContent"] == {"text": text}


@requirement("P-201")
@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_cancelled_request_is_not_answered(era: str) -> None:
    """The id counts with its type: the text '7' is another request than the number 7."""
    protocol = a_protocol(call_tool=ends_when_cancelled)
    params: dict[str, object] = {"name": "echo"}
    token = {"progressToken": "p"}
    call = (
        modern_message("tools/call", params, meta=token, id_=7)
        if era == "modern"
        else legacy_message("tools/call", {**params, "_meta": token}, id_=7)
    )
    lines = [
        *opening("2025-11-25").splitlines(),
        encode(call),
        encode({**CANCELLED, "params": {"requestId": "7"}}),
        encode({**CANCELLED, "params": {"requestId": None}}),
        encode({**CANCELLED, "params": [7]}),
        encode({**CANCELLED, "params": {"requestId": 7, "reason": "changed my mind"}}),
        PING,
    ]

    found = talk(protocol, b"\n".join(lines))

    assert {message.get("id", message.get("method")) for message in found} == {0, "p"}


@requirement("P-178")
@pytest.mark.parametrize("where", ["after", "within"])
def test_cancelled_member_of_a_batch_is_missing_in_the_answer(where: str) -> None:
    """The others are answered; a batch of which nothing is left is not answered at all."""
    call, cancelled = legacy_message("tools/call", {"name": "echo"}, id_=7), cancel(7)
    alone = [legacy_message("tools/call", {"name": "echo"}, id_=8)]
    ping = legacy_message("ping", id_=2)
    batches = (
        [[call, ping], cancel("7"), cancelled, alone, [cancel(8)]]
        if where == "after"
        else [[call, ping, cancelled], alone, [cancel("8"), cancel(8)]]
    )
    written: list[bytes] = []

    text = opening("2025-03-26") + b"\n".join(map(encode, batches))
    asyncio.run(serve(Script(text), Kept(written)))

    assert [json.loads(line) for line in written[1:]] == [
        [{"jsonrpc": "2.0", "id": 2, "result": {}}]
    ]


def cancel(id_: object) -> dict[str, object]:
    """The notification that a request is not awaited any more."""
    return {**CANCELLED, "params": {"requestId": id_}}


CANCELLED = {"jsonrpc": "2.0", "method": "notifications/cancelled"}


async def ends_when_cancelled(
    _tool: Tool, _arguments: Mapping[str, object], context: CallContext
) -> CallResult:
    """Waits; gives a result even so, and says something on its way out."""
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        context.report(1, None, None)
    return CallResult((TextContent("late"),))


@requirement("P-178")
@pytest.mark.parametrize(("version", "count"), [("2025-03-26", 2), ("2025-06-18", 1)])
def test_batch_is_for_the_version_that_was_settled(version: str, count: int) -> None:
    batch = encode([legacy_message("ping", id_=1), legacy_message("ping", id_=2)])
    written: list[bytes] = []

    asyncio.run(serve(Script(opening(version) + batch), Kept(written)))

    answer = json.loads(written[-1])
    assert (len(answer) if isinstance(answer, list) else 1) == count
    assert isinstance(answer, list) == (version == "2025-03-26")


@requirement("P-006", "P-178")
@pytest.mark.parametrize("start", [b"", DISCOVER + b"\n"], ids=["nothing", "modern"])
def test_batch_before_initialize_is_refused_whole(start: bytes) -> None:
    batch = encode([legacy_message("ping", id_=1), legacy_message("ping", id_=2)])

    found = by_id(talk(a_protocol(), start + batch))

    error = {"code": -32600, "message": "A message is one JSON object, no array"}
    assert found.pop(None) == {"jsonrpc": "2.0", "error": error}
    assert set(found) == ({"d"} if start else set())


class Script:
    """An input that ends after `text`."""

    def __init__(self, text: bytes) -> None:
        self._chunks = [text, b""]

    async def read(self) -> bytes:
        """The text, then the end."""
        return self._chunks.pop(0)


class Endless(Script):
    """An input that does not end."""

    async def read(self) -> bytes:
        """The text, then nothing."""
        if len(self._chunks) == 1:
            await asyncio.Event().wait()
        return self._chunks.pop(0)


class Kept:
    """An output that keeps its messages."""

    def __init__(self, written: list[bytes], *, is_broken: bool = False) -> None:
        self._written = written
        self.is_broken = is_broken
        self.unwritten_bytes = 0

    def put(self, message: Body) -> None:
        """Keeps one."""
        self._written.append(joined(message))

    async def flush(self) -> None:
        """At once."""


async def serve(
    reader: Script, writer: Kept, *, stop: asyncio.Event | None = None, drain_s: float = LIMIT_S
) -> None:
    """Serves a tool that ends only when it is cancelled."""
    stdio = Stdio(
        a_protocol(call_tool=ends_when_cancelled),
        ANONYMOUS,
        reader=reader,
        writer=writer,
        max_line_bytes=4096,
        drain_s=drain_s,
    )
    async with asyncio.timeout(LIMIT_S):
        await stdio.serve(stop or asyncio.Event())


@requirement("P-202")
def test_end_of_input_ends_the_serving_and_what_does_not_end_is_cancelled() -> None:
    written: list[bytes] = []
    call = encode(modern_message("tools/call", {"name": "echo"}))

    asyncio.run(serve(Script(call), Kept(written), drain_s=0.001))

    assert [json.loads(line)["result"]["content"][0]["text"] for line in written] == ["late"]


@requirement("P-202")
def test_stop_ends_the_serving_while_the_input_is_open() -> None:
    async def main() -> None:
        stop = asyncio.Event()
        serving = asyncio.create_task(serve(Endless(PING), Kept(written), stop=stop))
        await asyncio.to_thread(int)
        stop.set()
        await serving

    written: list[bytes] = []

    asyncio.run(main())

    assert len(written) <= 1


def test_bug_in_the_reading_is_not_swallowed() -> None:
    class Faulty(Script):
        async def read(self) -> bytes:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asyncio.run(serve(Faulty(PING), Kept([])))


def test_cancelled_serving_leaves_no_task() -> None:
    async def main() -> int:
        call = encode(modern_message("tools/call", {"name": "echo"}))
        serving = asyncio.create_task(serve(Endless(call), Kept([])))
        await asyncio.to_thread(int)
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        return len(asyncio.all_tasks())

    assert asyncio.run(main()) == 1


class Changing(Script):
    """An input between whose two lines something else comes to be served."""

    def __init__(self, first: bytes, then: bytes) -> None:
        super().__init__(first)
        self._chunks.insert(1, then)
        self.change: Callable[[], None] = lambda: None

    async def read(self) -> bytes:
        """The first line; after the change the second one."""
        if len(self._chunks) == 2:
            self.change()
        return await super().read()


@pytest.mark.parametrize(("limit", "is_read"), [(10_000, True), (100, False)])
def test_later_lines_meet_what_is_served_by_then(limit: int, *, is_read: bool) -> None:
    """Its tools, its caller, and its limit of a line."""

    async def tells(_tool: Tool, _arguments: object, context: CallContext) -> CallResult:
        return CallResult((TextContent(context.caller.principal),))

    written: list[bytes] = []
    calls = [encode(modern_message("tools/call", {"name": "echo"}, id_=n)) + b"\n" for n in (1, 2)]
    reader = Changing(*calls)
    stdio = Stdio(
        a_protocol(call_tool=always(CallResult((TextContent("before"),)))),
        ANONYMOUS,
        reader=reader,
        writer=Kept(written),
        max_line_bytes=4096,
        drain_s=LIMIT_S,
    )
    ada = Caller(user_id="ada", issuer="here", authenticated=True)
    reader.change = lambda: stdio.take(a_protocol(call_tool=tells), ada, max_line_bytes=limit)

    asyncio.run(stdio.serve(asyncio.Event()))

    found = by_id([json.loads(line) for line in written])
    if is_read:
        result = found[2]["result"]
        assert isinstance(result, dict)
        assert result["content"][0]["text"] == ada.principal
    else:
        message = "The message has at most 100 bytes"
        assert found[None]["error"] == {"code": -32600, "message": message}


def test_what_waits_for_room_is_answered_although_the_input_has_ended() -> None:
    async def main() -> tuple[int, int]:
        began, may_end, all_began = 0, asyncio.Event(), asyncio.Event()

        async def waits(_tool: Tool, _arguments: object, _context: CallContext) -> CallResult:
            nonlocal began
            began += 1
            if began == MAX_IN_FLIGHT:
                all_began.set()
            await may_end.wait()
            return CallResult((TextContent("done"),))

        written: list[bytes] = []
        calls = [
            encode(modern_message("tools/call", {"name": "echo"}, id_=number)) + b"\n"
            for number in range(MAX_IN_FLIGHT + 5)
        ]
        stdio = Stdio(
            a_protocol(call_tool=waits),
            ANONYMOUS,
            reader=Script(b"".join(calls)),
            writer=Kept(written),
            max_line_bytes=4096,
            drain_s=LIMIT_S,
        )
        serving = asyncio.create_task(stdio.serve(asyncio.Event()))
        await all_began.wait()
        for _ in range(5):
            await asyncio.to_thread(int)
        first = began
        may_end.set()
        await serving
        return first, len(written)

    assert asyncio.run(main()) == (MAX_IN_FLIGHT, MAX_IN_FLIGHT + 5)


def test_reader_that_is_gone_ends_the_serving() -> None:
    written: list[bytes] = []

    asyncio.run(serve(Script(PING), Kept(written, is_broken=True)))

    assert written == []


STRAY = """
import asyncio, ctypes, os, sys, warnings
from runner.catalog.caller import ANONYMOUS
from runner.transport.descriptors import Input, Output, claim_standard_streams
from runner.transport.stdio import Stdio
from tests.wire.serving import a_protocol

async def main():
    print("printed")
    ctypes.CDLL(None).puts(b"from C")
    ctypes.CDLL(None).fflush(None)
    os.system("echo from a child")
    warnings.warn("warned")
    output = Output(target)
    stdio = Stdio(a_protocol(), ANONYMOUS, reader=Input(source), writer=output,
                  max_line_bytes=4096, drain_s=1)
    await stdio.serve(asyncio.Event())
    await output.flush()

with claim_standard_streams() as (source, target):
    asyncio.run(main())
"""


class Captured(TypedDict):
    """How the process is run."""

    capture_output: Literal[True]
    env: dict[str, str]
    timeout: float


def captured(environment: dict[str, str]) -> Captured:
    """With its output kept, its time bounded."""
    limit = 2 * LIMIT_S
    return {"capture_output": True, "env": environment, "timeout": limit}


@requirement("P-200", "P-202")
@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_nothing_but_messages_reaches_standard_output(kind: str, tmp_path: Path) -> None:
    """Prints of Python, of C and of a child go to standard error, whatever the locale is."""
    source = tmp_path / "in"
    source.write_bytes(PING + b"\n")
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252", "LC_ALL": "C"}
    command = [sys.executable, "-c", STRAY]

    if kind == "file":
        with source.open("rb") as file:
            done = subprocess.run(command, stdin=file, check=True, **captured(environment))
    else:
        done = subprocess.run(
            command, input=source.read_bytes(), check=True, **captured(environment)
        )

    assert done.stdout == b'{"jsonrpc":"2.0","id":"p","result":{}}\n'
    for stray in (b"printed", b"from C", b"from a child", b"warned"):
        assert stray in done.stderr
