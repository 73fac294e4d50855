"""The two HTTP servers behind one function: an application, a socket, a stop.

uvicorn speaks plain HTTP/1.1 and is several times faster; hypercorn speaks TLS and HTTP/2. Neither
may touch signals or exit codes here: the process that runs them decides when to stop.
"""

import asyncio
import contextlib
import logging
import socket
from collections.abc import Awaitable, Callable, Iterator, Sequence
from math import ceil

from runner.catalog.catalog import Listen
from runner.serving.bounds import HEAD_BYTES
from runner.transport.asgi import Receive, Scope, Send

Application = Callable[[Scope, Receive, Send], Awaitable[None]]
"""An ASGI 3 application."""
log = logging.getLogger("runner.serving")

KEEP_ALIVE_S = 75
ANSWERING_S = 1.0
"""For the answers of calls that were ended to reach their clients."""


async def listen(
    application: Application,
    sockets: Sequence[socket.socket],
    options: Listen,
    stop: asyncio.Event,
    *,
    end_calls: Callable[[], int],
) -> None:
    """Serves `application` on `sockets` until `stop` is set; then lets running calls end.

    The sockets are closed then: who comes later is refused instead of kept waiting.
    `end_calls` answers those that still run after the drain time, and says how many they were.
    The engines, which would cut them without an answer, get a little longer.
    """
    serve = _hypercorn if options.engine == "hypercorn" else _uvicorn
    insisting = asyncio.create_task(_insist(stop, options.drain_s, end_calls))
    try:
        await serve(application, sockets, options, stop)
    finally:
        insisting.cancel()


async def _insist(stop: asyncio.Event, drain_s: float, end_calls: Callable[[], int]) -> None:
    await stop.wait()

    def insist() -> None:
        count = end_calls()
        if count:
            log.warning("%s running calls did not end within %g s and were ended", count, drain_s)

    asyncio.get_running_loop().call_later(drain_s, insist)


async def _uvicorn(
    application: Application, sockets: Sequence[socket.socket], options: Listen, stop: asyncio.Event
) -> None:
    # Only the engine that is used is imported: it is a good part of the time to the first answer.
    import uvicorn  # noqa: PLC0415

    from runner.serving.bounded import BoundedProtocol  # noqa: PLC0415

    class Server(uvicorn.Server):
        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Leaves signals alone: uvicorn would raise them again and spoil the exit status."""
            yield

    server = Server(
        uvicorn.Config(
            application,
            http=BoundedProtocol,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=ceil(options.drain_s + ANSWERING_S),
        )
    )

    async def stop_server() -> None:
        await stop.wait()
        server.should_exit = True

    stopping = asyncio.create_task(stop_server())
    try:
        await server.serve(sockets=list(sockets))
    finally:
        stopping.cancel()


async def _hypercorn(
    application: Application, sockets: Sequence[socket.socket], options: Listen, stop: asyncio.Event
) -> None:
    # Only the engine that is used is imported, as above.
    from hypercorn.asyncio import serve  # noqa: PLC0415
    from hypercorn.config import Config  # noqa: PLC0415

    from runner.serving.unhurried import bound_hypercorn  # noqa: PLC0415

    bound_hypercorn()
    config = Config()
    # The descriptors become hypercorn's own, so that nobody listens any more once it closes them.
    config.bind = [f"fd://{sock.detach()}" for sock in sockets]
    config.graceful_timeout = options.drain_s + ANSWERING_S
    config.keep_alive_timeout = KEEP_ALIVE_S
    config.h11_max_incomplete_size = HEAD_BYTES
    config.h2_max_header_list_size = HEAD_BYTES
    config.include_server_header = False
    config.include_date_header = False
    config.errorlog = None
    config.accesslog = None
    if options.tls is not None:
        config.certfile, config.keyfile = options.tls.certificate, options.tls.key
        config.alpn_protocols = ["h2", "http/1.1"]
    await serve(application, config, shutdown_trigger=stop.wait)  # type: ignore[arg-type]  # an ASGI 3 callable
