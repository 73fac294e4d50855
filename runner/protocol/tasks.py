"""Tools that go on as tasks: how one begins, how its call is made, what its owner may ask of it.

What the file declares to be asked (`ask`, `confirm`) is asked before there is a task, in rounds;
what a function asks while it runs is asked of the task's owner, through `tasks/update`.
Source: MCP extension `io.modelcontextprotocol/tasks`, 2026-07-28.
"""

import asyncio
import logging
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from runner.catalog.asking import Ask, InputNeededError, Question, Reply
from runner.catalog.call import CallContext, RequestFacts
from runner.catalog.content import TextContent
from runner.catalog.result import CallResult
from runner.catalog.tasks import (
    Asking,
    Completed,
    Ending,
    Failed,
    Order,
    Status,
    Tasks,
    TaskState,
    TooManyTasksError,
)
from runner.catalog.tool import Tool
from runner.codec.json import Json, encode
from runner.errors import ClientCannotError
from runner.protocol.backend import Backend
from runner.protocol.edition import TASKS, Edition
from runner.protocol.errors import Code, ProtocolError, error_object
from runner.protocol.headers import check_name
from runner.protocol.jsonrpc import Body
from runner.protocol.questions import is_reply, question_of, request_of
from runner.protocol.request import Handler, Request, invalid_params
from runner.protocol.rounds import digest_of, in_rounds, require
from runner.protocol.versions import MODERN
from runner.unexpected import log_unexpected

MAX_RESULT_BYTES: Final = 16 * 1024 * 1024
"""Of a result that is kept; what the budgets of a tool allow beyond it is not."""
_TOO_LARGE: Final = f"The result is larger than the {MAX_RESULT_BYTES} bytes that a task keeps."
_logger = logging.getLogger(__name__)


def declares_tasks(request: Request) -> bool:
    """The client can follow a task, as this request says."""
    extensions = request.meta.capabilities.get("extensions")
    return isinstance(extensions, Mapping) and TASKS in extensions


def require_tasks(request: Request, what: str) -> None:
    """Returns where the client can follow a task.

    Raises:
        ProtocolError: -32021, it cannot.
    """
    if not declares_tasks(request):
        data: dict[str, object] = {"requiredCapabilities": {"extensions": {TASKS: {}}}}
        raise ProtocolError(
            Code.MISSING_CAPABILITY,
            f"{what} needs the extension {TASKS}, which the client has not declared",
            data=data,
        )


def members_of(state: TaskState) -> bytes:
    """The members of a task, as an encoded object: the result and the error as they were kept."""
    parts = [encode(_brief(state))[:-1]]
    if state.status is Status.INPUT_REQUIRED:
        parts.append(b',"inputRequests":' + encode(state.requests))
    elif state.result is not None:
        parts.append(b',"result":' + state.result)
    elif state.error is not None:
        parts.append(b',"error":' + state.error)
    return b"".join(parts) + b"}"


def _brief(state: TaskState) -> dict[str, object]:
    found: dict[str, object] = {
        "taskId": state.id,
        "status": state.status.value,
        "createdAt": state.created.isoformat(timespec="milliseconds"),
        "lastUpdatedAt": state.updated.isoformat(timespec="milliseconds"),
        "ttlMs": state.ttl_ms,
        "pollIntervalMs": state.poll_ms,
    }
    return found if state.message is None else {**found, "statusMessage": state.message}


class TaskMethods:
    """The tasks of one endpoint; modern clients only."""

    def __init__(
        self, path: str, tools: Mapping[str, Tool], backend: Backend, tasks: Tasks
    ) -> None:
        self._path = path
        self._tools = tools
        self._backend = backend
        self._tasks = tasks

    def methods(self) -> Mapping[str, Handler]:
        """What answers, by method."""
        return {"tasks/get": self.get, "tasks/update": self.update, "tasks/cancel": self.cancel}

    async def known(self, request: Request, tasks: list[str]) -> frozenset[str]:
        """Those of the tasks that the caller owns."""
        owner = request.exchange.caller.principal
        return await self._tasks.known(tasks, owner=owner, path=self._path)

    async def get(self, request: Request) -> Body:
        """The task as it stands."""
        return request.edition.task_found(members_of(await self._own(request)))

    async def update(self, request: Request) -> Body:
        """Takes replies; those to what is not asked, or not any more, are passed over.

        Raises:
            ProtocolError: -32602, one is no answer to its question; none is taken.
        """
        state = await self._own(request)
        sent = request.params.get("inputResponses")
        if not isinstance(sent, dict) or not all(isinstance(item, dict) for item in sent.values()):
            raise invalid_params("params.inputResponses is an object of objects")
        answers: dict[str, Json] = {}
        for key, reply in sent.items():
            question = question_of(state.requests.get(key))
            if question is None:
                continue
            if not is_reply(question, reply):
                raise invalid_params(f"The reply to '{key}' is no answer to what was asked")
            answers[key] = reply
        if answers:
            await self._tasks.answer(state.id, answers)
        return request.edition.with_meta({})

    async def cancel(self, request: Request) -> Body:
        """Ends the task, where it has not ended."""
        state = await self._own(request)
        await self._tasks.cancel(state.id)
        return request.edition.with_meta({})

    async def _own(self, request: Request) -> TaskState:
        task = request.params.get("taskId")
        if request.exchange.headers is not None:
            check_name(request.exchange.headers, task)
        require_tasks(request, request.method)
        if not isinstance(task, str):
            raise invalid_params("params.taskId is a string: the id of a task")
        owner = request.exchange.caller.principal
        state = await self._tasks.find(task, owner=owner, path=self._path)
        if state is None:
            raise invalid_params("No task of yours has this id; it may have expired")
        return state

    async def begin(self, request: Request, tool: Tool, arguments: Mapping[str, object]) -> Body:
        """The handle of a new task, or what the client is asked before there is one."""
        return await in_rounds(
            request, self._backend, partial(self._begin, request, tool, arguments)
        )

    async def _begin(
        self, request: Request, tool: Tool, arguments: Mapping[str, object], ask: Ask
    ) -> Body:
        answers: dict[str, Json] = {}

        async def ask_and_keep(questions: Mapping[str, Question]) -> Mapping[str, Reply]:
            replies = await ask(questions)
            answers.update(
                {_key(key, questions[key]): dict(found) for key, found in replies.items()}
            )
            return replies

        order = Order(
            path=self._path,
            tool=tool.name,
            arguments=arguments,
            caller=request.exchange.caller,
            capabilities=request.meta.capabilities,
            client=request.meta.client,
            repeats=tool.annotations.read_only or tool.annotations.idempotent,
            answers=answers,
        )
        early = await self._backend.prepare_tool(
            tool, arguments, self._context(order, ask_and_keep)
        )
        if early is None:
            try:
                state = await self._tasks.create(order)
            except TooManyTasksError as error:
                early = _tool_error(str(error))
            else:
                return request.edition.task_result(_brief(state))
        return request.edition.call_result(tool.name, early)

    def _context(self, order: Order, ask: Ask) -> CallContext:
        facts = RequestFacts(
            tool=order.tool,
            version=MODERN,
            client=order.client,
            capabilities=order.capabilities,
        )
        return CallContext(self._backend.clock(), order.caller, facts, ask=ask)

    async def perform(self, edition: Edition, order: Order) -> Ending:
        """Makes a task's call, as far as it comes without further answers."""
        try:
            return await self._perform(edition, order)
        except InputNeededError as needed:
            return Asking(
                {_key(key, asked): request_of(asked) for key, asked in needed.questions.items()}
            )
        except ProtocolError as error:
            return _failed(error)
        except ClientCannotError as error:
            data = {"requiredCapabilities": dict(error.required)}
            return _failed(ProtocolError(Code.MISSING_CAPABILITY, str(error), data=data))
        except Exception as error:  # the dispatch boundary of tasks
            error_id = self._backend.error_id()
            log_unexpected(_logger, error, "tools/call in a task", error_id=error_id)
            return _failed(ProtocolError(Code.INTERNAL_ERROR, f"Internal error {error_id}"))

    async def _perform(self, edition: Edition, order: Order) -> Ending:
        tool = self._tools.get(order.tool)
        if tool is None:
            raise invalid_params("The tool of this task is not served any more")
        context = self._context(order, partial(_ask, order))
        result = await self._backend.call_tool(tool, order.arguments, context)
        body = edition.call_result(tool.name, result)
        if not isinstance(body, bytes):
            joined = await asyncio.to_thread(_joined, body)
            if joined is None:
                return Completed(_whole(edition, tool.name, _tool_error(_TOO_LARGE)))
            body = joined
        return Completed(body)


def _whole(edition: Edition, tool: str, result: CallResult) -> bytes:
    body = edition.call_result(tool, result)
    return body if isinstance(body, bytes) else b"".join(body)


def _joined(pieces: Iterator[bytes]) -> bytes | None:
    """The pieces as one; None: they are more than is kept."""
    found: list[bytes] = []
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > MAX_RESULT_BYTES:
            return None
        found.append(piece)
    return b"".join(found)


async def _ask(order: Order, questions: Mapping[str, Question]) -> Mapping[str, Reply]:
    """The replies that the task has by now, where all of them are there."""
    for question in questions.values():
        require(question, order.capabilities)
    replies: dict[str, Reply] = {}
    missing: dict[str, Question] = {}
    for key, question in questions.items():
        reply = order.answers.get(_key(key, question))
        if isinstance(reply, dict):
            replies[key] = reply
        else:
            missing[key] = question
    if missing:
        raise InputNeededError(missing)
    return replies


def _key(key: str, question: Question) -> str:
    """The key of a request for a task's whole life: another question under its name has another."""
    return f"{key}-{digest_of(question)[:12]}"


def _tool_error(message: str) -> CallResult:
    return CallResult([TextContent(message)], is_error=True)


def _failed(error: ProtocolError) -> Failed:
    return Failed(encode(error_object(error)), str(error))
