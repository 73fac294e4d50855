"""What orchestrators ask of a process: whether it is alive, whether it is ready for calls.

Answered at two paths of the same listener, whatever the `Host`, for a probe calls by address. It
tells nothing but yes or no, so that anyone may ask; no page of a browser can read it.
"""

from dataclasses import dataclass
from typing import Final

from runner.catalog.catalog import ALIVE, READY
from runner.codec.json import encode
from runner.transport.asgi import Header, Scope, Send, respond

PATHS: Final = frozenset({ALIVE, READY})
_HEADERS: Final[tuple[Header, ...]] = (
    (b"content-type", b"application/json"),
    (b"cache-control", b"no-store"),
)
_ALLOW: Final = (b"allow", b"GET, HEAD")


@dataclass(slots=True)
class Standing:
    """How one process stands; whoever serves changes it."""

    is_newest: bool = True
    """What is served is what the files say; after a change that has faults it is not."""
    is_stopping: bool = False
    """It takes no new connections and lets its calls end."""


async def answer_probe(path: str, scope: Scope, send: Send, standing: Standing) -> None:
    """Answers a probe of one of `PATHS`."""
    if scope["method"] not in ("GET", "HEAD"):
        await respond(send, 405, b"", (*_HEADERS, _ALLOW))
        return
    if path == ALIVE:
        await respond(send, 200, encode({"alive": True}), _HEADERS)
        return
    is_ready = not standing.is_stopping
    body = encode({"ready": is_ready, "newest": standing.is_newest})
    await respond(send, 200 if is_ready else 503, body, _HEADERS)
