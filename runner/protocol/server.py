"""One endpoint as a protocol: bytes of a message in, bytes of the answer out.

Knows no socket, no binding, no file: what a tool does, the time and the identity come in as
arguments. The era is decided by each message alone.
Source: MCP 2026-07-28, basic/versioning, "Serving both eras".
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from runner.catalog.catalog import Catalog, Endpoint
from runner.catalog.tasks import Perform, Tasks
from runner.codec.json import Json, JsonFault, decode, encode
from runner.protocol.backend import Backend
from runner.protocol.completion import Completions
from runner.protocol.edition import DEFAULTS, Settings, edit
from runner.protocol.errors import MODERN_STATUS, Code, ProtocolError, error_message
from runner.protocol.exchange import Exchange
from runner.protocol.headers import version_of
from runner.protocol.jsonrpc import (
    ACCEPTED,
    PARSE_ERROR,
    Answer,
    Message,
    UnreadableError,
    joined,
    read,
    refuse_unreadable,
)
from runner.protocol.legacy import Legacy
from runner.protocol.listeners import Listeners
from runner.protocol.metadata import is_modern
from runner.protocol.modern import Modern, unsupported
from runner.protocol.paging import Cursors
from runner.protocol.prompts import Prompts
from runner.protocol.request import Handler, Request
from runner.protocol.resources import Resources
from runner.protocol.subscriptions import Subscriptions
from runner.protocol.tasks import TaskMethods
from runner.protocol.tools import Tools
from runner.protocol.unasked import Unasked
from runner.protocol.versions import FEATURES, LEGACY, MODERN
from runner.unexpected import log_unexpected

MAX_BATCH: Final = 50

_logger = logging.getLogger(__name__)


class Protocol:
    """The protocol of one endpoint, in both eras."""

    def __init__(
        self,
        endpoint: Endpoint,
        catalog: Catalog,
        backend: Backend,
        *,
        settings: Settings = DEFAULTS,
        listeners: Listeners | None = None,
        tasks: Tasks | None = None,
    ) -> None:
        """`listeners` where what is served can change; clients are told of it then.

        `tasks` where they are kept; without it calls that may become tasks are answered at once.
        """
        followed = _followed(endpoint, backend, tasks)
        notifies = listeners is not None
        settings = replace(
            settings, notifies=notifies, has_tasks=followed is not None, logs=catalog.logs
        )
        offered = _offered(endpoint, backend, followed)
        cursors = Cursors(endpoint, catalog, backend.seal)
        editions = {
            version: edit(version, endpoint, catalog, settings, cursors) for version in FEATURES
        }
        modern: dict[str, Handler] = {"server/discover": _discover, **offered}
        self.perform: Perform | None = None
        """Makes the calls of tasks; None: no tool of this endpoint runs as one."""
        if followed is not None:
            modern |= followed.methods()
            self.perform = partial(followed.perform, editions[MODERN])
        if listeners is not None and offered:
            modern |= Subscriptions(endpoint, listeners, followed).methods()
        self._modern = Modern(editions[MODERN], modern)
        unasked = None if listeners is None else Unasked(endpoint, listeners)
        legacy = Legacy(editions, offered, settings, unasked)
        self._legacy = legacy if catalog.listen.legacy else None
        self._error_id = backend.error_id
        self.lists: Mapping[str, Sequence[object]] = {
            method: pages.entries for method, pages in editions[MODERN].lists.items()
        }
        """What modern clients are listed, by method."""

    async def answer(self, body: bytes, exchange: Exchange) -> Answer:
        """The answer to one body; raises nothing but cancellation."""
        try:
            message = decode(body)
        except JsonFault:
            return PARSE_ERROR
        if isinstance(message, list):
            return await self._answer_batch(message, exchange)
        return await self._answer_one(message, exchange)

    async def _answer_one(self, decoded: Json, exchange: Exchange) -> Answer:
        try:
            message = read(decoded)
        except UnreadableError as error:
            return refuse_unreadable(error)
        exchange.id_json = message.id_json
        exchange.is_modern = self._is_modern(message, exchange)
        try:
            if message.id_json is None and exchange.cancel is not None:
                _cancel(message, exchange.cancel)
            if exchange.is_modern:
                return await self._modern.answer(message, exchange)
            if self._legacy is not None:
                return await self._legacy.answer(message, exchange)
            return await self._answer_without_legacy(message, exchange)
        except Exception as error:
            error_id = self._error_id()
            log_unexpected(_logger, error, message.method, error_id=error_id)
            fault = ProtocolError(Code.INTERNAL_ERROR, f"Internal error {error_id}")
            return Answer(MODERN_STATUS[fault.code], error_message(fault, message.id_json))

    def _is_modern(self, message: Message, exchange: Exchange) -> bool:
        if is_modern(message.params):
            return True
        version = None if exchange.headers is None else version_of(exchange.headers)
        return version is not None and version not in LEGACY

    async def _answer_without_legacy(self, message: Message, exchange: Exchange) -> Answer:
        """A client that opens a session learns which versions there are instead."""
        if message.method == "initialize" and message.id_json:
            params = message.params if isinstance(message.params, dict) else {}
            error = unsupported(str(params.get("protocolVersion", "")))
            return Answer(MODERN_STATUS[error.code], error_message(error, message.id_json))
        return await self._modern.answer(message, exchange)

    async def _answer_batch(self, members: list[Json], exchange: Exchange) -> Answer:
        if self._legacy is None or not self._batches(exchange):
            return refuse_unreadable(UnreadableError("A message is one JSON object, no array"))
        if not 0 < len(members) <= MAX_BATCH:
            return refuse_unreadable(
                UnreadableError(f"A batch has 1 to {MAX_BATCH} messages, found {len(members)}")
            )
        running: dict[asyncio.Task[Answer], Exchange] = {}
        for member in members:
            own = replace(exchange, emit=None)
            own.id_json = _id_json(member.get("id")) if isinstance(member, dict) else None
            running[asyncio.create_task(self._answer_member(member, own))] = own
        exchange.members = running
        answers = await asyncio.gather(*running, return_exceptions=True)
        found = zip(answers, running.values(), strict=True)
        bodies = list(_bodies(answer for answer, own in found if not own.is_cancelled))
        return Answer(200, b"[%b]" % b",".join(bodies)) if bodies else ACCEPTED

    def _batches(self, exchange: Exchange) -> bool:
        version = None if exchange.headers is None else version_of(exchange.headers)
        if version is not None and version not in LEGACY:
            return False
        return self._legacy is not None and self._legacy.batches(exchange)

    async def _answer_member(self, member: Json, exchange: Exchange) -> Answer:
        if isinstance(member, dict) and (
            is_modern(member.get("params")) or member.get("method") == "initialize"
        ):
            try:
                id_json = read(member).id_json
            except UnreadableError as error:
                return refuse_unreadable(error)
            if id_json is None:
                return ACCEPTED
            return refuse_unreadable(UnreadableError("This request stands alone", id_json))
        return await self._answer_one(member, exchange)


def _offered(
    endpoint: Endpoint, backend: Backend, followed: TaskMethods | None
) -> Mapping[str, Handler]:
    """The methods of both eras: one stands here when its capability is advertised."""
    found: dict[str, Handler] = {}
    if endpoint.tools:
        found |= Tools(endpoint.tools, backend, followed).methods()
    if endpoint.resources:
        found |= Resources(endpoint.resources, backend).methods()
    if endpoint.prompts:
        found |= Prompts(endpoint.prompts, endpoint.resources, backend).methods()
    if endpoint.completes:
        found |= Completions(endpoint.prompts, endpoint.resources, backend).methods()
    return found


def _followed(endpoint: Endpoint, backend: Backend, tasks: Tasks | None) -> TaskMethods | None:
    if tasks is None or all(tool.task is None for tool in endpoint.tools.values()):
        return None
    return TaskMethods(endpoint.path, endpoint.tools, backend, tasks)


def _cancel(message: Message, cancel: Callable[[bytes], None]) -> None:
    if message.method == "notifications/cancelled" and isinstance(message.params, dict):
        id_json = _id_json(message.params.get("requestId"))
        if id_json is not None:
            cancel(id_json)


def _id_json(value: Json) -> bytes | None:
    """The id of a request as it is compared; None: it is none."""
    is_id = isinstance(value, str | int) and not isinstance(value, bool)
    return encode(value) if is_id else None


def _bodies(answers: Iterable[Answer | BaseException]) -> Iterator[bytes]:
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
        if answer.body is not None:
            yield joined(answer.body)


async def _discover(request: Request) -> bytes:
    return request.edition.opening
