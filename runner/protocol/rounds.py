"""The rounds of one request: what was answered so far, and what is asked next.

Nothing is kept between rounds: what was answered travels sealed in `requestState`, bound to the
caller, the method and its parameters, so that any replica with the keys goes on.
Source: MCP 2026-07-28, "Multi Round-Trip Requests".
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Final

from runner.catalog.asking import Ask, Form, InputNeededError, Question, Reply
from runner.codec.json import Json, encode
from runner.codec.seal import SealError
from runner.errors import ClientCannotError, ToolError
from runner.protocol.backend import Backend
from runner.protocol.errors import Code, ProtocolError
from runner.protocol.exchange import Send
from runner.protocol.jsonrpc import Body
from runner.protocol.older_questions import older_reply, older_request_of
from runner.protocol.questions import is_reply, missing_capability, request_of
from runner.protocol.request import Request, invalid_params

LIFETIME: Final = timedelta(minutes=10)
"""Of a state: how long the user may take for one round."""
_PURPOSE: Final = b"round"
OF_ROUNDS: Final = frozenset({"inputResponses", "requestState"})
"""Parameters that a request has after the first round."""
_OF_THE_ROUND: Final = OF_ROUNDS | {"_meta"}
_FORM: Final = 1


async def in_rounds(
    request: Request, backend: Backend, run: Callable[[Ask], Awaitable[Body]]
) -> Body:
    """What `run` gives, or what the client is asked first.

    Raises:
        ProtocolError: -32021 where the client cannot be asked, -32602 for a state that is not ours.
    """
    if not request.edition.features.is_modern:
        try:
            return await run(_Legacy(request).ask)
        except ClientCannotError as error:
            raise ProtocolError(Code.INTERNAL_ERROR, str(error)) from error
    rounds = _Rounds(request, backend)
    try:
        return await run(rounds.ask)
    except InputNeededError as needed:
        return request.edition.input_required(rounds.next(needed.questions))
    except ClientCannotError as error:
        data = {"requiredCapabilities": dict(error.required)}
        raise ProtocolError(Code.MISSING_CAPABILITY, str(error), data=data) from error


class _Rounds:
    """What this request brought with it; read when something is asked."""

    def __init__(self, request: Request, backend: Backend) -> None:
        self._request = request
        self._backend = backend
        self._asked: Mapping[str, Json] | None = None
        """Digests of the questions of the last round, by key; None: no state was sent."""
        self._answered: dict[str, Json] = {}
        self._sent: Mapping[str, Json] = {}
        if "requestState" in request.params or "inputResponses" in request.params:
            self._read()

    def _read(self) -> None:
        params = self._request.params
        state = params.get("requestState")
        if state is not None:
            self._open(state)
        responses = params.get("inputResponses")
        if responses is None:
            return
        if not isinstance(responses, dict) or not all(
            isinstance(reply, dict) for reply in responses.values()
        ):
            raise invalid_params("params.inputResponses is an object of objects")
        self._sent = responses

    def _open(self, state: Json) -> None:
        try:
            if not isinstance(state, str):
                raise SealError("no text")
            found = self._backend.seal.open(state, purpose=_PURPOSE)
        except SealError as error:
            raise _foreign() from error
        match found:
            case [form, until, binding, dict(asked), dict(answered)] if (
                form == _FORM and binding == self._binding() and self._is_before(until)
            ):
                self._asked, self._answered = asked, answered
            case _:
                raise _foreign()

    def _is_before(self, until: Json) -> bool:
        return isinstance(until, int) and self._backend.clock().timestamp() < until

    def _binding(self) -> str:
        """A digest of who asks for what, with which parameters."""
        request = self._request
        params = {key: request.params[key] for key in sorted(request.params.keys() - _OF_THE_ROUND)}
        whole = [request.exchange.caller.principal, request.method, _sorted(params)]
        return hashlib.sha256(encode(whole)).hexdigest()

    async def ask(self, questions: Mapping[str, Question]) -> Mapping[str, Reply]:
        """The replies, where all of them are there."""
        for question in questions.values():
            require(question, self._request.meta.capabilities)
        replies = {key: self._reply(key, question) for key, question in questions.items()}
        open_ = {key: questions[key] for key, reply in replies.items() if reply is None}
        if open_:
            raise InputNeededError(open_)
        return {key: reply for key, reply in replies.items() if reply is not None}

    def _reply(self, key: str, question: Question) -> Reply | None:
        if key in self._answered:
            digest, reply = _kept(self._answered[key])
            return reply if digest == digest_of(question) else None
        sent = self._sent.get(key)
        if sent is None or not is_reply(question, sent) or not self._counts(key, question):
            return None
        self._answered[key] = [digest_of(question), sent]
        return sent if isinstance(sent, dict) else None

    def _counts(self, key: str, question: Question) -> bool:
        """The reply answers this question, as it was put in the round before."""
        if self._asked is None:
            return not (isinstance(question, Form) and question.is_strict)
        return self._asked.get(key) == digest_of(question)

    def next(self, questions: Mapping[str, Question]) -> dict[str, object]:
        """The members of the result that asks them."""
        until = int((self._backend.clock() + LIFETIME).timestamp())
        asked = {key: digest_of(question) for key, question in questions.items()}
        state = [_FORM, until, self._binding(), asked, self._answered]
        return {
            "inputRequests": {key: request_of(question) for key, question in questions.items()},
            "requestState": self._backend.seal.close(state, purpose=_PURPOSE),
        }


class _Legacy:
    """Older clients: over HTTP nobody can be asked, over stdio the client while it waits."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._asked = 0

    async def ask(self, questions: Mapping[str, Question]) -> Mapping[str, Reply]:
        """The replies of the client, which is asked everything at once.

        One that is none ends the others, so that nobody answers in vain.

        Raises:
            ClientCannotError: there is no way back to it, or it has not declared that.
            ToolError: its reply is none.
        """
        send = self._request.exchange.ask
        if send is None:
            raise ClientCannotError(
                "this client cannot be asked: over HTTP its version has no way back", {}
            )
        requests = [self._request_of(question) for question in questions.values()]
        if self._request.exchange.is_cancelled:
            raise asyncio.CancelledError
        asked = [
            asyncio.create_task(_usable(send, request, question))
            for request, question in zip(requests, questions.values(), strict=True)
        ]
        try:
            replies = await asyncio.gather(*asked)
        finally:
            for task in asked:
                task.cancel()
            await asyncio.gather(*asked, return_exceptions=True)
        features = self._request.edition.features
        return {
            key: older_reply(question, features, reply)
            for (key, question), reply in zip(questions.items(), replies, strict=True)
        }

    def _request_of(self, question: Question) -> Mapping[str, object]:
        self._asked += 1
        id_ = f"{encode(self._request.id).decode()}.{self._asked}"
        request = older_request_of(question, self._request.edition.features, id_=id_)
        if request is None:
            raise ClientCannotError("this client cannot be asked that: its version lacks it", {})
        if missing_capability(question, self._request.meta.capabilities) is not None:
            raise ClientCannotError("this client has not declared that it can be asked", {})
        return request


async def _usable(send: Send, request: Mapping[str, object], question: Question) -> Reply:
    reply = await send(request)
    if not isinstance(reply, dict) or not is_reply(question, reply):
        raise ToolError("The client gave no answer that can be used.")
    return reply


def require(question: Question, capabilities: Mapping[str, object]) -> None:
    """Returns where the client has declared what the question needs.

    Raises:
        ClientCannotError: it has not.
    """
    required = missing_capability(question, capabilities)
    if required is not None:
        names = ", ".join(required)
        raise ClientCannotError(
            f"the call has to ask, for which the client would have to declare {names}", required
        )


def _kept(entry: Json) -> tuple[Json, Reply | None]:
    match entry:
        case [digest, dict(reply)]:
            return digest, reply
        case _:
            return None, None


def digest_of(question: Question) -> str:
    """What tells a question from any other, whatever its key."""
    return hashlib.sha256(encode(_sorted(request_of(question)))).hexdigest()[:32]


def _sorted(value: Json) -> Json:
    """The same value with the members of objects in one order."""
    if isinstance(value, Mapping):
        return {str(key): _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list | tuple) else value


def _foreign() -> ProtocolError:
    return invalid_params("The requestState is not one that this server gave out for this request")
