"""Databases as Python functions get them: the same bindings, budgets and guards as tools.

A statement of a function becomes a plan of its own, which is kept, so that it is read once.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from runner.bindings.python.services import Access
from runner.bindings.sql.database import SqlDatabase
from runner.catalog.call import Binding, Call, drop_progress
from runner.catalog.expressions import Scope
from runner.catalog.sql import SqlPlan
from runner.errors import BindingError, Kind

ReadStatement = Callable[[str, frozenset[str], bool], SqlPlan]
"""The plan of one statement: its text, the names of its parameters, whether it may write.

Raises:
    BindingError: it is no single statement, or names a parameter that is not given.
"""
MAX_KEPT_STATEMENTS: Final = 256
"""A function with more texts than this makes them of values, which binding is for."""
UNKNOWN_COUNT: Final = -1
_NO_SCOPE: Final[Scope] = {}


class DatabaseHandle:
    """A database as `runner.bindings.python` needs it."""

    def __init__(self, database: SqlDatabase, read: ReadStatement) -> None:
        self._database = database
        self._read = read
        self._kept: dict[tuple[str, frozenset[str], bool, bool], Binding] = {}

    async def query(
        self, sql: str, parameters: Mapping[str, object], access: Access
    ) -> list[dict[str, object]]:
        """The rows of one statement, JSON-safe; a function never gets a part without knowing."""
        value = await self._run(sql, parameters, access)
        if not isinstance(value, dict):
            return []
        if value["truncated"]:
            message = "a query of the tool finds more rows than it may take; ask for less"
            raise BindingError(Kind.TOO_LARGE, message, reason="a query is over its budget")
        return list(value["rows"])

    async def query_one(
        self, sql: str, parameters: Mapping[str, object], access: Access
    ) -> dict[str, object] | None:
        """The first row, however many there are."""
        value = await self._run(sql, parameters, access)
        rows = value["rows"] if isinstance(value, dict) else []
        return rows[0] if rows else None

    async def execute(self, sql: str, parameters: Mapping[str, object], access: Access) -> int:
        """How many rows one statement changed; -1 where nothing tells that, as in DB-API."""
        value = await self._run(sql, parameters, access, counts=True)
        if isinstance(value, dict):  # a query
            return 0
        return value if isinstance(value, int) else UNKNOWN_COUNT

    async def _run(
        self, sql: str, parameters: Mapping[str, object], access: Access, *, counts: bool = False
    ) -> object:
        key = (sql, frozenset(parameters), access.writes, counts)
        binding = self._kept.get(key)
        if binding is None:
            if len(self._kept) >= MAX_KEPT_STATEMENTS:
                self._kept.clear()
            plan = self._read(*key[:3])
            if counts and any(statement.writes for statement in plan.statements):
                plan = replace(plan, result=None, shape="affected")
            binding = self._kept[key] = self._database.binding(plan, access.tool)
        return (await binding.invoke(_call(dict(parameters), access))).value


def _call(arguments: dict[str, object], access: Access) -> Call:
    context = access.context
    if context.report is not drop_progress:
        # What a function reports is its own: rows of a query would stand between.
        context = replace(context, report=drop_progress)
    return Call(access.tool, arguments, context, _NO_SCOPE, access.timeout_s)
