"""Progress and log messages of one call, on their way to the client that asked for them.

Rate-limited by a bucket of tokens; what comes too fast is dropped, for the next one says more.
Source: MCP 2026-07-28, basic/utilities/progress and server/utilities/logging.
"""

import math
from collections.abc import Callable, Mapping
from typing import Final

from runner.codec.json import encode
from runner.protocol.jsonrpc import Emit
from runner.protocol.metadata import LOG_LEVELS

BURST: Final = 50
"""Notifications of a kind at once."""
PER_SECOND: Final = 20

Monotonic = Callable[[], float]
"""Seconds that never go back."""
_RANK: Final[Mapping[str, int]] = {level: rank for rank, level in enumerate(LOG_LEVELS)}


class _Bucket:
    def __init__(self, monotonic: Monotonic) -> None:
        self._monotonic = monotonic
        self._left: float = BURST
        self._at = monotonic()

    def takes(self) -> bool:
        now = self._monotonic()
        self._left = min(BURST, self._left + (now - self._at) * PER_SECOND)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Reports:
    """The notifications of one call; silent once closed."""

    def __init__(self, emit: Emit, monotonic: Monotonic) -> None:
        self._emit = emit
        self._monotonic = monotonic
        self._is_open = True

    def close(self) -> None:
        """Nothing goes out any more: the answer is next."""
        self._is_open = False

    def progress(
        self, token: str | int, *, has_messages: bool
    ) -> Callable[[float, float | None, str | None], None]:
        """Reports strictly rising progress under `token`; anything else is dropped."""
        bucket = _Bucket(self._monotonic)
        last = -math.inf

        def report(done: float, total: float | None = None, message: str | None = None) -> None:
            nonlocal last
            rises = done > last and math.isfinite(done)
            if not (self._is_open and rises and bucket.takes()):
                return
            last = done
            params: dict[str, object] = {"progressToken": token, "progress": done}
            if total is not None and math.isfinite(total):
                params["total"] = total
            if message is not None and has_messages:
                params["message"] = message
            self._notify("notifications/progress", params)

        return report

    def log(self, lowest: str) -> Callable[[str, object, str | None], None]:
        """Logs to the client at `lowest` or above; an unknown level is a ValueError."""
        bucket = _Bucket(self._monotonic)
        threshold = _RANK[lowest]

        def write(level: str, data: object, logger: str | None = None) -> None:
            if level not in _RANK:
                raise ValueError(f"expected one of {', '.join(LOG_LEVELS)}, found '{level}'")
            if not (self._is_open and _RANK[level] >= threshold and bucket.takes()):
                return
            params: dict[str, object] = {"level": level, "data": data}
            if logger is not None:
                params["logger"] = logger
            self._notify("notifications/message", params)

        return write

    def _notify(self, method: str, params: Mapping[str, object]) -> None:
        self._emit(encode({"jsonrpc": "2.0", "method": method, "params": params}))
