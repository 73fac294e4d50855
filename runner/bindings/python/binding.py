"""Calls an author's function: arguments in, outcome out, whatever the function does.

Async functions run on the loop and are cancelled; sync ones run in a thread and are told. What
the author words (`ToolError`) passes; everything else that is raised becomes an error id.
"""

import asyncio
import inspect
import logging
from collections.abc import Awaitable
from functools import partial
from typing import ClassVar

from runner.bindings.python.context import CallState, LiveContext
from runner.bindings.python.failures import explanation, only_cause
from runner.bindings.python.results import outcome_of
from runner.bindings.python.services import PythonServices
from runner.catalog.asking import InputNeededError
from runner.catalog.call import Call, Outcome
from runner.catalog.plans import PythonPlan
from runner.deadline import Deadline
from runner.errors import BindingError, CallError, Kind
from runner.unexpected import log_unexpected

log = logging.getLogger("runner.bindings.python")


class PythonBinding:
    """The live runner of a `PythonPlan`."""

    keeps_time: ClassVar[bool] = True

    def __init__(self, plan: PythonPlan, services: PythonServices) -> None:
        self._plan = plan
        self._services = services
        self._needs_state = bool(plan.injected) or not plan.is_async

    async def invoke(self, call: Call) -> Outcome:
        """The outcome of one call.

        Raises:
            CallError: the function raised it, an argument does not fit its hint, the time is up
                (`timeout`), no thread is free (`busy`), or it failed (`redacted`).
        """
        state = CallState() if self._needs_state else None
        try:
            with Deadline(call.timeout_s) as limit:
                return await self._outcome(call, state, limit.task)
        except TimeoutError as error:
            raise BindingError(
                Kind.TIMEOUT, f"the call took longer than {call.timeout_s:g} s and was stopped"
            ) from error
        finally:
            if state is not None:
                state.end()

    async def _outcome(
        self, call: Call, state: CallState | None, task: "asyncio.Task[object]"
    ) -> Outcome:
        try:
            returned = self._called(call) if state is None else self._called_with(state, call)
            return outcome_of(await returned, self._plan)
        except GeneratorExit as error:
            if not _is_current(task):
                raise
            raise self._redacted(call, error) from error
        except asyncio.CancelledError as error:
            if task.cancelling():
                if state is not None:
                    state.cancel()
                raise
            raise self._redacted(call, error) from error
        except BaseException as error:
            # An author's function may raise anything; `SystemExit` must not end the server.
            cause = only_cause(error)
            if isinstance(cause, CallError | InputNeededError):
                raise cause from None
            raise self._redacted(call, error) from error

    def _called(self, call: Call) -> Awaitable[object]:
        """What an async function that is given its arguments only will return."""
        function = self._plan.function
        return function(**self._arguments(call))  # type: ignore[return-value]  # `is_async` says so

    async def _called_with(self, state: CallState, call: Call) -> object:
        """What a function returns whose call is told when nobody waits for it any more."""
        arguments = {**self._arguments(call)}  # which may be the call's own
        if self._plan.injected:
            context = LiveContext(call, self._plan, self._services, state)
            for name, kind in self._plan.injected.items():
                arguments[name] = context.injected(kind, self._plan.sources.get(name))
        function = self._plan.function
        if self._plan.is_async:
            returned = function(**arguments)
            return await returned  # type: ignore[misc]  # `is_async`: it is awaitable
        threads = self._services.threads
        value = await threads.result(threads.submit(lambda: function(**arguments)))
        return await value if inspect.isawaitable(value) else value

    def _arguments(self, call: Call) -> dict[str, object]:
        """The call's arguments that the function takes, as its hints say."""
        plan = self._plan
        arguments = call.arguments
        if not plan.takes_arguments_whole:
            accepts = plan.accepts
            arguments = {name: value for name, value in arguments.items() if name in accepts}
        builders = plan.builders
        if not builders:
            return arguments
        return {
            name: builders[name](value) if name in builders else value
            for name, value in arguments.items()
        }

    def _redacted(self, call: Call, error: BaseException) -> BindingError:
        error_id = self._services.error_id()
        log_unexpected(
            log,
            error,
            f"tool {call.tool}",
            error_id=error_id,
            explain=partial(explanation, error, call.arguments),
        )
        return BindingError(
            Kind.REDACTED,
            f"the tool failed unexpectedly; error id {error_id}",
            reason=f"error id {error_id}: {type(error).__name__}",
        )


def _is_current(task: "asyncio.Task[object] | None") -> bool:
    """The task runs: its coroutine is not being closed from outside, after its loop."""
    try:
        return asyncio.current_task() is task
    except RuntimeError:  # no loop runs
        return False
