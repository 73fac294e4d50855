"""The binding of a SQL tool: values in, a shaped outcome out; the database threads do the rest."""

import time
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from runner.bindings.sql.collect import Rows
from runner.bindings.sql.lookups import Lookups
from runner.bindings.sql.paging import OFFSET, Pager
from runner.bindings.sql.progress import RowProgress
from runner.bindings.sql.session import Session, SteppedSession, Terms
from runner.bindings.sql.steps import Steps
from runner.bindings.sql.threads import Threads
from runner.bindings.sql.transaction import Done, Step, Transaction
from runner.bindings.sql.wording import RefusedError, refused, told
from runner.catalog.call import Call, Outcome, drop_progress
from runner.catalog.rendering import Values
from runner.catalog.sources import SessionSettings
from runner.catalog.sql import SqlPlan, Statement
from runner.codec.json import Json, encode
from runner.codec.values import plain
from runner.errors import BindingError, Kind

_UNCOUNTED: Final = "It is done; the database does not tell how many rows were changed."
_REPLACED: Final = "Some text was not valid UTF-8; what could not be read is shown as �."


class SqlBinding:
    """Runs one plan on one database."""

    keeps_time: ClassVar[bool] = True

    def __init__(
        self,
        plan: SqlPlan,
        threads: Threads,
        *,
        session: SessionSettings | None,
        pager: Pager | None,
        raises_missing: bool,
        lookups: Lookups | None,
    ) -> None:
        self._session = session
        self._lookups = lookups
        self._plan = plan
        self._threads = threads
        self._pager = pager
        self._transaction = Transaction(plan, raises_missing=raises_missing)

    async def invoke(self, call: Call) -> Outcome:
        """The outcome of one call.

        Raises:
            BindingError: by kind what the database, or a budget, refused.
            ToolError: a check was false.
        """
        values: Values = call.arguments
        if self._pager is not None:
            values = {**values, **self._pager.open(call)}

        if (found := self._look_up(values)) is not None:
            return self._outcome(found, call, values)
        settings = settings_of(self._session, call)
        report = call.context.report
        progress = None if report is drop_progress else RowProgress(report)
        only = self._transaction.only
        if only is not None and self._threads.steps and not self._plan.writes:
            return await self._read(only, call, values, settings, progress)

        def work(session: Session) -> Outcome:
            start = time.monotonic()
            done = self._transaction.run(
                session,
                values,
                call.scope,
                timeout_s=call.timeout_s,
                settings=settings,
                progress=progress,
            )
            self._learn(session, values, time.monotonic() - start)
            return self._outcome(done, call, values)

        return await self._threads.run(
            work, timeout_s=call.timeout_s, may_repeat=not self._plan.writes
        )

    def invoke_within(self, session: Session, call: Call) -> Outcome:
        """In a database thread: the outcome of a call in a transaction that the caller ends.

        Raises:
            BindingError, ToolError: as `invoke`; the transaction is of no use then.
        """
        done = self._transaction.run_within(session, call.arguments, call.scope)
        return self._outcome(done, call, call.arguments)

    async def _read(
        self,
        step: Step,
        call: Call,
        values: Values,
        settings: Sequence[tuple[str, str]],
        progress: RowProgress | None,
    ) -> Outcome:
        """The outcome of a plain read, which needs no thread while it waits."""

        def steps(session: SteppedSession) -> "Steps[Outcome]":  # not evaluated at each call
            done = yield from self._transaction.steps(
                step,
                session,
                values,
                timeout_s=call.timeout_s,
                settings=settings,
                progress=progress,
            )
            return self._outcome(done, call, values)

        return await self._threads.run_steps(steps, timeout_s=call.timeout_s)

    def _look_up(self, values: Values) -> Done | None:
        """What the event loop can tell without a thread."""
        step = self._transaction.only
        if self._lookups is None or step is None:
            return None
        rows = self._lookups.find(step, values)
        if rows is None:
            return None
        done = Done(rows)
        self._transaction.refuse_missing(done)
        return done

    def _learn(self, session: Session, values: Values, took_s: float) -> None:
        """In a database thread: what a run tells of whether the loop may do it the next time."""
        step = self._transaction.only
        if self._lookups is not None and step is not None and not self._plan.writes:
            self._lookups.learn(session, step.ready(session, values), took_s)

    def _outcome(self, done: Done, call: Call, values: Values) -> Outcome:
        rows = done.result
        if rows is None or self._plan.shape == "affected":
            return Outcome(done.affected, note=_UNCOUNTED if done.affected is None else None)
        outcome = Outcome(_shaped(rows, self._plan.shape), columns=rows.columns, packed=rows.packed)
        notes = []
        if rows.is_truncated and self._plan.shape in ("rows", "column"):
            notes.append(self._cut(rows, outcome, call, values))
        if rows.has_replacements:
            notes.append(_REPLACED)
        if notes:
            outcome.note = " ".join(notes)
        return outcome

    def _cut(self, rows: Rows, outcome: Outcome, call: Call, values: Values) -> str:
        """Says what was cut; adds the cursor that goes on."""
        why = " (size limit)" if rows.is_cut_by_bytes else ""
        if self._pager is None or not isinstance(outcome.value, dict) or not rows.count:
            shown = f"Only the first {rows.count} rows are shown{why}"
            return f"{shown}; narrow the request to see others."
        if rows.last_key is not None:
            cursor = self._pager.seal_key(call, rows.last_key)
        else:
            offset = values.get(OFFSET)
            start = offset if isinstance(offset, int) else 0
            cursor = self._pager.seal_offset(call, start + rows.count)
        outcome.value["next"] = cursor
        # In words too: where the text is a table, it does not have `next`.
        return f"There are more rows{why}; to go on, call again with this `cursor`: {cursor}"


def settings_of(session: SessionSettings | None, call: Call) -> Sequence[tuple[str, str]]:
    """What the call's transaction is set to; the role comes last, for it may take rights away."""
    if session is None:
        return ()
    settings: list[tuple[str, str]] = []
    for name, expression in session.settings.items():
        value = expression.evaluate(call.scope)
        text = value if isinstance(value, str) else encode(plain(value)).decode()
        settings.append((name, "" if value is None else text))
    if session.role is not None:
        settings.append(("role", session.role))
    return settings


def _shaped(rows: Rows, shape: str) -> Json:
    if shape == "rows":
        return {"rows": rows.rows, "truncated": rows.is_truncated}
    if shape == "column":
        return [_first_cell(row) for row in rows.rows]
    first = rows.rows[0] if rows.rows else None
    return first if shape == "row" or first is None else _first_cell(first)


def _first_cell(row: Mapping[str, Json]) -> Json:
    return next(iter(row.values()))


class ForeignBinding:
    """Runs the one statement that a client wrote: read-only, in every budget, never kept."""

    keeps_time: ClassVar[bool] = True

    def __init__(self, plan: SqlPlan, threads: Threads, *, session: SessionSettings | None) -> None:
        self._session = session
        self._plan = plan
        self._threads = threads
        self._parameter = plan.client_parameter or ""

    async def invoke(self, call: Call) -> Outcome:
        """The outcome of one call.

        Raises:
            BindingError: by kind; what it would change is `read_only`.
        """
        text = call.arguments.get(self._parameter)
        if not isinstance(text, str) or not text.strip():
            raise refused(Kind.INVALID, field=self._parameter)

        report = call.context.report
        progress = None if report is drop_progress else RowProgress(report)

        def work(session: Session) -> Outcome:
            statement = self._statement(text)
            step = Step(statement, plan=self._plan, is_result=True)
            try:
                return self._run(step, session, terms, progress)
            except RefusedError as error:
                raise told(error, "".join(map(str, statement.parts))) from error.__cause__

        terms = Terms(
            writes=False,
            is_single=True,
            timeout_s=call.timeout_s,
            is_foreign=True,
            settings=settings_of(self._session, call),
        )
        return await self._threads.run(work, timeout_s=call.timeout_s, may_repeat=True)

    def _statement(self, text: str) -> Statement:
        """The parser's verdict where there is a parser; the engine's comes in any case."""
        if self._plan.read_client is not None:
            return self._plan.read_client(text)
        return Statement((text,), returns_rows=True, writes=False)

    def _run(
        self, step: Step, session: Session, terms: Terms, progress: RowProgress | None
    ) -> Outcome:
        session.begin(terms)
        try:
            rows = step.sink({})
            rows.tell = progress
            session.query(step.ready(session, {}), (), rows)
        finally:
            session.rollback()
        if not rows.columns:
            message = f"{self._parameter}: expected a query, found a statement without rows"
            raise BindingError(Kind.INVALID, message, field=self._parameter)
        outcome = Outcome(_shaped(rows, self._plan.shape), columns=rows.columns, packed=rows.packed)
        if rows.is_truncated:
            outcome.note = f"Only the first {rows.count} rows are shown; narrow the request."
        return outcome
