"""A time limit for the work of the current task, cheap enough for every call.

`asyncio.timeout` does the same in three times the time: it keeps states and can be moved, which no
call needs. Knows nothing of what is limited.
"""

import asyncio
from types import TracebackType
from typing import Self


class Deadline:
    """A block of work, entered once, that may take `seconds`; then its task is cancelled.

    Raises (at the end of the block):
        TimeoutError: the time was up, even if the work swallowed the cancellation.
    """

    __slots__ = ("_cancelling", "_is_over", "_seconds", "_timer", "task")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._is_over = False

    def __enter__(self) -> Self:
        loop = asyncio.get_running_loop()
        task = asyncio.current_task(loop)
        if task is None:
            raise RuntimeError("a deadline cancels a task, and none runs here")
        self.task: asyncio.Task[object] = task
        """The task whose work is limited."""
        self._cancelling = task.cancelling()
        self._timer = loop.call_later(self._seconds, self._cancel)
        return self

    def _cancel(self) -> None:
        self._is_over = True
        self.task.cancel()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        if not self._is_over:
            return
        # Somebody else may have cancelled the task as well; then that counts.
        is_ours = self.task.uncancel() <= self._cancelling
        if is_ours and (kind is None or kind is asyncio.CancelledError):
            raise TimeoutError from error
