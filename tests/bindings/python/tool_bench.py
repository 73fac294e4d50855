"""Compiles a function and calls it as a tool of a file would be; shared by the tests beside it."""

import asyncio
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from runner import Caller
from runner.bindings.python.binding import PythonBinding
from runner.bindings.python.services import Access, HttpRequest, PythonServices
from runner.bindings.python.threads import Threads
from runner.catalog.call import Call, CallContext, Outcome, RequestFacts
from runner.compile.python.plan import PythonUse, compile_python
from runner.compile.site import Site
from runner.config.nodes import Document, Mapping_, Scalar
from runner.diagnostics import Faults, Position
from runner.errors import CallError

PLACE = Position("mcp.yaml", 1, 1)
NOW = datetime(2026, 7, 28, tzinfo=UTC)
LIMIT_S = 5.0


@dataclass
class Rows:
    """A database that gives the statement back, with its values and the right to write."""

    cancelled: threading.Event = field(default_factory=threading.Event)
    waits: bool = False

    async def query(
        self, sql: str, parameters: Mapping[str, object], access: Access
    ) -> list[dict[str, object]]:
        if self.waits:
            try:
                await asyncio.Event().wait()
            finally:
                self.cancelled.set()
        return [{"sql": sql, **parameters, "by": access.context.caller.user_id}]

    async def query_one(
        self, sql: str, parameters: Mapping[str, object], access: Access
    ) -> dict[str, object] | None:
        return (await self.query(sql, parameters, access))[0]

    async def execute(self, sql: str, parameters: Mapping[str, object], access: Access) -> int:
        return len(sql) if access.writes else -1


class Echo:
    """An API that answers with the request."""

    async def request(self, request: HttpRequest, access: Access) -> object:
        return [request.method, request.path, dict(request.query), request.body, access.tool]


@dataclass
class Bench:
    """Compiles a function and calls it as a tool of a file would be."""

    threads: Threads
    database: Rows = field(default_factory=Rows)
    reports: list[object] = field(default_factory=list)
    writes: bool = False
    declares_output: bool = False
    timeout_s: float = LIMIT_S

    def binding(self, function: Callable[..., object]) -> PythonBinding:
        site = Site(Document("mcp.yaml", Mapping_({}, PLACE)), Faults())
        use = PythonUse(
            databases=["library"],
            apis=["weather"],
            writes=self.writes,
            declares_output=self.declares_output,
        )
        loader = Holding(function)
        compiled = compile_python(Scalar("t:f", PLACE), site, use, loader=loader)
        assert compiled is not None
        assert [fault.code for fault in site.faults.sorted() if fault.severity == "error"] == []
        return PythonBinding(compiled.plan, self.services())

    def services(self) -> PythonServices:
        return PythonServices(
            threads=self.threads,
            error_id=lambda: "e-1",
            databases={"library": self.database},
            apis={"weather": Echo()},
            vars={"region": "eu"},
            lifespan={"started": True},
        )

    def call(self, **arguments: object) -> Call:
        context = CallContext(
            NOW,
            caller=Caller(user_id="ada"),
            request=RequestFacts(client={"name": "test"}),
            report=lambda *report: self.reports.append(report),
            log=lambda *entry: self.reports.append(entry),
        )
        return Call("tool", arguments, context, {}, self.timeout_s)

    async def invoked(self, function: Callable[..., object], **arguments: object) -> Outcome:
        return await self.binding(function).invoke(self.call(**arguments))

    def outcome(self, function: Callable[..., object], **arguments: object) -> Outcome:
        return asyncio.run(self.invoked(function, **arguments))

    def value(self, function: Callable[..., object], **arguments: object) -> object:
        outcome = self.outcome(function, **arguments)
        assert outcome.is_structured
        return outcome.value

    def failure(self, function: Callable[..., object], **arguments: object) -> CallError:
        with pytest.raises(CallError) as caught:
            self.outcome(function, **arguments)
        return caught.value


@dataclass
class Holding:
    held: object

    def load(self, reference: str) -> object:
        return self.held
