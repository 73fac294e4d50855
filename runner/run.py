"""Processes that answer: one or several over HTTP, one over standard input and output."""

import asyncio
import gc
import socket
import sys
from collections.abc import Callable, Coroutine
from functools import partial

from runner.app import open_application, open_invoker, protocols_of, state_keys
from runner.auth.identity import stdio_caller
from runner.catalog.catalog import Catalog, Endpoint
from runner.serving.engines import listen
from runner.serving.stopping import Stopping
from runner.serving.workers import Workers
from runner.transport.descriptors import Input, Output, claim_standard_streams
from runner.transport.stdio import Stdio

Serve = Callable[[asyncio.Event], Coroutine[None, None, None]]
"""Serves until the event is set, then answers what runs."""


def serve_http(catalog: Catalog, sock: socket.socket) -> int:
    """Serves on a bound socket until a stop signal; the exit status."""
    serve = partial(_serve_http, catalog, sock, state_keys(catalog))
    drain_s, workers = catalog.listen.drain_s, catalog.listen.workers
    if workers == 1:
        return _run(serve, drain_s)
    # Pages that the collector never touches stay shared, and the parent ends at once.
    _settle()
    work = partial(_run, serve, drain_s, is_worker=True)
    return Workers(workers, work, release=sock.close).run()


def serve_stdio(catalog: Catalog, endpoint: Endpoint) -> int:
    """Serves one client on the process's standard streams until its input ends."""
    with claim_standard_streams() as (standard_in, standard_out):
        serve = partial(_serve_stdio, catalog, endpoint, standard_in, standard_out)
        return _run(serve, catalog.listen.drain_s)


async def _serve_http(
    catalog: Catalog, sock: socket.socket, keys: list[bytes], stop: asyncio.Event
) -> None:
    async with open_application(catalog, keys) as application:
        _settle()
        await listen(application, [sock], catalog.listen, stop, end_calls=application.end_calls)


async def _serve_stdio(
    catalog: Catalog,
    endpoint: Endpoint,
    standard_in: int,
    standard_out: int,
    stop: asyncio.Event,
) -> None:
    keys = state_keys(catalog)
    async with open_invoker(catalog, keys) as invoker:
        protocol = protocols_of(catalog, invoker, keys)[endpoint.path]
        _settle()
        writer = Output(standard_out)
        stdio = Stdio(
            protocol,
            stdio_caller(catalog.identities),
            reader=Input(standard_in),
            writer=writer,
            max_line_bytes=catalog.budgets.request_body_bytes,
            drain_s=catalog.listen.drain_s,
        )
        try:
            await stdio.serve(stop)
        finally:
            writer.close()


def _run(serve: Serve, drain_s: float, *, is_worker: bool = False) -> int:
    async def main() -> None:
        stopping = Stopping(drain_s, is_worker=is_worker)
        try:
            await serve(stopping.event)
        finally:
            stopping.finish()

    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(main())
    return 0


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    if sys.platform == "win32":
        return None
    # uvloop is a dependency only where it exists.
    import uvloop  # noqa: PLC0415

    return uvloop.new_event_loop


def _settle() -> None:
    """What was made at start stays for good, so that the collector need not look at it again."""
    gc.collect()
    gc.freeze()
