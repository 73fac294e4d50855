"""Steps in one transaction: one piece of work of one database thread, on one connection.

Whatever ends it early undoes every step: a failed statement, a false check, an argument or a result
that does not fit, the time limit, a cancel.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from runner.bindings.sql.binding import settings_of
from runner.bindings.sql.progress import from_thread
from runner.bindings.sql.session import Session, Terms
from runner.bindings.sql.threads import Threads
from runner.bindings.sql.transaction import commit_in_time
from runner.bindings.steps import Results, Within, arguments_of, named
from runner.catalog.call import Call, Outcome, Report, drop_progress, whole
from runner.catalog.plans import Step, StepsPlan
from runner.catalog.sources import SessionSettings
from runner.errors import CallError
from runner.invocation.scope import ExtendedScope

RunStep = Callable[[Session, Call], Outcome]
"""Runs what a step runs, in the transaction that is open.

Raises:
    CallError: it failed, and the transaction with it.
"""


@dataclass(frozen=True, slots=True)
class StepsTransactionBinding:
    """Runs a plan of steps whose steps are SQL of one database, and values."""

    keeps_time: ClassVar[bool] = True
    plan: StepsPlan
    writes: bool
    threads: Threads
    session: SessionSettings | None
    run_step: Mapping[str, RunStep]
    """By the step's name."""
    within: Within

    async def invoke(self, call: Call) -> Outcome:
        """The map of the steps' results, or what `select` makes of it.

        Raises:
            CallError: a step failed, which the text names, or the transaction; nothing is kept.
        """
        for tool in dict.fromkeys(step.tool for step in self.plan.steps if step.tool is not None):
            await self.within.ready(tool)
        run = _Run(self, call, settings_of(self.session, call), from_thread(call.context.report))
        try:
            outcome = await self.threads.run(
                run.work, timeout_s=call.timeout_s, may_repeat=not self.writes
            )
        except CallError as error:
            if run.step is None:
                raise
            raise named(run.step, error) from error
        total = len(self.plan.steps)
        call.context.report(total, total, None)
        return outcome


@dataclass(slots=True)
class _Run:
    """One call; `work` is called in a database thread, and once more on a lost connection."""

    binding: StepsTransactionBinding
    call: Call
    settings: Sequence[tuple[str, str]]
    tell: Report
    step: Step | None = field(default=None, init=False)
    """The one that runs."""

    def work(self, session: Session) -> Outcome:
        """The outcome of all steps; commits if one of them may write, else rolls back."""
        self.step = None
        writes, timeout_s = self.binding.writes, self.call.timeout_s
        ends_at = time.monotonic() + timeout_s
        session.begin(Terms(writes, is_single=False, timeout_s=timeout_s, settings=self.settings))
        try:
            outcome = self._all(session)
            if writes:
                commit_in_time(session, ends_at)
        finally:
            session.rollback()  # no-op after a commit
        return outcome

    def _all(self, session: Session) -> Outcome:
        plan, call = self.binding.plan, self.call
        results = Results(plan)
        quiet = replace(call.context, report=drop_progress)  # it belongs to the event loop
        scope = ExtendedScope(call.scope, results.values)
        inside = replace(call, scope=scope, context=quiet)
        for done, step in enumerate(plan.steps):
            self.tell(done, len(plan.steps), step.name)
            self.step = step
            results.add(step, self._run(step, session, inside, results))
        self.step = None
        return results.outcome()

    def _run(self, step: Step, session: Session, call: Call, results: Results) -> Outcome:
        run = self.binding.run_step[step.name]
        if step.tool is None:
            return whole(run(session, results.inline_call(call)))
        arguments = arguments_of(step, call.scope)
        return self.binding.within.call(
            step.tool, arguments, call, lambda called: run(session, called)
        )
