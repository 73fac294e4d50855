"""How many calls run at once in a worker; who finds no place waits in turn.

`asyncio.Semaphore` does the same in three times the time, which every call would pay.
"""

import asyncio
from collections import deque
from contextlib import suppress


class Places:
    """So many places; each that is taken is left again."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: deque[asyncio.Future[None]] = deque()

    def take_free(self) -> bool:
        """Takes a place if one is free and nobody waits for it; whether it did."""
        if self._free <= 0 or self._waiting:
            return False
        self._free -= 1
        return True

    async def take(self) -> None:
        """Takes a place as soon as there is one, in the order of who asked."""
        if self.take_free():
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave()  # it was given one that nobody takes
            raise
        finally:
            with suppress(ValueError):  # who was given a place does not wait any more
                self._waiting.remove(turn)

    def leave(self) -> None:
        """Gives the place to who waits longest, or makes it free."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
