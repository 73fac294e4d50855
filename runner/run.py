"""Processes that answer: one or several over HTTP, one over standard input and output."""

import asyncio
import gc
import os
import signal
import socket
import sys
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from runner.app import open_application, open_invoker, protocols_of, state_keys
from runner.auth.identity import stdio_caller
from runner.catalog.catalog import Catalog
from runner.serving.engines import listen
from runner.serving.workers import STOP_SIGNALS, Workers
from runner.transport.descriptors import Input, Output, claim_standard_streams
from runner.transport.stdio import Stdio

SECOND_SIGNAL_STATUS = 1


def serve_http(catalog: Catalog, sock: socket.socket) -> int:
    """Serves on a bound socket until a stop signal; the exit status."""
    keys = state_keys(catalog)
    work = partial(_run, partial(_serve_http, catalog, sock, keys))
    if catalog.listen.workers == 1:
        return work()
    return Workers(catalog.listen.workers, work).run()


def serve_stdio(catalog: Catalog) -> int:
    """Serves one client on the process's standard streams until its input ends."""
    with claim_standard_streams() as (standard_in, standard_out):
        return _run(partial(_serve_stdio, catalog, standard_in, standard_out))


async def _serve_http(
    catalog: Catalog, sock: socket.socket, keys: list[bytes], stop: asyncio.Event
) -> None:
    async with open_application(catalog, keys) as application:
        _settle()
        await listen(application, [sock], catalog.listen, stop)


async def _serve_stdio(
    catalog: Catalog, standard_in: int, standard_out: int, stop: asyncio.Event
) -> None:
    async with open_invoker(catalog, state_keys(catalog)) as invoker:
        protocol = next(iter(protocols_of(catalog, invoker).values()))
        _settle()
        writer = Output(standard_out)
        await Stdio(
            protocol,
            stdio_caller(catalog.identities),
            reader=Input(standard_in),
            writer=writer,
            max_line_bytes=catalog.budgets.request_body_bytes,
            drain_s=catalog.listen.drain_s,
        ).serve(stop)


def _run(serve: Callable[[asyncio.Event], Coroutine[Any, Any, None]]) -> int:
    async def main() -> None:
        await serve(_stop_on_signals())

    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(main())
    return 0


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    if sys.platform == "win32":
        return None
    # uvloop is a dependency only where it exists.
    import uvloop  # noqa: PLC0415

    return uvloop.new_event_loop


def _stop_on_signals() -> asyncio.Event:
    """Set by the first stop signal; the second ends the process without waiting."""
    stop = asyncio.Event()

    def ask() -> None:
        if stop.is_set():
            os._exit(SECOND_SIGNAL_STATUS)
        stop.set()

    loop = asyncio.get_running_loop()
    for number in STOP_SIGNALS:
        loop.add_signal_handler(signal.Signals(number), ask)
    return stop


def _settle() -> None:
    """What was made at start stays for good, so that the collector need not look at it again."""
    gc.collect()
    gc.freeze()
