"""What an author's function may ask for by annotation, and what it may do with it.

These are the types that authors import from `runner`; a parameter annotated with one is filled by
the program and never listed. `runner.bindings.python` makes the live objects behind them.
"""

from collections.abc import Generator, Mapping
from typing import Any, Protocol, TypeVar

from runner.catalog.asking import Question
from runner.catalog.call import RequestFacts
from runner.catalog.caller import Caller

T_co = TypeVar("T_co", covariant=True)


class Pending(Protocol[T_co]):
    """Work that runs on the server's event loop: await it, or `wait()` for it in a sync function.

    Nothing starts before either; each may be used once.
    """

    def __await__(self) -> Generator[Any, None, T_co]:
        """The result, in an async function."""

    def wait(self) -> T_co:
        """The result, in a sync function; blocks its thread alone.

        Raises:
            RuntimeError: called on the event loop, where it would wait for itself.
            asyncio.CancelledError: the call was cancelled or its time is up.
        """


class Progress(Protocol):
    """Reports how far the work is; never blocks, and does nothing once the call has ended."""

    def __call__(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Says that `done` of `total` is done; `done` rises from call to call."""


class Database(Protocol):
    """A database of the file, with its budgets, its session settings and the tool's rights.

    Values are bound by the driver as `:name`; rows are JSON-safe (see `runner.codec.values`).
    `Any` here is JSON: what an author does with a row is the author's to say.
    """

    def query(
        self, sql: str, parameters: Mapping[str, object] | None = None
    ) -> Pending[list[dict[str, Any]]]:
        """The rows of one statement."""

    def query_one(
        self, sql: str, parameters: Mapping[str, object] | None = None
    ) -> Pending[dict[str, Any] | None]:
        """The first row, or None."""

    def execute(self, sql: str, parameters: Mapping[str, object] | None = None) -> Pending[int]:
        """How many rows one statement changed; only in a tool with `writes`."""


class Http(Protocol):
    """An API of the file: its address, credentials, retries and limits. Paths stay below its URL.

    Each gives the decoded body; an upstream status of 400 or more ends the call unless caught.
    """

    def get(self, path: str, *, query: Mapping[str, object] | None = None) -> Pending[Any]:
        """The answer to GET."""

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
        body: object = None,
    ) -> Pending[Any]:
        """The answer to any other method; `body` is sent as JSON."""


class Elicited(Protocol):
    """What a user did with a form."""

    action: str
    """`accept`, `decline` or `cancel`."""
    content: Mapping[str, Any]
    """The fields, where it was accepted; they fit the form's schema."""

    def __bool__(self) -> bool:
        """It was accepted."""


class Context(Protocol):
    """One call, as the author's function sees it."""

    @property
    def caller(self) -> Caller:
        """Who calls."""

    @property
    def request(self) -> RequestFacts:
        """What the request says of itself: client, capabilities, protocol version."""

    @property
    def vars(self) -> Mapping[str, object]:
        """The constants of the file."""

    @property
    def lifespan(self) -> Any:
        """What the file's `lifespan` yielded in this worker; None without one."""

    @property
    def progress(self) -> Progress:
        """Reports progress."""

    @property
    def cancelled(self) -> bool:
        """The call was cancelled or its time is up; nobody waits for the result."""

    def check_cancelled(self) -> None:
        """Raises `asyncio.CancelledError` once the call is cancelled; for long loops."""

    def log(self, level: str, data: object, logger: str | None = None) -> None:
        """Logs to the client, where it asked for that level; never blocks."""

    def elicit(
        self, message: str, fields: Mapping[str, Any] | None = None, *, key: str | None = None
    ) -> Pending[Elicited]:
        """Asks the user by a form whose `fields` are flat JSON Schemas by name.

        The call ends here and is made again once the user has answered, so that everything before
        it is done twice: change nothing before the last question. `key` names the question where
        it does not always stand at the same place.

        Raises:
            ClientCannotError: the client has no forms.
        """

    def elicit_url(self, message: str, url: str, *, key: str | None = None) -> Pending[Elicited]:
        """Asks the user to open an address; accepting means no more than that it may be opened.

        Raises:
            ClientCannotError: the client cannot open addresses.
        """

    def sample(
        self,
        prompt: str | list[dict[str, Any]],
        *,
        max_tokens: int = 1000,
        key: str | None = None,
        **rest: object,
    ) -> Pending[Mapping[str, Any]]:
        """Has the client's model write a text; `rest` are members of the specification.

        Raises:
            ClientCannotError: the client gives no access to a model.
        """

    def roots(self, *, key: str | None = None) -> Pending[list[dict[str, Any]]]:
        """The folders that the client works in: `uri` and `name`.

        Raises:
            ClientCannotError: the client tells none.
        """

    def ask(self, questions: Mapping[str, Question]) -> Pending[Mapping[str, Mapping[str, Any]]]:
        """Several questions at once, by their keys; the replies as they came, checked.

        Raises:
            ClientCannotError: the client cannot be asked one of them.
        """

    def database(self, name: str | None = None) -> Database:
        """A database of the file; without a name the tool's, or the only one."""

    def http(self, name: str | None = None) -> Http:
        """An API of the file; without a name the only one."""
