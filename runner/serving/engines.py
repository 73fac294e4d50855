"""The two HTTP servers behind one function: an application, a socket, a stop.

uvicorn speaks plain HTTP/1.1 and is several times faster; hypercorn speaks TLS and HTTP/2. Neither
may touch signals or exit codes here: the process that runs them decides when to stop.
"""

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable, Iterator, Sequence

from runner.catalog.catalog import Listen
from runner.transport.asgi import Receive, Scope, Send

Application = Callable[[Scope, Receive, Send], Awaitable[None]]
"""An ASGI 3 application."""
KEEP_ALIVE_S = 75
HEADER_BYTES = 64 * 1024
"""What both engines take as the headers of one request; common proxies allow less."""


async def listen(
    application: Application, sockets: Sequence[socket.socket], options: Listen, stop: asyncio.Event
) -> None:
    """Serves `application` on `sockets` until `stop` is set; then lets running calls end.

    Returns once everything is closed, at the latest after the drain time.
    """
    if options.engine == "hypercorn":
        await _hypercorn(application, sockets, options, stop)
    else:
        await _uvicorn(application, sockets, options, stop)


async def _uvicorn(
    application: Application, sockets: Sequence[socket.socket], options: Listen, stop: asyncio.Event
) -> None:
    # Only the engine that is used is imported: it is a good part of the time to the first answer.
    import uvicorn  # noqa: PLC0415

    class Server(uvicorn.Server):
        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Leaves signals alone: uvicorn would raise them again and spoil the exit status."""
            yield

    server = Server(
        uvicorn.Config(
            application,
            http="httptools",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=max(1, round(options.drain_s)),
            h11_max_incomplete_event_size=HEADER_BYTES,
        )
    )
    serving = asyncio.create_task(server.serve(sockets=list(sockets)))
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    server.should_exit = True
    await serving


async def _hypercorn(
    application: Application, sockets: Sequence[socket.socket], options: Listen, stop: asyncio.Event
) -> None:
    # Only the engine that is used is imported, as above.
    from hypercorn.asyncio import serve  # noqa: PLC0415
    from hypercorn.config import Config  # noqa: PLC0415

    config = Config()
    # Hypercorn closes what it is given, so it gets descriptors of its own.
    config.bind = [f"fd://{sock.dup().detach()}" for sock in sockets]
    config.graceful_timeout = options.drain_s
    config.keep_alive_timeout = KEEP_ALIVE_S
    config.h11_max_incomplete_size = HEADER_BYTES
    config.h2_max_header_list_size = HEADER_BYTES
    config.include_server_header = False
    config.include_date_header = False
    config.errorlog = None
    config.accesslog = None
    if options.tls is not None:
        config.certfile, config.keyfile = options.tls.certificate, options.tls.key
        config.alpn_protocols = ["h2", "http/1.1"]
    await serve(application, config, shutdown_trigger=stop.wait)  # type: ignore[arg-type]  # an ASGI 3 callable
