"""The legacy era, opened with `initialize` and served without state over HTTP.

Every HTTP request is complete in itself: the version comes from its header. Over stdio the process
keeps what `initialize` settled.
Source: MCP 2025-11-25, basic/lifecycle; 2025-03-26, basic, "Batching".
"""

from collections.abc import Mapping

from runner.protocol.edition import Edition, Settings
from runner.protocol.errors import UNREADABLE, Code, ProtocolError, error_message, shown
from runner.protocol.exchange import Exchange
from runner.protocol.headers import version_of
from runner.protocol.jsonrpc import ACCEPTED, EMPTY_RESULT, Answer, Message, result_message
from runner.protocol.metadata import VERSION_KEY, Metadata, read_log_level, read_progress_token
from runner.protocol.request import Handler, Request, invalid_params
from runner.protocol.unasked import Unasked
from runner.protocol.versions import HEADERLESS, LATEST_LEGACY, LEGACY

_BEFORE_INITIALIZE = ("initialize", "ping")


class Legacy:
    """Answers legacy messages by a table of methods."""

    def __init__(
        self,
        editions: Mapping[str, Edition],
        methods: Mapping[str, Handler],
        settings: Settings,
        unasked: Unasked | None = None,
    ) -> None:
        """`unasked` where what is served can change; only over stdio is anybody told of it."""
        self._unasked = unasked if settings.keeps_session else None
        self._editions = editions
        self._settings = settings
        self._methods: Mapping[str, Handler] = {
            "initialize": self._initialize,
            "ping": _ping,
            "logging/setLevel": _set_level,
            **methods,
            **(self._unasked.methods() if self._unasked is not None else {}),
        }

    async def answer(self, message: Message, exchange: Exchange) -> Answer:
        """The answer to one message."""
        if message.id_json is None or message.id is None:
            return self._receive(message, exchange)
        try:
            params = _params(message)
            edition = self._edition(message, exchange)
            handler = self._methods.get(message.method)
            if handler is None:
                raise ProtocolError(
                    Code.METHOD_NOT_FOUND, f"No method is named {shown(message.method)}"
                )
            meta = self._metadata(edition, params, exchange)
            request = Request(message.id, message.method, params, meta, exchange, edition)
            return Answer(200, result_message(message.id_json, await handler(request)))
        except ProtocolError as error:
            status = 400 if error.code in UNREADABLE else 200
            return Answer(status, error_message(error, message.id_json))

    def _receive(self, message: Message, exchange: Exchange) -> Answer:
        is_ready = message.method == "notifications/initialized"
        if is_ready and self._unasked is not None and exchange.session is not None:
            self._unasked.begin(exchange.session)
        return ACCEPTED

    def batches(self, exchange: Exchange) -> bool:
        """The version that this client speaks has batches."""
        version = _version(exchange)
        return version is not None and self._editions[version].features.batches

    def _edition(self, message: Message, exchange: Exchange) -> Edition:
        version = _version(exchange)
        if version is not None:
            return self._editions[version]
        if message.method in _BEFORE_INITIALIZE:
            return self._editions[LATEST_LEGACY]
        raise invalid_params(f"params._meta['{VERSION_KEY}'] is missing")

    def _metadata(
        self, edition: Edition, params: Mapping[str, object], exchange: Exchange
    ) -> Metadata:
        meta, session = params.get("_meta"), exchange.session
        token = read_progress_token(meta) if isinstance(meta, dict) else None
        if session is None:
            level = self._settings.log_level
            return Metadata(edition.version, {}, log_level=level, progress_token=token)
        return Metadata(
            edition.version,
            session.capabilities,
            session.client,
            session.log_level or self._settings.log_level,
            token,
        )

    async def _initialize(self, request: Request) -> bytes:
        asked = request.params.get("protocolVersion")
        if not isinstance(asked, str):
            raise invalid_params("params.protocolVersion is a string")
        version = asked if asked in LEGACY else LATEST_LEGACY
        session = request.exchange.session
        if session is not None:
            capabilities, client = (request.params.get(k) for k in ("capabilities", "clientInfo"))
            session.version = version
            session.capabilities = capabilities if isinstance(capabilities, dict) else {}
            session.client = client if isinstance(client, dict) else None
            if self._unasked is not None:
                self._unasked.open(session)
        return self._editions[version].opening


async def _ping(_request: Request) -> bytes:
    return EMPTY_RESULT


async def _set_level(request: Request) -> bytes:
    level = read_log_level(request.params.get("level"))
    if request.exchange.session is not None:
        request.exchange.session.log_level = level
    return EMPTY_RESULT


def _params(message: Message) -> Mapping[str, object]:
    if message.params is None:
        return {}
    if isinstance(message.params, dict):
        return message.params
    raise invalid_params("params is an object")


def _version(exchange: Exchange) -> str | None:
    if exchange.session is not None:
        return exchange.session.version
    found = None if exchange.headers is None else version_of(exchange.headers)
    return HEADERLESS if found is None else found
