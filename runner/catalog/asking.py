"""What a call may ask of the client, and what comes back.

A call does not wait for an answer: it ends with `InputNeededError`, and is made again with the
answers so far. So whatever it does before it asks, it does again; it must not change anything.
Source: MCP 2026-07-28, "Multi Round-Trip Requests".
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from runner.catalog.schema import JsonSchema


@dataclass(frozen=True, slots=True)
class Form:
    """A form for the user; never for secrets."""

    message: str
    schema: JsonSchema
    """A flat object of texts, numbers, booleans and choices."""
    is_strict: bool = False
    """Only an answer to exactly this question counts, which was asked before."""


@dataclass(frozen=True, slots=True)
class Link:
    """An address for the user to open; what happens there does not pass through the client."""

    message: str
    url: str


@dataclass(frozen=True, slots=True)
class Sample:
    """A text that the client's model is to write; `params` are those of the specification."""

    params: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Roots:
    """The folders that the client works in."""


Question = Form | Link | Sample | Roots
Reply = Mapping[str, object]
"""The client's result object as it came, checked: `action` and `content` of a form, `content` of a
sample, `roots`."""
Ask = Callable[[Mapping[str, Question]], Awaitable[Mapping[str, Reply]]]
"""The replies by the keys of the questions.

Raises:
    InputNeededError: some are not answered yet.
    ClientCannotError: the client cannot be asked that.
"""


class InputNeededError(BaseException):
    """Ends the call until the client has answered; no failure, and nothing for authors to catch."""

    def __init__(self, questions: Mapping[str, Question]) -> None:
        super().__init__(", ".join(questions))
        self.questions = questions


@dataclass(frozen=True, slots=True)
class AskedParameters:
    """Parameters of a tool that the user is asked for where the call lacks them."""

    message: str
    properties: Mapping[str, JsonSchema]
    """By name, in the order of the form."""
    required: frozenset[str] = field(default=frozenset())
