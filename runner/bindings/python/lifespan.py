"""The author's `lifespan`: open in each worker from before the first call until after the last."""

import contextlib
import inspect
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager

from runner.bindings.python.failures import explanation
from runner.errors import StartError

log = logging.getLogger("runner.bindings.python")


@contextlib.asynccontextmanager
async def open_lifespan(function: Callable[[], object]) -> AsyncIterator[object]:
    """What the lifespan yields, while it is open; an async generator will do as well.

    What goes wrong when it closes is logged: the server is ending and does so.

    Raises:
        StartError: it raises before it yields, or is no async context manager.
    """
    try:
        manager = _manager(function)
        value = await manager.__aenter__()
    except (Exception, SystemExit) as error:
        log.error("the lifespan failed\n%s", explanation(error, {}))  # noqa: TRY400 - no locals
        raise StartError(
            f"the lifespan failed: {type(error).__name__}", hint="the log has the traceback"
        ) from error
    try:
        yield value
    finally:
        try:
            await manager.__aexit__(None, None, None)
        except (Exception, SystemExit) as error:
            log.error("the lifespan failed to close\n%s", explanation(error, {}))  # noqa: TRY400


def _manager(function: Callable[[], object]) -> AbstractAsyncContextManager[object]:
    found = function()
    if inspect.isasyncgen(found):
        return contextlib.asynccontextmanager(lambda: found)()
    if not isinstance(found, AbstractAsyncContextManager):
        raise TypeError(f"expected an async context manager, found {type(found).__name__}")
    return found
