"""Runs the statements of a plan in one transaction, in a database thread.

Everything that can be made once is made when the tool is provisioned; shapes are prepared on first
use and kept. Nothing is kept of a transaction that fails: an error, a false check, nothing found
where words were given for it, a cancel.
"""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from runner.bindings.sql.collect import Cell, Discarded, Rows, Sink, sealed_bytes
from runner.bindings.sql.progress import RowProgress
from runner.bindings.sql.session import Ready, Session, SteppedSession, Terms, added
from runner.bindings.sql.steps import Steps, Wait
from runner.bindings.sql.wording import RefusedError, refused, uncounted
from runner.catalog.expressions import Scope
from runner.catalog.rendering import Key, Shapes, Slot, TooManyElementsError, Values
from runner.catalog.sql import OptionalPart, ResultColumns, SqlPlan, Statement
from runner.codec.json import Json
from runner.codec.paths import value_at
from runner.errors import BindingError, Kind, ToolError

MAX_SHAPES: Final = 256
"""Texts kept of one statement; beyond, the oldest goes."""
_ROWS_BYTES: Final = len('{"rows":[],"truncated":false}')
_OFFSET_BYTES: Final = sealed_bytes(b"9" * 20)
_NOTHING_DECLARED: Final = ResultColumns()
_NUMBERS: Final = frozenset({"integer", "int64", "number", "decimal"})
_ALL_COLUMNS: Final = re.compile(r"(\bselect\s+|[(.,]\s*)\*", re.IGNORECASE)
_COMPUTES: Final = r"[-+*/%]|\|\||::|\bcast\b|\bconvert\b"
_COMPUTING: Final = re.compile(_COMPUTES, re.IGNORECASE)
_COPYING: Final = re.compile(rf"{_COMPUTES}|\bselect\b", re.IGNORECASE)


@dataclass(slots=True)
class Done:
    """What the statements of a call gave."""

    result: Rows | None = None
    affected: int | None = 0
    """Of the last statement that writes; None where nothing tells that."""


@dataclass(slots=True)
class State:
    """What one transaction knows while it runs."""

    values: Values
    """What statements bind."""
    scope: Scope
    """What checks read."""
    progress: RowProgress | None = None
    """Hears how many rows of the result were read."""
    named: dict[str, Json] = field(default_factory=dict)
    """The `as` rows, for checks."""
    done: Done = field(default_factory=Done)


class Step:
    """One statement, ready to run with any values."""

    def __init__(self, statement: Statement, *, plan: SqlPlan, is_result: bool) -> None:
        self.statement = statement
        self.is_result = is_result
        self._shapes = Shapes(statement)
        self._ready: dict[Key, Ready] = {}
        self._plan = plan
        self._columns = plan.columns if is_result else _NOTHING_DECLARED
        self._keys = tuple(plan.page.key) if plan.page is not None and is_result else ()
        self._envelope = 0
        if is_result and plan.shape == "rows":
            self._envelope = _ROWS_BYTES + (_OFFSET_BYTES if plan.page and not self._keys else 0)
        self._packs = is_result and plan.shape == "rows"
        self._limit = statement.limit if not isinstance(statement.limit, int) else None

    def _key(self, values: Values) -> Key:
        try:
            return () if self._shapes.is_fixed else self._shapes.key(values)
        except TooManyElementsError as error:
            raise BindingError(Kind.TOO_LARGE, str(error), field=error.path[-1]) from error

    def is_prepared(self, values: Values) -> bool:
        """The shape for these values is known; `ready` asks no engine."""
        return self._key(values) in self._ready

    def ready(self, session: Session, values: Values) -> Ready:
        """The shape for these values."""
        key = self._key(values)
        ready = self._ready.get(key)
        if ready is None:
            ready = _keeping_numbers(session.prepare(self._shapes, key))
            if len(self._ready) >= MAX_SHAPES:
                self._ready.pop(next(iter(self._ready)), None)
            self._ready[key] = ready
        return ready

    def bound(self, ready: Ready, values: Values) -> list[object]:
        """What is bound, in order."""
        names = ready.simple_names
        try:
            if names is not None:
                get = values.get
                pairs = zip(ready.encoders, names, strict=True)
                return [encode(get(name)) for encode, name in pairs]
            most = self._plan.max_rows
            pairs_of_slots = zip(ready.encoders, ready.slots, strict=True)
            return [encode(slot_value(slot, values, most)) for encode, slot in pairs_of_slots]
        except ValueError as error:
            raise self._misfit(ready, values, error) from error

    def _misfit(self, ready: Ready, values: Values, error: ValueError) -> BindingError:
        for encode, slot in zip(ready.encoders, ready.slots, strict=True):
            try:
                encode(slot_value(slot, values, self._plan.max_rows))
            except ValueError:
                name = ".".join(slot.bound.path)
                return refused(Kind.INVALID, field=name, reason=str(error))
        return refused(Kind.INVALID, reason=str(error))

    def named(self, error: RefusedError, ready: Ready) -> BindingError:
        """The error with the parameter that the engine tells, or that alone can be meant."""
        meant = set[tuple[str, ...]]() if error.field is not None else self._meant(error, ready)
        if len(meant) != 1:
            return error
        field = ".".join(meant.pop())
        return refused(error.kind, field=field, reason=error.reason, fault=error.fault)

    def _meant(self, error: RefusedError, ready: Ready) -> set[tuple[str, ...]]:
        """The parameters that may be meant."""
        fault = error.fault
        if fault.parameter is not None and fault.parameter < len(ready.slots):
            return {ready.slots[fault.parameter].bound.path}
        if fault.kind not in ("out-of-range", "misfit", "too-long") or self._computes:
            return set()
        is_number = fault.kind == "out-of-range"
        bounds = [slot.bound for slot in ready.slots]
        return {bound.path for bound in bounds if bound.type in _NUMBERS or not is_number}

    @property
    def _computes(self) -> bool:
        """Values of rows, or of what is computed, may be meant as well."""
        parts = self.statement.parts
        inner = [part.parts if isinstance(part, OptionalPart) else [part] for part in parts]
        texts = [text for some in inner for text in some if isinstance(text, str)]
        pattern = _COPYING if self.statement.writes else _COMPUTING
        return pattern.search(_ALL_COLUMNS.sub("", " ".join(texts))) is not None

    def sink(self, values: Values) -> Rows:
        """Where the rows go, within the budgets."""
        most = self._plan.max_rows
        if not self.is_result or self._plan.shape in ("row", "value"):
            most = 1
        elif self._limit is not None:
            most = _limited(value_at(values, self._limit.path), most)
        return Rows(
            self._columns,
            max_rows=most,
            max_bytes=self._plan.max_bytes,
            keys=self._keys,
            envelope=self._envelope,
            packs=self._packs,
        )


def _keeping_numbers(ready: Ready) -> Ready:
    """The same, refusing for a `number` what none keeps exactly: engines round it, or answer with
    what is no number to a client."""
    if all(slot.bound.type != "number" for slot in ready.slots):
        return ready
    pairs = zip(ready.slots, ready.encoders, strict=True)
    encoders = [_exact(e, slot) if slot.bound.type == "number" else e for slot, e in pairs]
    return replace(ready, encoders=tuple(encoders))


def _exact(encode: Callable[[object], object], slot: Slot) -> Callable[[object], object]:
    def checked(value: object) -> object:
        numbers = value if isinstance(value, list | tuple) else (value,)
        if not all(map(_is_kept, numbers)):
            name = ".".join(slot.bound.path)
            message = f"'{name}' has more digits than a number keeps; 'int64' and 'decimal' keep it"
            raise BindingError(Kind.INVALID, message, field=name)
        return encode(value)

    return checked


def _is_kept(value: object) -> bool:
    try:
        return not isinstance(value, int) or float(value) == value
    except OverflowError:
        return False


def slot_value(slot: Slot, values: Values, max_rows: int) -> object:
    """What is bound there, not yet encoded: of a limit one more, which shows that there is more."""
    value = value_at(values, slot.bound.path)
    if slot.element is not None and isinstance(value, list | tuple):
        return value[min(slot.element, len(value) - 1)]
    return _limited(value, max_rows) + 1 if slot.bound.is_limit else value


def _limited(value: object, most: int) -> int:
    """A limit within the budget; null or below zero is no limit of its own."""
    return min(value, most) if isinstance(value, int) and value >= 0 else most


class Transaction:
    """The statements of one tool."""

    def __init__(self, plan: SqlPlan, *, raises_missing: bool) -> None:
        self._plan = plan
        self._raises_missing = raises_missing and plan.shape in ("row", "value", "affected")
        self._steps = tuple(
            Step(statement, plan=plan, is_result=index == plan.result)
            for index, statement in enumerate(plan.statements)
        )
        only = self._steps[0] if len(self._steps) == 1 else None
        self.is_single = only is not None and only.statement.each is None
        self.only = only if self.is_single and only is not None and _is_plain(only) else None
        """The one statement, where it is a read of which nothing is asked but its rows."""

    def run(
        self,
        session: Session,
        values: Values,
        scope: Scope,
        *,
        timeout_s: float,
        settings: Sequence[tuple[str, str]] = (),
        progress: RowProgress | None = None,
    ) -> Done:
        """What the statements give; commits if the tool writes, else rolls back.

        An engine may end a statement whose time is over early without a word.
        """
        writes = self._plan.writes
        ends_at = time.monotonic() + timeout_s
        session.begin(Terms(writes, self.is_single, timeout_s, settings=settings))
        try:
            done = self.run_within(session, values, scope, progress)
            if writes:
                commit_in_time(session, ends_at)
        finally:
            session.rollback()  # no-op after a commit
        return done

    def run_within(
        self, session: Session, values: Values, scope: Scope, progress: RowProgress | None = None
    ) -> Done:
        """What the statements give in a transaction that is open, and that the caller ends.

        Raises:
            BindingError, ToolError: one failed, or a check does not hold; no more can be run in it.
        """
        if self.only is not None:
            done = self._run_only(self.only, session, values, progress)
        else:
            done = self._run_all(session, State(values, scope, progress))
        self.refuse_missing(done)
        return done

    def steps(
        self,
        step: Step,
        session: SteppedSession,
        values: Values,
        *,
        timeout_s: float,
        settings: Sequence[tuple[str, str]] = (),
        progress: RowProgress | None = None,
    ) -> Steps[Done]:
        """As `run`, of the plain read `only`; while it waits it needs no thread."""
        session.begin(Terms(writes=False, is_single=True, timeout_s=timeout_s, settings=settings))
        try:
            if not step.is_prepared(values):
                yield Wait.THREAD
            ready = step.ready(session, values)
            rows = step.sink(values)
            rows.tell = progress
            try:
                yield from session.query_steps(ready, step.bound(ready, values), rows)
            except RefusedError as error:
                raise step.named(error, ready) from error.__cause__
            if not session.is_clean:
                yield Wait.THREAD
        except Exception:
            yield Wait.THREAD
            session.rollback()
            raise
        session.rollback()
        done = Done(rows)
        self.refuse_missing(done)
        return done

    @staticmethod
    def _run_only(
        step: Step, session: Session, values: Values, progress: RowProgress | None
    ) -> Done:
        ready = step.ready(session, values)
        rows = step.sink(values)
        rows.tell = progress
        try:
            session.query(ready, step.bound(ready, values), rows)
        except RefusedError as error:
            raise step.named(error, ready) from error.__cause__
        return Done(rows)

    def refuse_missing(self, done: Done) -> None:
        """Refuses a result without what the tool has words for when it is missing."""
        if not self._raises_missing:
            return
        count = done.result.count if done.result else done.affected
        if count is None:
            raise uncounted("errors: missing")
        if not count:
            raise refused(Kind.MISSING)

    def _run_all(self, session: Session, state: State) -> Done:
        for step in self._steps:
            statement = step.statement
            if statement.if_sent is not None and statement.if_sent not in state.values:
                continue
            if statement.each is not None:
                self._run_each(step, session, state)
            else:
                self._run_step(step, session, state, {})
        return state.done

    def _run_each(self, step: Step, session: Session, state: State) -> None:
        statement = step.statement
        elements = state.values.get(statement.each or "")
        if not isinstance(elements, list | tuple):
            return
        is_batch = not (statement.returns_rows or statement.checks or statement.as_name)
        if is_batch:
            self._run_batch(step, session, state, elements)
            return
        affected: int | None = 0
        for index, item in enumerate(elements):
            more = self._run_step(step, session, state, {"item": item, "index": index})
            affected = added(affected, more)
        if statement.writes:
            state.done.affected = affected

    @staticmethod
    def _run_batch(step: Step, session: Session, state: State, elements: Sequence[object]) -> None:
        """One `executemany` for each shape that the elements have, in their order."""
        affected: int | None = 0
        pending: list[list[object]] = []
        previous: Ready | None = None
        for index, item in enumerate(elements):
            values = {**state.values, "item": item, "index": index}
            ready = step.ready(session, values)
            if previous is not None and ready is not previous:
                affected = added(affected, _changed(step, session, previous, pending))
                pending = []
            previous = ready
            pending.append(step.bound(ready, values))
        if previous is not None:
            affected = added(affected, _changed(step, session, previous, pending))
        if step.statement.writes:
            state.done.affected = affected

    def _run_step(
        self, step: Step, session: Session, state: State, element: Mapping[str, object]
    ) -> int | None:
        """Runs it once; how many rows it changed or returned."""
        statement = step.statement
        values = {**state.values, **element} if element else state.values
        ready = step.ready(session, values)
        bound = step.bound(ready, values)
        try:
            if statement.returns_rows:
                count: int | None = self._query(step, session, state, ready, bound)
            else:
                count = session.change(ready, bound)
        except RefusedError as error:
            raise step.named(error, ready) from error.__cause__
        if count is None and any("rows" in check.names for check in statement.checks):
            raise uncounted("check")
        if statement.writes:
            state.done.affected = count
        self._check(statement, state, {**element, "rows": count})
        return count

    def _query(
        self, step: Step, session: Session, state: State, ready: Ready, bound: Sequence[object]
    ) -> int:
        statement = step.statement
        counter = Discarded()
        rows = step.sink(state.values)
        if step.is_result:
            rows.tell = state.progress
        is_seen = step.is_result or statement.as_name is not None
        sink: Sink = _Counted(rows, counter) if is_seen else counter
        session.query(ready, bound, sink)
        if step.is_result:
            state.done.result = rows
        if statement.as_name is not None:
            state.values = {**state.values, statement.as_name: rows.first}
            state.named[statement.as_name] = rows.rows[0] if rows.rows else None
        return counter.count

    @staticmethod
    def _check(statement: Statement, state: State, names: Mapping[str, object]) -> None:
        if not statement.checks:
            return
        scope = {**state.scope, **state.named, **names}
        for check in statement.checks:
            if not check.that.evaluate(scope):
                raise ToolError(check.otherwise.render(scope))


def commit_in_time(session: Session, ends_at: float) -> None:
    """Keeps what the transaction did, unless its time is over.

    Raises:
        BindingError: it is, or the engine refuses to keep it.
    """
    if time.monotonic() >= ends_at:
        raise refused(Kind.TIMEOUT)
    session.commit()


def _changed(
    step: Step, session: Session, ready: Ready, values: Sequence[Sequence[object]]
) -> int | None:
    try:
        return session.change_many(ready, values)
    except RefusedError as error:
        raise step.named(error, ready) from error.__cause__


def _is_plain(step: Step) -> bool:
    """Nothing is asked of it but its rows."""
    statement = step.statement
    return (
        step.is_result
        and statement.returns_rows
        and statement.if_sent is None
        and not (statement.checks or statement.as_name or statement.writes)
    )


class _Counted:
    """A sink that keeps what one wants and counts what came."""

    def __init__(self, rows: Rows, counter: Discarded) -> None:
        self._rows = rows
        self._counter = counter
        self.wanted = rows.wanted
        self.max_bytes = rows.max_bytes
        self.has_replacements = False

    def start(self, columns: Sequence[str], decoders: Mapping[int, Cell]) -> None:
        self._counter.count = 0
        self._rows.start(columns, decoders)

    def add(self, rows: Sequence[Sequence[object]]) -> bool:
        self._counter.count += len(rows)
        wants_more = self._rows.add(rows)
        self.wanted = self._rows.wanted
        return wants_more

    def overflow(self) -> None:
        self._rows.overflow()
