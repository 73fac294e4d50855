"""Processes that answer: one or several over HTTP, one over standard input and output."""

import asyncio
import gc
import os
import socket
import sys
from collections.abc import Callable, Coroutine
from functools import partial

from runner.app import serving_of, state_keys
from runner.auth.identity import stdio_caller
from runner.catalog.catalog import Catalog
from runner.live import Live, Project, Protocols
from runner.serving.engines import listen
from runner.serving.stopping import Stopping
from runner.serving.workers import Workers
from runner.transport.descriptors import Input, Output, claim_standard_streams
from runner.transport.health import Standing
from runner.transport.http import HttpApp
from runner.transport.stdio import Stdio

Serve = Callable[[Stopping], Coroutine[None, None, None]]
"""Serves until it is asked to stop, then answers what runs."""


def serve_http(catalog: Catalog, sock: socket.socket, project: Project) -> int:
    """Serves on a bound socket until a stop signal; the exit status.

    A hangup reloads, where no terminal has been hung up.
    """
    serve = partial(_serve_http, catalog, sock, state_keys(catalog), project)
    drain_s, workers = catalog.listen.drain_s, catalog.listen.workers
    if workers == 1:
        with sock:  # an engine closes it sooner, where one comes to listen
            return _run(serve, drain_s, reloads=not _has_terminal())
    # Pages that the collector never touches stay shared, and the parent ends at once.
    _settle()
    reloads = not _has_terminal()
    work = partial(_run, serve, drain_s, is_worker=True, reloads=reloads)
    return Workers(workers, work, release=sock.close, reloads=reloads).run()


def _has_terminal() -> bool:
    return any(os.isatty(descriptor) for descriptor in range(3))


def serve_stdio(catalog: Catalog, project: Project) -> int:
    """Serves one client on the process's standard streams until its input ends.

    The catalog, and what the project loads, has one endpoint, always at the same path. A hangup
    reloads, where no terminal has been hung up.
    """
    reloads = not _has_terminal()
    with claim_standard_streams() as streams:
        serve = partial(_serve_stdio, catalog, project, streams)
        return _run(serve, catalog.listen.drain_s, reloads=reloads)


async def _serve_http(
    catalog: Catalog,
    sock: socket.socket,
    keys: list[bytes],
    project: Project,
    stopping: Stopping,
) -> None:
    apps: list[HttpApp] = []
    standing = Standing()

    def take(catalog: Catalog, protocols: Protocols) -> None:
        serving = serving_of(catalog, protocols)
        if apps:
            apps[0].serving = serving
        else:
            apps.append(HttpApp(serving, standing=standing))

    loop = asyncio.get_running_loop()
    asked_at: list[float] = []
    live = Live(project, keys, take, standing=standing)
    stopping.on_hangup = live.ask
    if not await _begins(live, catalog, stopping.event):
        return
    following = asyncio.create_task(live.follow())
    ending = asyncio.create_task(_end_streams(live, stopping.event, asked_at, standing))
    try:
        _settle()
        await listen(apps[0], [sock], catalog.listen, stopping.event, end_calls=apps[0].end_calls)
    finally:
        for task in (following, ending):
            task.cancel()
        await asyncio.gather(following, ending, return_exceptions=True)
        drain_s = catalog.listen.drain_s
        await live.end(asked_at[0] + drain_s if asked_at else loop.time())


async def _begins(live: Live, catalog: Catalog, stop: asyncio.Event) -> bool:
    """Whether the catalog is served; not where the process is to stop before all is open.

    What still opens then is cancelled with the loop.

    Raises:
        StartError: something behind it cannot be opened.
    """
    beginning = asyncio.create_task(live.begin(catalog))
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait((beginning, stopping), return_when=asyncio.FIRST_COMPLETED)
    begins = beginning.done()
    for task in (beginning, stopping):
        task.cancel()
    await asyncio.gather(beginning, stopping, return_exceptions=True)
    if begins:
        beginning.result()
    return begins


async def _end_streams(
    live: Live, stop: asyncio.Event, asked_at: list[float], standing: Standing
) -> None:
    """Streams never end by themselves, so they end as soon as the server is to stop."""
    await stop.wait()
    standing.is_stopping = True
    asked_at.append(asyncio.get_running_loop().time())
    live.listeners.end()


async def _serve_stdio(
    catalog: Catalog, project: Project, streams: tuple[int, int], stopping: Stopping
) -> None:
    standard_in, standard_out = streams
    writer = Output(standard_out)
    served: list[Stdio] = []

    def take(catalog: Catalog, protocols: Protocols) -> None:
        [protocol] = protocols.values()
        caller, limit = stdio_caller(catalog.identities), catalog.budgets.request_body_bytes
        if served:
            served[0].take(protocol, caller, max_line_bytes=limit)
        else:
            stdio = Stdio(
                protocol,
                caller,
                reader=Input(standard_in),
                writer=writer,
                max_line_bytes=limit,
                drain_s=catalog.listen.drain_s,
            )
            served.append(stdio)

    live = Live(project, state_keys(catalog), take, keeps_session=True)
    stopping.on_hangup = live.ask
    if not await _begins(live, catalog, stopping.event):
        writer.close()
        return
    served[0].on_end = live.listeners.end
    following = asyncio.create_task(live.follow())
    try:
        _settle()
        await served[0].serve(stopping.event)
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
        writer.close()
        await live.end()


def _run(serve: Serve, drain_s: float, *, is_worker: bool = False, reloads: bool = False) -> int:
    async def main() -> None:
        stopping = Stopping(drain_s, is_worker=is_worker, reloads=reloads)
        try:
            await serve(stopping)
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
