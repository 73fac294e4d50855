"""The live side of `Context`, `Database`, `Http` and `Progress`: one call, usable from any thread.

Everything here may be called from the event loop or from the thread of a sync function. Nothing
blocks the loop, and nothing reaches the client once the call has ended.
"""

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable, Coroutine, Generator, Mapping
from contextlib import suppress
from typing import Any, Generic, TypeVar

from runner.bindings.python.questions import Elicited, check_question, elicited, form, sample
from runner.bindings.python.services import (
    Access,
    DatabaseSource,
    HttpRequest,
    HttpSource,
    PythonServices,
)
from runner.catalog.asking import Link, Question, Roots
from runner.catalog.call import Call, RequestFacts
from runner.catalog.caller import Caller
from runner.catalog.plans import PythonPlan
from runner.errors import BindingError, Kind

T = TypeVar("T")


class CallState:
    """Whether a call still runs, shared by its handles; made and ended on the event loop."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.cancelled = False
        self.ended = False
        self._thread = threading.get_ident()
        self._replies: set[concurrent.futures.Future[Any]] = set()

    def cancel(self) -> None:
        """The call was cancelled or its time is up: what its threads wait for is stopped."""
        self.cancelled = True
        for reply in tuple(self._replies):
            reply.cancel()

    def end(self) -> None:
        """The call has its result; handles that outlive it do nothing any more."""
        self.ended = True

    def check_cancelled(self) -> None:
        """Raises `asyncio.CancelledError` once the call is cancelled."""
        if self.cancelled:
            raise asyncio.CancelledError

    def is_on_loop(self) -> bool:
        """The running code is the event loop's, where nothing may block."""
        return threading.get_ident() == self._thread

    def post(self, report: Callable[[], None]) -> None:
        """Calls `report` on the loop, at once or soon, unless the call has ended by then."""
        if self.is_on_loop():
            self._deliver(report)
            return
        with suppress(RuntimeError):  # the loop is closed: nobody listens
            self.loop.call_soon_threadsafe(self._deliver, report)

    def _deliver(self, report: Callable[[], None]) -> None:
        if not self.ended and not self.cancelled:
            report()

    def wait(self, start: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """What the coroutine gives, run on the loop while this thread waits.

        Raises:
            asyncio.CancelledError: the call is cancelled; the coroutine is too.
        """
        if self.is_on_loop():
            raise RuntimeError("await it: wait() is for sync functions and would block the server")
        self.check_cancelled()
        reply = asyncio.run_coroutine_threadsafe(start(), self.loop)
        self._replies.add(reply)
        if self.cancelled:
            reply.cancel()
        try:
            return reply.result()
        except concurrent.futures.CancelledError:
            raise asyncio.CancelledError from None
        finally:
            self._replies.discard(reply)


class Reply(Generic[T]):
    """Work that starts when it is awaited or waited for (`runner.Pending`)."""

    def __init__(self, state: CallState, start: Callable[[], Coroutine[Any, Any, T]]) -> None:
        self._state = state
        self._start = start

    def __await__(self) -> Generator[Any, None, T]:
        return self._started().__await__()

    def wait(self) -> T:
        """The result, in a sync function."""
        return self._state.wait(self._started)

    async def _started(self) -> T:
        if self._state.ended:
            raise RuntimeError("the call has ended; its handles cannot be used any more")
        return await self._start()


class LiveDatabase:
    """A database for one call (`runner.Database`)."""

    def __init__(self, state: CallState, source: DatabaseSource, access: Access) -> None:
        self._state = state
        self._source = source
        self._access = access

    def query(
        self, sql: str, parameters: Mapping[str, object] | None = None
    ) -> Reply[list[dict[str, Any]]]:
        """The rows of one statement."""
        return Reply(self._state, lambda: self._source.query(sql, parameters or {}, self._access))

    def query_one(
        self, sql: str, parameters: Mapping[str, object] | None = None
    ) -> Reply[dict[str, Any] | None]:
        """The first row, or None."""
        return Reply(
            self._state, lambda: self._source.query_one(sql, parameters or {}, self._access)
        )

    def execute(self, sql: str, parameters: Mapping[str, object] | None = None) -> Reply[int]:
        """How many rows one statement changed; -1 where the driver does not tell."""
        if not self._access.writes:
            raise BindingError(
                Kind.READ_ONLY,
                "the tool may not write",
                reason="execute() in a tool whose `writes` is false",
            )
        return Reply(self._state, lambda: self._source.execute(sql, parameters or {}, self._access))


class LiveHttp:
    """An API for one call (`runner.Http`)."""

    def __init__(self, state: CallState, source: HttpSource, access: Access) -> None:
        self._state = state
        self._source = source
        self._access = access

    def get(self, path: str, *, query: Mapping[str, object] | None = None) -> Reply[Any]:
        """The answer to GET."""
        return self.request("GET", path, query=query)

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
        body: object = None,
    ) -> Reply[Any]:
        """The answer to any method."""
        request = HttpRequest(method.upper(), path, query or {}, headers or {}, body)
        return Reply(self._state, lambda: self._sent(request))

    async def _sent(self, request: HttpRequest) -> object:
        return await self._source.request(request, self._access)


class LiveContext:
    """One call (`runner.Context`)."""

    def __init__(
        self, call: Call, plan: PythonPlan, services: PythonServices, state: CallState
    ) -> None:
        self._call = call
        self._plan = plan
        self._services = services
        self._state = state
        self._asked = 0

    @property
    def caller(self) -> Caller:
        """Who calls."""
        return self._call.context.caller

    @property
    def request(self) -> RequestFacts:
        """What the request says of itself."""
        return self._call.context.request

    @property
    def vars(self) -> Mapping[str, object]:
        """The constants of the file."""
        return self._services.vars

    @property
    def lifespan(self) -> Any:
        """What the file's `lifespan` yielded."""
        return self._services.lifespan

    @property
    def cancelled(self) -> bool:
        """Nobody waits for the result any more."""
        return self._state.cancelled

    def check_cancelled(self) -> None:
        """Raises `asyncio.CancelledError` once the call is cancelled."""
        self._state.check_cancelled()

    def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Reports progress; never blocks."""
        self._state.post(lambda: self._call.context.report(done, total, message))

    def log(self, level: str, data: object, logger: str | None = None) -> None:
        """Logs to the client, where it asked; never blocks."""
        self._state.post(lambda: self._call.context.log(level, data, logger))

    def elicit(
        self, message: str, fields: Mapping[str, Any] | None = None, *, key: str | None = None
    ) -> Reply[Elicited]:
        """Asks the user by a form."""
        return self._one(form(message, fields), key, elicited)

    def elicit_url(self, message: str, url: str, *, key: str | None = None) -> Reply[Elicited]:
        """Asks the user to open an address."""
        return self._one(Link(message, url), key, elicited)

    def sample(
        self,
        prompt: str | list[dict[str, Any]],
        *,
        max_tokens: int = 1000,
        key: str | None = None,
        **rest: object,
    ) -> Reply[Mapping[str, Any]]:
        """Has the client's model write a text."""
        return self._one(sample(prompt, max_tokens, rest), key, lambda reply: reply)

    def roots(self, *, key: str | None = None) -> Reply[list[dict[str, Any]]]:
        """The folders that the client works in."""
        return self._one(Roots(), key, lambda reply: list(reply["roots"]))

    def ask(self, questions: Mapping[str, Question]) -> Reply[Mapping[str, Mapping[str, Any]]]:
        """Several questions at once."""
        return Reply(self._state, lambda: self._answers(questions))

    def _one(
        self, question: Question, key: str | None, read: Callable[[Mapping[str, Any]], T]
    ) -> Reply[T]:
        self._asked += 1
        name = key or f"question_{self._asked}"

        async def answer() -> T:
            return read((await self._answers({name: question}))[name])

        return Reply(self._state, answer)

    async def _answers(self, questions: Mapping[str, Question]) -> Mapping[str, Mapping[str, Any]]:
        for question in questions.values():
            check_question(question)
        return await self._call.context.ask(questions)

    def database(self, name: str | None = None) -> LiveDatabase:
        """A database of the file.

        Raises:
            LookupError: there is none of that name, or several and none is named.
        """
        source = _named("database", name or self._plan.database, self._services.databases)
        return LiveDatabase(self._state, source, self._access())

    def http(self, name: str | None = None) -> LiveHttp:
        """An API of the file.

        Raises:
            LookupError: there is none of that name, or several and none is named.
        """
        source = _named("api", name, self._services.apis)
        return LiveHttp(self._state, source, self._access())

    def injected(self, kind: str, source: str | None) -> object:
        """What a parameter of that kind is given (`PythonPlan.injected`)."""
        match kind:
            case "database":
                return self.database(source)
            case "http":
                return self.http(source)
            case "progress":
                return self.progress
            case "caller":
                return self.caller
            case _:
                return self

    def _access(self) -> Access:
        call = self._call
        return Access(call.context, call.tool, self._plan.writes, call.timeout_s)


def _named(what: str, name: str | None, known: Mapping[str, T]) -> T:
    if name is None and len(known) == 1:
        return next(iter(known.values()))
    if name is None or name not in known:
        raise LookupError(f"no {what} is named {name!r}; there are {', '.join(known) or 'none'}")
    return known[name]
