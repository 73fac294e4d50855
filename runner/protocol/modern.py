"""The modern era: every request complete in itself, checked on one ladder, rung by rung.

Source: MCP 2026-07-28, basic, "Request Metadata", and basic/versioning.
"""

from collections.abc import Mapping

from runner.protocol.edition import Edition
from runner.protocol.errors import MODERN_STATUS, Code, ProtocolError, error_message, shown
from runner.protocol.exchange import Exchange
from runner.protocol.headers import Headers, check_method, version_of
from runner.protocol.jsonrpc import ACCEPTED, Answer, Message, result_message
from runner.protocol.metadata import Metadata, read_metadata
from runner.protocol.request import Handler, Request
from runner.protocol.versions import MODERN, SUPPORTED


class Modern:
    """Answers modern messages by a table of methods."""

    def __init__(self, edition: Edition, methods: Mapping[str, Handler]) -> None:
        self._edition = edition
        self._methods = methods

    async def answer(self, message: Message, exchange: Exchange) -> Answer:
        """The answer to one message; the order of the checks is the specification's."""
        if message.id_json is None or message.id is None:
            return _receive(message, exchange)
        try:
            meta = read_metadata(message.params)
            params = message.params if isinstance(message.params, dict) else {}
            if exchange.headers is not None:
                _check_version_header(exchange.headers, meta)
            if meta.version != MODERN:
                raise unsupported(meta.version)
            if exchange.headers is not None:
                check_method(exchange.headers, message.method, params)
            handler = self._methods.get(message.method)
            if handler is None:
                raise ProtocolError(
                    Code.METHOD_NOT_FOUND, f"No method is named {shown(message.method)}"
                )
            request = Request(message.id, message.method, params, meta, exchange, self._edition)
            return Answer(200, result_message(message.id_json, await handler(request)))
        except ProtocolError as error:
            status = error.status or MODERN_STATUS[error.code]
            return Answer(status, error_message(error, message.id_json))


def _receive(message: Message, exchange: Exchange) -> Answer:
    """Notifications have no effect over HTTP: whoever may cancel closes the connection."""
    version = None if exchange.headers is None else version_of(exchange.headers)
    if version is not None and version not in SUPPORTED:
        error = unsupported(version)
        return Answer(MODERN_STATUS[error.code], error_message(error, None))
    return ACCEPTED


def _check_version_header(headers: Headers, meta: Metadata) -> None:
    version = version_of(headers)
    if version is None:
        raise ProtocolError(Code.HEADER_MISMATCH, "The header MCP-Protocol-Version is missing")
    if version != meta.version:
        raise ProtocolError(
            Code.HEADER_MISMATCH, "The header MCP-Protocol-Version disagrees with the body"
        )


def unsupported(requested: str) -> ProtocolError:
    """The version is not served (-32022)."""
    return ProtocolError(
        Code.UNSUPPORTED_VERSION,
        "Protocol version is not supported",
        data={"supported": list(SUPPORTED), "requested": requested},
    )
