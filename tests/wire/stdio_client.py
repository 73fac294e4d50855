"""Drives the stdio transport over pipes."""

import asyncio
import os
import threading
from collections.abc import Sequence

from runner.catalog.caller import ANONYMOUS
from runner.codec.json import decode
from runner.protocol.server import Protocol
from runner.transport.descriptors import Input, Output
from runner.transport.stdio import Stdio
from tests.wire.http_client import LIMIT_S
from tests.wire.recording import check_exchange, sent_over_stdio

Message = dict[str, object]


def talk(protocol: Protocol, text: bytes, *, max_line_bytes: int = 4096) -> list[Message]:
    """Every message that comes back on `text`, after which the input ends."""
    return [_message(line) for line in talk_lines(protocol, text, max_line_bytes=max_line_bytes)]


def talk_lines(protocol: Protocol, text: bytes, *, max_line_bytes: int = 4096) -> list[bytes]:
    """Every line that comes back, as written."""
    client_in, server_out = os.pipe()
    server_in, client_out = os.pipe()
    written: list[bytes] = []
    reading = threading.Thread(target=_drain, args=(client_in, written))
    writing = threading.Thread(target=_write, args=(client_out, text))
    for thread in (reading, writing):
        thread.start()
    asyncio.run(_serve(protocol, server_in, server_out, max_line_bytes))
    os.close(server_out)
    for thread in (reading, writing):
        thread.join(LIMIT_S)
    os.close(server_in)
    lines = b"".join(written).split(b"\n")
    assert lines.pop() == b"", "the last message ends its line"
    check_exchange(sent_over_stdio(text), [_message(line) for line in lines])
    return lines


async def _serve(protocol: Protocol, server_in: int, server_out: int, max_line_bytes: int) -> None:
    output = Output(server_out)
    stdio = Stdio(
        protocol,
        ANONYMOUS,
        reader=Input(server_in),
        writer=output,
        max_line_bytes=max_line_bytes,
        drain_s=LIMIT_S,
    )
    async with asyncio.timeout(2 * LIMIT_S):
        await stdio.serve(asyncio.Event())
        await output.flush()
    output.close()


def _drain(descriptor: int, written: list[bytes]) -> None:
    while chunk := os.read(descriptor, 65536):
        written.append(chunk)
    os.close(descriptor)


def _write(descriptor: int, text: bytes) -> None:
    rest = memoryview(text)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    os.close(descriptor)


def _message(line: bytes) -> Message:
    message = decode(line)
    assert isinstance(message, dict)
    return message


def by_id(messages: Sequence[Message]) -> dict[object, Message]:
    """The answers by id; those without one under None."""
    return {message.get("id"): message for message in messages}
