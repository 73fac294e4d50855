"""The path of one call: check ▸ bind ▸ rules ▸ invoke ▸ shape, within its budgets.

Knows tools and bindings by their protocol only; no transport, no JSON-RPC.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from types import MappingProxyType
from typing import Final

from runner.catalog.allowed_source import AllowedSource
from runner.catalog.call import Binding, Call, CallContext, Outcome, ask_nobody, whole
from runner.catalog.content import TextContent
from runner.catalog.expressions import ABSENT, Scope
from runner.catalog.result import CallResult
from runner.catalog.schema import Arguments
from runner.catalog.tool import Show, Tool
from runner.deadline import Deadline
from runner.errors import BindingError, CallError, ClientCannotError, Kind, ToolError
from runner.invocation.allowed import AllowedValues
from runner.invocation.asking import confirm, in_time, with_asked
from runner.invocation.failures import failed, in_words, recovered
from runner.invocation.long import LongResults, shape_long
from runner.invocation.places import Places
from runner.invocation.scope import bind
from runner.invocation.shape import shape

log = logging.getLogger("runner.call")
_NO_SCOPE: Scope = {}
MAX_SHOWN: Final = 4000
"""Characters of a result that is shown beside a question."""
_OF_THE_CALLER = frozenset(
    {
        Kind.MISSING,
        Kind.UNIQUE,
        Kind.FOREIGN_KEY,
        Kind.NOT_NULL,
        Kind.CHECK,
    }
)
"""Failures that the caller made and can mend: nothing that an operator must know of."""


class Invoker:
    """Calls tools on live bindings; one a worker, made once for a catalog."""

    def __init__(
        self,
        bindings: Mapping[str, Binding],
        *,
        tools: Mapping[str, Tool] = MappingProxyType({}),
        sources: Mapping[str, AllowedSource] = MappingProxyType({}),
        variables: Mapping[str, object],
        concurrency: int,
    ) -> None:
        self._bindings = bindings
        self._tools = tools
        self._variables = variables
        self._places = Places(concurrency)
        self._long_results = LongResults()
        self.allowed = AllowedValues(sources, self._draw)
        """What the arguments of some parameters are held to."""
        self._running = 0
        self._none_runs = asyncio.Event()

    async def ended(self) -> None:
        """Returns when no call runs; none is made after that."""
        while self._running:
            self._none_runs.clear()
            await self._none_runs.wait()

    def _leave(self) -> None:
        self._running -= 1
        if not self._running:
            self._none_runs.set()

    async def call_tool(
        self, tool: Tool, sent: Mapping[str, object], context: CallContext
    ) -> CallResult:
        """The finished result of a call; a failed call is a result with `is_error`.

        Raises:
            InputNeededError: the client has to answer first.
            ClientCannotError: it cannot be asked what the tool needs.
        """
        scope = _NO_SCOPE
        self._running += 1
        try:
            # An ordinary call is spared the coroutine.
            if tool.ask is not None or tool.confirm is not None:
                arguments, scope = await self._asked(tool, sent, context)
            else:
                arguments = tool.input.check(sent)
                if tool.input.allowed:
                    await self.allowed.hold(tool.input.allowed, arguments)
                if tool.needs_scope:
                    scope = self._bind(tool, arguments, context)
            outcome = await self._invoke(
                tool, Call(tool.name, arguments, context, scope, tool.timeout_s)
            )
            if outcome.packed is not None:
                self._long_results.admit(outcome.packed)
                return await shape_long(tool, outcome, outcome.packed, scope)
            return shape(tool, outcome, scope)
        except CallError as error:
            return _failed(tool, error, scope)
        finally:
            self._leave()

    async def prepare(
        self, tool: Tool, sent: Mapping[str, object], context: CallContext
    ) -> CallResult | None:
        """Asks and checks all that a call would before it runs; the result of one that fails there.

        Raises:
            InputNeededError: the client has to answer first.
            ClientCannotError: it cannot be asked what the tool needs.
        """
        try:
            await self._asked(tool, sent, context)
        except CallError as error:
            return _failed(tool, error, _NO_SCOPE)
        return None

    async def _asked(
        self, tool: Tool, sent: Mapping[str, object], context: CallContext
    ) -> tuple[Arguments, Scope]:
        """What a call runs with, once the user has given what it lacks and has confirmed it.

        Raises:
            CallError: it may not run.
            InputNeededError: the client has to answer first.
        """
        patient = in_time(context, tool.timeout_s)
        if tool.ask is not None:
            sent = await with_asked(tool.ask, sent, patient)
        arguments = tool.input.check(sent)
        if tool.input.allowed:
            await self.allowed.hold(tool.input.allowed, arguments)
        scope = self._bind(tool, arguments, context) if tool.needs_scope else _NO_SCOPE
        if tool.confirm is not None:
            await confirm(tool.confirm, scope, patient, partial(self._shown, context))
        return arguments, scope

    async def _shown(self, context: CallContext, show: Show, scope: Scope) -> str:
        """The text of what a read tool returns for a question."""
        tool = self._tools[show.tool]
        built = {name: tree.build(scope) for name, tree in show.arguments.items()}
        sent = {name: value for name, value in built.items() if value is not ABSENT}
        result = await self.call_tool(tool, sent, replace(context, ask=ask_nobody))
        texts = [block.text for block in result.content if isinstance(block, TextContent)]
        if result.is_error:
            raise ToolError("\n".join(texts))
        return _cut("\n".join(texts))

    async def outcome_of(
        self, tool: Tool, sent: Mapping[str, object], context: CallContext
    ) -> Outcome:
        """The outcome of a call made by another tool's step, within the tool's own limits.

        Raises:
            CallError: the call failed.
        """
        arguments = tool.input.check(sent)
        if tool.input.allowed:
            await self.allowed.hold(tool.input.allowed, arguments)
        call = self._call(tool, arguments, context)
        try:
            outcome = whole(await _timed(self._bindings[tool.name], call))
            shape(tool, outcome, call.scope)
        except BindingError as error:
            return recovered(tool, error, call.scope)
        return outcome

    async def ready_within(self, tool: Tool) -> None:
        """Reads what `outcome_within` needs of `tool` and cannot wait for; never fails."""
        await self.allowed.renew(tool.input.allowed)

    def outcome_within(
        self,
        tool: Tool,
        sent: Mapping[str, object],
        context: CallContext,
        run: Callable[[Call], Outcome],
    ) -> Outcome:
        """The outcome of a call that `run` makes, in any thread, as a part of a transaction.

        No failure is recovered from, for the transaction does not go on after one.

        Raises:
            CallError: the call failed.
        """
        arguments = tool.input.check(sent)
        self.allowed.hold_known(tool.input.allowed, arguments)
        call = self._call(tool, arguments, context)
        try:
            outcome = whole(run(call))
            shape(tool, outcome, call.scope)
        except BindingError as error:
            raise in_words(tool, error, call.scope) from error
        return outcome

    def _call(self, tool: Tool, arguments: Arguments, context: CallContext) -> Call:
        scope = self._bind(tool, arguments, context) if tool.needs_scope else _NO_SCOPE
        return Call(tool.name, arguments, context, scope, tool.timeout_s)

    async def run(
        self, tool: Tool, sent: Mapping[str, object], context: CallContext
    ) -> tuple[Outcome, Scope]:
        """The outcome of a call that is no tool's for the client, and the scope it was made in.

        Raises:
            CallError: the call failed.
        """
        self._running += 1
        try:
            arguments = tool.input.check(sent)
            if tool.input.allowed:
                await self.allowed.hold(tool.input.allowed, arguments)
            call = self._call(tool, arguments, context)
            return await self._invoke(tool, call), call.scope
        finally:
            self._leave()

    async def _draw(self, tool: Tool) -> object:
        """What the query of allowed values returns."""
        outcome, _ = await self.run(tool, {}, CallContext(datetime.now(UTC)))
        return outcome.value

    def _bind(self, tool: Tool, arguments: Arguments, context: CallContext) -> Scope:
        """The call's scope; adds the hidden parameters to `arguments` and holds the rules."""
        scope = bind(tool, arguments, context, self._variables)
        for check in tool.checks:
            if not check.that.evaluate(scope):
                raise ToolError(check.otherwise.render(scope))
        return scope

    async def _invoke(self, tool: Tool, call: Call) -> Outcome:
        """The binding's outcome, within the worker's number of calls and the tool's time."""
        binding = self._bindings[tool.name]
        if not self._places.take_free():
            await self._wait_for_place(tool.timeout_s)
        try:
            return await _timed(binding, call)
        finally:
            self._places.leave()

    async def _wait_for_place(self, patience_s: float) -> None:
        try:
            with Deadline(patience_s):
                await self._places.take()
        except TimeoutError as error:
            raise BindingError(
                Kind.BUSY, "the server is busy: too many calls run at this time; try again"
            ) from error


async def _timed(binding: Binding, call: Call) -> Outcome:
    """The outcome of a binding that may not keep its time by itself."""
    if binding.keeps_time:
        return await binding.invoke(call)
    try:
        with Deadline(call.timeout_s):
            return await binding.invoke(call)
    except TimeoutError as error:
        raise BindingError(
            Kind.TIMEOUT, f"the call took longer than {call.timeout_s:g} s and was stopped"
        ) from error


def _cut(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def _failed(tool: Tool, error: CallError, scope: Scope) -> CallResult:
    """The result that says so.

    Raises:
        ClientCannotError: what is no result: the client cannot be asked what the tool needs.
    """
    if isinstance(error, ClientCannotError) and error.required:
        raise error
    _explain(tool, error)
    return failed(tool, error, scope)


def _explain(tool: Tool, error: CallError) -> None:
    """What the operator may know of a failed call: the stable kind and the reason, no values."""
    if isinstance(error, BindingError):
        level = logging.INFO if error.kind in _OF_THE_CALLER else logging.WARNING
        log.log(level, "tool %s failed: %s: %s", tool.name, error.kind, error.reason or error)
        # What is redacted was told where it failed, with the arguments hidden.
        if error.__cause__ is not None and error.kind is not Kind.REDACTED:
            log.debug("tool %s failed in full: %s", tool.name, error.__cause__)
