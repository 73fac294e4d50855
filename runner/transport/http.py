"""MCP over HTTP: a plain ASGI application, one address an endpoint.

The order of the checks is the specification's; the first that fails answers. Redirects nothing:
`/mcp` and `/mcp/` are the same address, below any prefix that a proxy or a mount adds.
Source: MCP 2026-07-28, basic/transports/streamable-http.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from runner.auth.identity import Challenge, Identify
from runner.catalog.catalog import Listen
from runner.codec.json import encode
from runner.protocol.errors import MODERN_STATUS, Code, ProtocolError, error_message
from runner.protocol.exchange import Exchange
from runner.protocol.headers import Headers, read_headers
from runner.protocol.jsonrpc import Answer
from runner.protocol.server import Protocol
from runner.transport.asgi import Header, Receive, Scope, Send, respond
from runner.transport.body import BodyTooLargeError, ClientLeftError, read_body
from runner.transport.cors import is_preflight, preflight_headers, read_headers_for
from runner.transport.guard import Guard
from runner.transport.health import PATHS, Standing, answer_probe
from runner.transport.negotiation import JSON, Accepts, is_json, read_accept
from runner.transport.reply import Reply
from runner.transport.watch import DEFAULT_TIMING, Ending, Timing, Watches

_TEXT: Final = ((b"content-type", b"text/plain; charset=utf-8"),)
_JSON: Final = (b"content-type", JSON)
_GONE: Final = Answer(404, error_message(ProtocolError(Code.INVALID_REQUEST, "Not Found"), None))
"""The endpoint is not served any more."""
_ALLOW: Final = (b"allow", b"POST")


class Serving:
    """What answers at which address, and whom; replaced as a whole."""

    def __init__(
        self,
        protocols: Mapping[str, Protocol],
        listen: Listen,
        identify: Identify,
        *,
        max_body_bytes: int,
    ) -> None:
        self.protocols = {path.rstrip("/"): protocol for path, protocol in protocols.items()}
        self.guard = Guard(listen)
        self.identify = identify
        self.max_body_bytes = max_body_bytes


class HttpApp:
    """Serves endpoints by path."""

    def __init__(
        self,
        serving: Serving,
        *,
        timing: Timing = DEFAULT_TIMING,
        standing: Standing | None = None,
    ) -> None:
        """`standing` is what probes are told; whoever serves changes it."""
        self.serving = serving
        """May be replaced at any time: a request is answered by what is served once it is whole."""
        self._standing = standing or Standing()
        self._watches = Watches(timing)

    def end_calls(self) -> int:
        """Answers every request that runs with an error, at once; how many they are."""
        return self._watches.end_all(Ending.SERVER_STOPS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request; other kinds of connection are refused."""
        if scope["type"] != "http":
            await _refuse_connection(scope, receive, send)
            return
        serving, path = self.serving, _path(scope)
        if path not in serving.protocols:
            if path in PATHS:
                await answer_probe(path, scope, send, self._standing)
            else:
                await respond(send, 404, b"Not Found", _TEXT)
            return
        headers = read_headers(scope["headers"])
        client = scope.get("client")
        fault = serving.guard.fault(headers, client[0] if client else None)
        if fault is not None:
            await _refuse(send, 403, fault)
        elif scope["method"] == "POST":
            await self._post(path, headers, receive, send)
        elif is_preflight(scope["method"], headers):
            await respond(send, 204, None, preflight_headers(headers))
        else:
            cors = read_headers_for(headers)
            await respond(send, 405, b"Method Not Allowed", (*_TEXT, _ALLOW, *cors))

    async def _post(self, path: str, headers: Headers, receive: Receive, send: Send) -> None:
        cors = read_headers_for(headers)
        caller = await self.serving.identify(headers)
        if isinstance(caller, Challenge):
            await _challenge(send, caller, cors)
            return
        accepts = read_accept(headers.get(b"accept"))
        fault = _unacceptable(headers, accepts)
        if fault is not None:
            await _refuse(send, *fault, cors)
            return
        reply = Reply(send, accepts, cors, self._watches.timing.keep_alive_s)
        exchange = Exchange(caller, headers, reply.emit if accepts.stream else None)
        watch = self._watches.begin(receive, exchange, reply)
        try:
            body = await read_body(receive, headers, self.serving.max_body_bytes)
            watch.begin_work()
            # Of what is served now that the body is there, and of nothing else.
            protocol = self.serving.protocols.get(path)
            answer = _GONE if protocol is None else await protocol.answer(body, exchange)
            await reply.finish(answer)
        except BodyTooLargeError as error:
            await _refuse(send, 413, f"The body has at most {error.limit} bytes", cors)
        except ClientLeftError:
            return
        except asyncio.CancelledError:
            if watch.ending is None:
                reply.abort()
                raise
            _uncancel()
            await _last_word(watch.ending, reply, exchange)
        finally:
            self._watches.release(watch)


def _path(scope: Scope) -> str:
    """The path below the prefix, without a slash at its end."""
    path, prefix = scope["path"], scope.get("root_path", "").rstrip("/")
    if prefix and (path == prefix or path.startswith(prefix + "/")):
        path = path[len(prefix) :]
    return path.rstrip("/")


def _unacceptable(headers: Headers, accepts: Accepts) -> tuple[int, str] | None:
    """Why neither the body nor any answer to it would be understood; None: they would."""
    if not is_json(headers.get(b"content-type")):
        return 415, "The Content-Type is application/json"
    if not (accepts.json or accepts.stream):
        return 406, "The Accept admits application/json or text/event-stream"
    return None


def _uncancel() -> None:
    task = asyncio.current_task()
    if task is not None:
        task.uncancel()


async def _last_word(ending: Ending, reply: Reply, exchange: Exchange) -> None:
    """What the client still hears of a request that was ended from outside."""
    if reply.is_answering:
        reply.abort()
        return
    match ending:
        case Ending.CLIENT_LEFT:
            reply.abort()
        case Ending.SLOW_BODY:
            fault = ProtocolError(Code.INVALID_REQUEST, "The body did not come in time")
            await reply.finish(Answer(408, error_message(fault, None)))
        case Ending.SERVER_STOPS:
            fault = ProtocolError(Code.INTERNAL_ERROR, "The server stops; ask again")
            is_read = exchange.id_json is not None
            status = MODERN_STATUS[fault.code] if is_read else 503
            await reply.finish(Answer(status, error_message(fault, exchange.id_json)))


async def _challenge(send: Send, challenge: Challenge, headers: Sequence[Header]) -> None:
    """Says how to authenticate, in the form that OAuth clients read."""
    pairs = (_JSON, (b"www-authenticate", challenge.authenticate), *headers)
    await respond(send, challenge.status, encode({"error": challenge.error}), pairs)


async def _refuse(send: Send, status: int, message: str, headers: Sequence[Header] = ()) -> None:
    """Refuses before the message is read: an error without an id."""
    error = ProtocolError(Code.INVALID_REQUEST, message)
    await respond(send, status, error_message(error, None), (_JSON, *headers))


async def _refuse_connection(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1000})
        return
    while scope["type"] == "lifespan":
        phase = (await receive())["type"]
        await send({"type": f"{phase}.complete"})
        if phase == "lifespan.shutdown":
            return
