"""Suggestions for what a user types: matched from a list, or given by a hidden tool."""

from collections.abc import Iterator, Mapping, Sequence

from runner.catalog.call import CallContext, Outcome, whole
from runner.catalog.completion import MAX_SUGGESTIONS, TYPED, Completion, Suggestions
from runner.catalog.plans import PythonPlan
from runner.catalog.tool import Tool
from runner.codec.json import encode
from runner.errors import BindingError, Kind
from runner.invocation.call import Invoker


class Completer:
    """Completes on live bindings."""

    def __init__(self, invoker: Invoker, suggesters: Mapping[str, Tool]) -> None:
        self._invoker = invoker
        self._suggesters = suggesters

    async def complete(
        self, completion: Completion, typed: str, chosen: Mapping[str, str], context: CallContext
    ) -> Suggestions:
        """The suggestions for `typed`; `chosen` are the other arguments so far.

        Raises:
            CallError: the source failed; `ArgumentsError` where a chosen argument does not fit.
        """
        if completion.source is not None:
            allowed = await self._invoker.allowed.values(completion.source)
            return _first(_matching([str(v) for v in allowed.ordered], typed), is_whole=True)
        if completion.suggester is None:
            return _first(_matching(completion.values, typed), is_whole=True)
        tool = self._suggesters[completion.suggester]
        known = {name: text for name, text in chosen.items() if name in tool.input.parameters}
        outcome, _ = await self._invoker.run(tool, {**known, TYPED: typed}, context)
        outcome = whole(outcome)
        values = list(dict.fromkeys(_texts(outcome)))
        # A query and a folder stop early; what was cut says so.
        ends = isinstance(tool.plan, PythonPlan) or len(values) <= MAX_SUGGESTIONS
        return _first(values, is_whole=ends and outcome.note is None)


def _first(values: Sequence[str], *, is_whole: bool) -> Suggestions:
    return Suggestions(
        values[:MAX_SUGGESTIONS],
        len(values) if is_whole else None,
        not is_whole or len(values) > MAX_SUGGESTIONS,
    )


def _matching(values: Sequence[str], typed: str) -> Sequence[str]:
    """Those that begin with what was typed, in any case: the same text first, then the same case,
    then the author's order."""
    folded = typed.casefold()
    found = [value for value in values if value.casefold().startswith(folded)]
    return sorted(found, key=lambda value: (value != typed, not value.startswith(typed)))


def _texts(outcome: Outcome) -> Iterator[str]:
    """The values as texts, without nulls."""
    if not outcome.is_structured or not isinstance(outcome.value, list):
        raise _no_texts()
    for value in outcome.value:
        match value:
            case None:
                continue
            case str():
                yield value
            case bool() | int() | float():
                yield encode(value).decode()
            case _:
                raise _no_texts()


def _no_texts() -> BindingError:
    return BindingError(
        Kind.REDACTED, "there are no suggestions", reason="its source gives no list of texts"
    )
