"""`transaction: true` of a tool with steps: what may be one transaction, and on which database.

Held against the specs of the tools that are called. What cannot be undone with the rest, or would
hide that the transaction is broken, is a fault at its step.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from runner.catalog.plans import StepsTransaction
from runner.compile.site import Site
from runner.compile.words import EMPTY
from runner.config.spec.bindings import SqlForm, StepSpec
from runner.config.spec.tools import ToolSpec
from runner.errors import Kind

_ELSEWHERE = "let the steps of another tool call this one, and do it beside it"


@dataclass(frozen=True, slots=True)
class _Part:
    """One step: what it runs, and whose it is."""

    step: StepSpec
    site: Site
    tool: ToolSpec
    """The called one, or the one with the steps."""

    @property
    def runs(self) -> StepSpec | ToolSpec:
        return self.step if self.step.tool is None else self.tool

    @property
    def sql(self) -> SqlForm | None:
        return self.runs.sql

    @property
    def database(self) -> str | None:
        """As written, or the only one of the file; None: which one is not known."""
        known = self.site.entries("databases")
        own = self.step.database if self.step.tool is None else None
        return own or self.tool.database or (known[0] if len(known) == 1 else None)

    @property
    def is_paged(self) -> bool:
        result = self.tool.result
        is_sql_tool = self.step.tool is not None and self.tool.sql is not None
        return is_sql_tool and result is not None and result.page is not None

    @property
    def writes(self) -> bool:
        return self.tool.writes not in (None, "false")


def compile_transaction(
    tool: ToolSpec, site: Site, tools: Mapping[str, ToolSpec]
) -> StepsTransaction | None:
    """The transaction of the steps of `tool`, whose place is `site`. None: a fault was reported.

    A step whose tool is not in the file is at fault elsewhere.
    """
    parts = list(_parts(tool, site, tools))
    database = _on_one_database(parts)
    fits = [_fits(part) for part in parts]
    if len(parts) < len(tool.steps or ()) or not all(fits):
        return None
    if parts and not any(part.sql for part in parts):
        (site / "transaction").error(
            "transaction-without-sql",
            "expected a step with SQL, since the steps are to be one transaction",
            hint="remove 'transaction'",
        )
    if database is None:
        return None
    return StepsTransaction(database, any(part.sql and part.writes for part in parts))


def _parts(tool: ToolSpec, site: Site, tools: Mapping[str, ToolSpec]) -> Iterator[_Part]:
    for position, step in enumerate(tool.steps or ()):
        place = site / "steps" / position
        if step.tool is None:
            yield _Part(step, place, tool)
        elif step.tool in tools:
            yield _Part(step, place, tools[step.tool])


def _on_one_database(parts: Sequence[_Part]) -> str | None:
    """The database of all; None: there is none, or a fault was reported."""
    known = [part for part in parts if part.sql is not None and part.database is not None]
    others = [part for part in known if part.database != known[0].database]
    for part in others:
        key = "tool" if part.step.tool is not None else "database" if part.step.database else "sql"
        (part.site / key).error(
            "second-database",
            f"step '{part.step.as_}' is on '{part.database}',"
            f" and the transaction on '{known[0].database}'",
            hint="one transaction is of one database; remove 'transaction', or make it two tools",
        )
    return known[0].database if known and not others else None


def _fits(part: _Part) -> bool:
    called = part.step.tool
    fault = _fault(part)
    if fault is not None:
        key, why, hint = fault
        what = "it" if called is None else f"'{called}'"
        (part.site / (key if called is None else "tool")).error(
            "step-outside-transaction",
            f"step '{part.step.as_}' cannot be part of the transaction: {what} {why}",
            hint=hint,
        )
        return False
    return called is None or _tells_failures(part, called)


def _fault(part: _Part) -> tuple[str, str, str] | None:
    """The field that keeps a step out, why, and what to do instead."""
    runs = part.runs
    if runs.http is not None:
        return "http", "calls an API", _ELSEWHERE
    if runs.python is not None:
        return "python", "runs Python", _ELSEWHERE
    if isinstance(runs, ToolSpec) and runs.steps is not None:
        return "steps", "has steps of its own", "write its steps here"
    if runs.sql is not None and runs.sql.parameter is not None:
        return "sql", "lets the client write its statement", "write the statement in the file"
    if part.is_paged:
        return "result", "has pages", "call a tool without 'result.page', or write its SQL here"
    return None


def _tells_failures(part: _Part, called: str) -> bool:
    """No failure that ends the transaction is an empty result to its steps."""
    hidden = [
        kind
        for kind, words in (part.tool.errors or {}).items()
        if words.text == EMPTY and kind != Kind.MISSING
    ]
    if part.sql is None or not hidden:
        return True
    (part.site / "tool").error(
        "empty-in-transaction",
        f"'{called}' makes '{hidden[0]}' an empty result, but the transaction ends with it",
        hint="call a tool that has words for it, or none",
    )
    return False
