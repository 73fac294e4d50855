"""A client over stdio that does not read: its requests wait, none of them is lost."""

import asyncio
import json
import os
import threading
from collections.abc import Callable, Coroutine, Mapping

import pytest

from runner.catalog.call import CallContext
from runner.catalog.caller import ANONYMOUS
from runner.catalog.content import TextContent
from runner.catalog.result import CallResult
from runner.catalog.tool import Tool
from runner.codec.json import encode
from runner.transport.descriptors import Output
from runner.transport.intake import MAX_IN_FLIGHT, MAX_UNWRITTEN_BYTES, MAX_WAITING_BYTES
from runner.transport.stdio import Stdio
from tests.requirements import requirement
from tests.wire.client import modern_message
from tests.wire.http_client import LIMIT_S
from tests.wire.serving import a_protocol

TEXT = "x" * 200_000
FILLS = MAX_UNWRITTEN_BYTES // len(TEXT) + 1
"""So many answers reach the limit; the pipe takes less than another one."""


class Client:
    """Sends lines to a server whose answers stay in the pipe until it reads."""

    def __init__(self) -> None:
        self.taken: list[object] = []
        """The ids of the calls that were begun."""
        self.answered: list[object] = []
        """The ids of the answers, once the server is over."""
        self.cancelled = asyncio.Event()
        self.idle = asyncio.Event()
        """Everything that was sent is read."""
        self._source, self.sink = os.pipe()
        self._lines: asyncio.Queue[bytes] = asyncio.Queue()
        self._read: list[bytes] = []
        self._reading = threading.Thread(target=self._drain)

    async def read(self) -> bytes:
        """What the server reads: a line at a time, each after what the one before brought."""
        await asyncio.to_thread(int)
        if self._lines.empty():
            self.idle.set()
        return await self._lines.get()

    def call(self, id_: object, text: str = "x") -> None:
        """Calls the tool, which gives a large answer; without a text it waits."""
        arguments = {"text": text, "id": id_}
        self.send(modern_message("tools/call", {"name": "echo", "arguments": arguments}, id_=id_))

    def cancel(self, id_: object) -> None:
        """Takes a call back."""
        params = {"requestId": id_}
        self.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})

    @property
    def unsent(self) -> int:
        """How many lines the server has not read."""
        return self._lines.qsize()

    def send(self, message: object) -> None:
        """Sends a message."""
        self.idle.clear()
        self._lines.put_nowait(encode(message) + b"\n")

    def end(self) -> None:
        """Ends the input."""
        self._lines.put_nowait(b"")

    async def work(
        self, _tool: Tool, arguments: Mapping[str, object], _context: CallContext
    ) -> CallResult:
        """What the tool does: it says the text, or without one waits for its cancellation."""
        self.taken.append(arguments["id"])
        text = str(arguments["text"])
        if not text:
            try:
                await asyncio.Event().wait()
            finally:
                self.cancelled.set()
        return CallResult((TextContent(TEXT),))

    def begin_to_read(self) -> None:
        """Reads from now on."""
        if self._reading.ident is None:
            self._reading.start()

    def end_output(self) -> None:
        """Reads what the server has written, which is over."""
        os.close(self.sink)
        self._reading.join(LIMIT_S)
        self.answered = [json.loads(line)["id"] for line in b"".join(self._read).splitlines()]

    def _drain(self) -> None:
        while chunk := os.read(self._source, 65536):
            self._read.append(chunk)
        os.close(self._source)


Talk = Callable[[Client], Coroutine[object, object, None]]


def run(talk: Talk, *, drain_s: float = LIMIT_S) -> Client:
    """The client after a conversation, at the end of which its input ends."""

    async def main() -> Client:
        client = Client()
        output = Output(client.sink)
        stdio = Stdio(
            a_protocol(call_tool=client.work),
            ANONYMOUS,
            reader=client,
            writer=output,
            max_line_bytes=MAX_WAITING_BYTES * 2,
            drain_s=drain_s,
        )
        serving = asyncio.create_task(stdio.serve(asyncio.Event()))
        try:
            async with asyncio.timeout(LIMIT_S):
                await talk(client)
                client.end()
                await serving
        finally:
            serving.cancel()
            client.begin_to_read()
            await output.flush()
            output.close()
            client.end_output()
        return client

    return asyncio.run(main())


def test_calls_past_the_limit_wait_until_the_client_reads() -> None:
    async def talk(client: Client) -> None:
        for number in range(2 * FILLS):
            client.call(number)
        await client.idle.wait()
        assert client.taken == list(range(FILLS))
        client.begin_to_read()

    client = run(talk)

    assert client.taken == list(range(2 * FILLS))
    assert set(client.answered) == set(client.taken)
    assert len(client.answered) == 2 * FILLS


def test_little_is_read_past_the_limit() -> None:
    """The rest stays in the pipe, so that the client cannot go on either."""

    async def talk(client: Client) -> None:
        for number in range(FILLS):
            client.call(number)
        await client.idle.wait()
        for number in range(FILLS, FILLS + 10):
            client.call(number, "y" * (MAX_WAITING_BYTES // 2))
        while client.unsent > 8:
            await asyncio.to_thread(int)
        client.begin_to_read()
        await client.idle.wait()

    client = run(talk)

    assert client.taken == list(range(FILLS + 10))


@pytest.mark.parametrize("id_", ["runs", "waits"])
@requirement("P-201")
def test_call_is_cancelled_though_nothing_is_read(id_: str) -> None:
    """One that runs ends at once; one that waits is begun and ended in its turn."""

    async def talk(client: Client) -> None:
        client.call("runs", "")
        for number in range(FILLS):
            client.call(number)
        client.call("waits", "")
        client.cancel(id_)
        await client.idle.wait()
        if id_ == "waits":
            client.begin_to_read()
        await client.cancelled.wait()
        client.begin_to_read()
        client.cancel("runs")
        client.cancel("waits")

    client = run(talk)

    assert set(client.taken) == {"runs", "waits", *range(FILLS)}
    assert sorted(map(str, client.answered)) == sorted(map(str, range(FILLS)))


@requirement("P-202")
def test_end_of_input_ends_the_serving_though_nothing_is_read() -> None:
    async def talk(client: Client) -> None:
        for number in range(2 * FILLS):
            client.call(number)
        await client.idle.wait()

    client = run(talk, drain_s=0.01)

    assert client.taken == client.answered == list(range(FILLS))


@requirement("P-202")
def test_end_of_input_does_not_end_what_waits_while_the_client_reads() -> None:
    async def talk(client: Client) -> None:
        for number in range(2 * FILLS):
            client.call(number)
        await client.idle.wait()
        client.end()
        client.begin_to_read()

    client = run(talk)

    assert set(client.answered) == set(range(2 * FILLS))


def test_cancellation_finds_its_call_where_as_many_run_as_may() -> None:
    async def talk(client: Client) -> None:
        for number in range(MAX_IN_FLIGHT):
            client.call(number, "")
        client.call("one more", "")
        await client.idle.wait()
        assert client.taken == list(range(MAX_IN_FLIGHT))
        for number in range(MAX_IN_FLIGHT):
            client.cancel(number)
        client.cancel("one more")

    client = run(talk)

    assert client.taken == [*range(MAX_IN_FLIGHT), "one more"]
    assert client.answered == []
