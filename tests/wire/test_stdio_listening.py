"""Streams that listen, over stdio: they share the channel, and end when either side says so."""

import asyncio
import json
from collections.abc import Callable, Coroutine

from runner.catalog.caller import ANONYMOUS
from runner.codec.json import encode
from runner.protocol.jsonrpc import Body, joined
from runner.protocol.listeners import Listeners
from runner.transport.stdio import Stdio
from tests.requirements import requirement
from tests.wire.client import PREFIX, SERVER, modern_message
from tests.wire.http_client import LIMIT_S
from tests.wire.recording import check_exchange, sent_over_stdio
from tests.wire.serving import a_protocol

Message = dict[str, object]
SUBSCRIPTION = f"{PREFIX}subscriptionId"
LISTEN = modern_message(
    "subscriptions/listen", {"notifications": {"toolsListChanged": True}}, id_=50
)
DISCOVER = modern_message("server/discover", id_="d")


class Talk:
    """A conversation that is under way."""

    def __init__(self) -> None:
        self.listeners = Listeners()
        self.is_broken = False
        self.unwritten_bytes = 0
        self.messages: list[Message] = []
        self._typed: asyncio.Queue[bytes] = asyncio.Queue()
        self._sent = b""
        self._came = asyncio.Event()

    def type(self, message: Message) -> None:
        """Sends a line."""
        self._sent += encode(message) + b"\n"
        self._typed.put_nowait(encode(message) + b"\n")

    async def read(self) -> bytes:
        """What the server reads."""
        return await self._typed.get()

    def put(self, message: Body) -> None:
        """What the server writes."""
        self.messages.append(json.loads(joined(message)))
        self._came.set()

    async def flush(self) -> None:
        """At once."""

    async def have(self, count: int) -> None:
        """Returns once so many messages have come."""
        while len(self.messages) < count:
            self._came.clear()
            await self._came.wait()

    def run(self, work: Callable[["Talk"], Coroutine[object, object, None]]) -> None:
        """Serves while the work is done, and then to the end of the input."""

        async def main() -> None:
            stdio = Stdio(
                a_protocol(listeners=self.listeners),
                ANONYMOUS,
                reader=self,
                writer=self,
                max_line_bytes=4096,
                drain_s=LIMIT_S,
            )
            async with asyncio.timeout(LIMIT_S):
                serving = asyncio.create_task(stdio.serve(asyncio.Event()))
                await work(self)
                self._typed.put_nowait(b"")
                await serving

        asyncio.run(main())
        check_exchange(sent_over_stdio(self._sent), self.messages)


def told(method: str, **params: object) -> Message:
    """A message of the stream."""
    whole = {**params, "_meta": {SUBSCRIPTION: 50}}
    return {"jsonrpc": "2.0", "method": method, "params": whole}


ACKNOWLEDGED = told(
    "notifications/subscriptions/acknowledged", notifications={"toolsListChanged": True}
)
CHANGED = told("notifications/tools/list_changed")


@requirement("P-130", "P-131", "P-134")
def test_stream_that_the_client_cancels_is_told_and_answered_nothing_more() -> None:
    async def work(talk: Talk) -> None:
        talk.type(LISTEN)
        await talk.have(1)
        talk.listeners.lists_changed("/mcp", ["toolsListChanged"])
        await talk.have(2)
        cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
        talk.type({**cancelled, "params": {"requestId": 50}})
        talk.type(DISCOVER)
        await talk.have(3)
        assert len(talk.listeners) == 0
        talk.listeners.lists_changed("/mcp", ["toolsListChanged"])

    talk = Talk()
    talk.run(work)

    assert talk.messages[:2] == [ACKNOWLEDGED, CHANGED]
    assert [message.get("id") for message in talk.messages[2:]] == ["d"]


@requirement("P-133")
def test_stream_that_the_server_ends_is_answered_and_cancelled() -> None:
    async def work(talk: Talk) -> None:
        talk.type(LISTEN)
        await talk.have(1)
        talk.listeners.end()
        await talk.have(3)

    talk = Talk()
    talk.run(work)

    result = {"resultType": "complete", "_meta": {**SERVER, SUBSCRIPTION: 50}}
    params = {"requestId": 50, "reason": "the server ends the stream"}
    assert talk.messages == [
        ACKNOWLEDGED,
        {"jsonrpc": "2.0", "id": 50, "result": result},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params},
    ]


@requirement("P-201")
def test_cancelling_what_has_ended_touches_no_later_request_of_its_id() -> None:
    call = modern_message("tools/call", {"name": "echo", "arguments": {"text": "a"}}, id_=7)

    async def work(talk: Talk) -> None:
        for count in (1, 2):
            talk.type(call)
            await talk.have(count)
            cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
            talk.type({**cancelled, "params": {"requestId": 7}})

    talk = Talk()
    talk.run(work)

    assert [("result" in message, message["id"]) for message in talk.messages] == [(True, 7)] * 2
