"""The author's `lifespan`: open in each worker from before the first call until after the last."""

import contextlib
import inspect
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial

from runner.bindings.python.failures import explanation
from runner.errors import StartError
from runner.unexpected import log_unexpected, place_of

log = logging.getLogger("runner.bindings.python")


@contextlib.asynccontextmanager
async def open_lifespan(function: Callable[[], object]) -> AsyncIterator[object]:
    """What the lifespan yields, while it is open; an async generator will do as well.

    An author's code may raise anything, `SystemExit` included, so that all of it is caught here.
    What goes wrong when it closes is logged: the server is ending and does so.

    Raises:
        StartError: it raises before it yields, or is no async context manager.
    """
    try:
        manager = _manager(function)
        value = await manager.__aenter__()
    except (Exception, SystemExit) as error:
        log_unexpected(log, error, "the lifespan failed", explain=partial(explanation, error, {}))
        raise StartError(
            f"the lifespan failed: {place_of(error)}",
            hint="-v, or MCP_RUN_LOG=debug, shows the traceback",
        ) from error
    try:
        yield value
    finally:
        try:
            await manager.__aexit__(None, None, None)
        except (Exception, SystemExit) as error:
            log_unexpected(
                log, error, "the lifespan failed to close", explain=partial(explanation, error, {})
            )


def _manager(function: Callable[[], object]) -> AbstractAsyncContextManager[object]:
    found = function()
    if inspect.isasyncgen(found):
        return contextlib.asynccontextmanager(lambda: found)()
    if not isinstance(found, AbstractAsyncContextManager):
        raise TypeError(f"expected an async context manager, found {type(found).__name__}")
    return found
