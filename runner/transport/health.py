"""What orchestrators ask of a process: whether it is alive, whether it is ready for calls.

Answered at two paths of the same listener, whatever the `Host`, for a probe calls by address. It
asks nothing of anybody and tells no more than yes or no and how the databases were reached last, by
their names in the file, so that anyone may ask; no page of a browser can read it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from runner.catalog.catalog import ALIVE, READY
from runner.codec.json import encode
from runner.reach import Reach
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
    reaches: Callable[[], Mapping[str, Reach]] = dict
    """How each database was reached last, by name."""


async def answer_probe(path: str, scope: Scope, send: Send, standing: Standing) -> None:
    """Answers a probe of one of `PATHS`."""
    if scope["method"] not in ("GET", "HEAD"):
        await respond(send, 405, b"", (*_HEADERS, _ALLOW))
        return
    if path == ALIVE:
        await respond(send, 200, encode({"alive": True}), _HEADERS)
        return
    is_ready = not standing.is_stopping
    databases = {name: _shown(reach) for name, reach in standing.reaches().items()}
    body = {"ready": is_ready, "newest": standing.is_newest, "databases": databases}
    await respond(send, 200 if is_ready else 503, encode(body), _HEADERS)


def _shown(reach: Reach) -> Mapping[str, str]:
    failed_at = reach.failed_at
    if failed_at is None:
        return {"state": reach.state}
    return {"state": reach.state, "failedAt": failed_at.isoformat(timespec="seconds")}
