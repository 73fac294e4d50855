"""The two HTTP servers behind one function: an application, a socket, a stop.

uvicorn speaks plain HTTP/1.1 and is several times faster; hypercorn speaks TLS and HTTP/2. Neither
may touch signals or exit codes here: the process that runs them decides when to stop.
"""

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from runner.catalog.catalog import Listen

Message = MutableMapping[str, Any]
Application = Callable[
    [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]],
    Awaitable[None],
]
"""An ASGI 3 application."""
KEEP_ALIVE_S = 75
HEADER_BYTES = 64 * 1024
"""What both engines take as the headers of one request; common proxies allow less."""


@dataclass(slots=True)
class Stop:
    """When to stop: `gently` lets running calls end within the drain time, `at_once` does not."""

    gently: asyncio.Event = field(default_factory=asyncio.Event)
    at_once: asyncio.Event = field(default_factory=asyncio.Event)

    def ask(self) -> None:
        """The first time gently, the second time at once."""
        (self.at_once if self.gently.is_set() else self.gently).set()


async def listen(
    application: Application, sockets: Sequence[socket.socket], options: Listen, stop: Stop
) -> None:
    """Serves `application` on `sockets` until `stop`; returns once everything is closed."""
    if options.engine == "hypercorn":
        await _hypercorn(application, sockets, options, stop)
    else:
        await _uvicorn(application, sockets, options, stop)


async def _uvicorn(
    application: Application, sockets: Sequence[socket.socket], options: Listen, stop: Stop
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
    gently = asyncio.create_task(stop.gently.wait())
    at_once = asyncio.create_task(stop.at_once.wait())
    await asyncio.wait({serving, gently}, return_when=asyncio.FIRST_COMPLETED)
    server.should_exit = True
    await asyncio.wait({serving, at_once}, return_when=asyncio.FIRST_COMPLETED)
    server.force_exit = True
    for waiting in (gently, at_once):
        waiting.cancel()
    await serving


async def _hypercorn(
    application: Application, sockets: Sequence[socket.socket], options: Listen, stop: Stop
) -> None:
    # Only the engine that is used is imported, as above.
    from hypercorn.asyncio import serve  # noqa: PLC0415
    from hypercorn.config import Config  # noqa: PLC0415

    config = Config()
    config.bind = [f"fd://{sock.fileno()}" for sock in sockets]
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
    serving = asyncio.create_task(
        serve(application, config, shutdown_trigger=stop.gently.wait)  # type: ignore[arg-type]  # an ASGI 3 callable
    )
    at_once = asyncio.create_task(stop.at_once.wait())
    await asyncio.wait({serving, at_once}, return_when=asyncio.FIRST_COMPLETED)
    at_once.cancel()
    if not serving.done():
        serving.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await serving
