"""A request that passed the checks of its envelope, and the type of what answers it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from runner.protocol.edition import Edition
from runner.protocol.errors import Code, ProtocolError, shown
from runner.protocol.exchange import Exchange
from runner.protocol.jsonrpc import Body
from runner.protocol.metadata import Metadata


@dataclass(slots=True)
class Request:
    """One request of either era."""

    id: str | int
    method: str
    params: Mapping[str, object]
    meta: Metadata
    exchange: Exchange
    edition: Edition


Handler = Callable[[Request], Awaitable[Body]]
"""Gives the encoded result object, or raises ProtocolError."""


def invalid_params(message: str) -> ProtocolError:
    """The parameters do not fit the method (-32602)."""
    return ProtocolError(Code.INVALID_PARAMS, message)


def texts(value: object, where: str) -> Mapping[str, str]:
    """The strings by name that `where` holds; nothing is an empty object.

    Raises:
        ProtocolError: -32602, it is no object of strings.
    """
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise invalid_params(f"{where} is an object")
    for name, item in value.items():
        if not isinstance(item, str):
            raise invalid_params(f"{where}.{shown(name)} is a string")
    return value


async def answer_list(request: Request) -> Body:
    """The page of the list that the method asks for, made once."""
    return request.edition.lists[request.method].page(request.params.get("cursor"))
