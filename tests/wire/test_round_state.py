"""The state of a round: good for a short time, for one caller, on any replica with the key."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import pytest

from runner.catalog.asking import Form
from runner.catalog.call import CallContext
from runner.catalog.caller import ANONYMOUS, Caller
from runner.catalog.content import TextContent
from runner.catalog.resource import Contents, Resource
from runner.catalog.result import CallResult
from runner.catalog.tool import Tool
from runner.codec.json import decode, encode
from runner.protocol.exchange import Exchange
from runner.protocol.server import Protocol
from tests.requirements import requirement
from tests.wire.client import PREFIX, modern_message
from tests.wire.serving import NOW, a_catalog, a_protocol, a_tool

FORM = Form("Sure?", {"type": "object", "properties": {}})
ADA = Caller(user_id="ada", issuer="here", authenticated=True)
META: Mapping[str, object] = {f"{PREFIX}clientCapabilities": {"elicitation": {}}}
FOREIGN = {
    "code": -32602,
    "message": "The requestState is not one that this server gave out for this request",
}


async def asks(_tool: Tool, _arguments: object, context: CallContext) -> CallResult:
    """Does nothing before the user agrees."""
    await context.ask({"sure": FORM})
    return CallResult((TextContent("done"),))


async def asks_before_it_reads(
    _resource: Resource, uri: str, _variables: object, context: CallContext
) -> list[Contents]:
    """As `asks`."""
    await context.ask({"sure": FORM})
    return [Contents(uri, "text/plain", text="done")]


def ask(
    protocol: Protocol, caller: Caller = ANONYMOUS, state: object = None
) -> Mapping[str, object]:
    """The response to the call, made again where there is a state."""
    params: dict[str, object] = {"name": "echo", "arguments": {"text": "hi"}}
    if state is not None:
        params |= {"requestState": state, "inputResponses": {"sure": {"action": "accept"}}}
    body = encode(modern_message("tools/call", params, meta=META))
    answer = asyncio.run(protocol.answer(body, Exchange(caller))).body
    assert isinstance(answer, bytes)
    message = decode(answer)
    assert isinstance(message, dict)
    return message


def a_state(caller: Caller = ANONYMOUS) -> object:
    """What the first round gave out."""
    result = ask(a_protocol(call_tool=asks), caller)["result"]
    assert isinstance(result, dict)
    assert result["resultType"] == "input_required"
    return result["requestState"]


@requirement("P-123", "P-124", "P-128")
@pytest.mark.parametrize(("minutes", "is_good"), [(0, True), (9, True), (10, False), (600, False)])
def test_state_is_good_for_ten_minutes(minutes: int, *, is_good: bool) -> None:
    later = a_protocol(call_tool=asks, now=NOW + timedelta(minutes=minutes))

    message = ask(later, state=a_state())

    assert message.get("error") == (None if is_good else FOREIGN)
    assert ("result" in message) == is_good


@requirement("P-123", "P-124")
@pytest.mark.parametrize(("first", "then"), [(ADA, ANONYMOUS), (ANONYMOUS, ADA)])
def test_state_of_another_caller_is_refused(first: Caller, then: Caller) -> None:
    state = a_state(first)

    assert ask(a_protocol(call_tool=asks), then, state)["error"] == FOREIGN
    assert "result" in ask(a_protocol(call_tool=asks), first, state)


@requirement("P-123")
def test_state_of_another_key_is_refused() -> None:
    other = a_protocol(call_tool=asks, keys=[b"another key of the tests"])

    assert ask(other, state=a_state())["error"] == FOREIGN


@requirement("P-123", "P-124")
def test_state_of_another_method_is_refused() -> None:
    """Even where the parameters are the same, for surplus ones are ignored."""
    read = a_tool("resource:one")
    one = Resource("one", "r://one", None, None, None, (), (), None, read)
    catalog = a_catalog(a_tool())
    endpoint = replace(catalog.endpoints[0], resources={"one": one})
    protocol = a_protocol(
        replace(catalog, endpoints=(endpoint,)), asks, read_resource=asks_before_it_reads
    )
    params = {"name": "echo", "arguments": {"text": "hi"}, "uri": "r://one"}

    def answered(method: str, **more: object) -> Mapping[str, object]:
        body = encode(modern_message(method, {**params, **more}, meta=META))
        answer = asyncio.run(protocol.answer(body, Exchange(ANONYMOUS))).body
        assert isinstance(answer, bytes)
        message = decode(answer)
        assert isinstance(message, dict)
        return message

    first = answered("tools/call")["result"]
    assert isinstance(first, dict)
    answers = {"sure": {"action": "accept"}}
    retry = {"requestState": first["requestState"], "inputResponses": answers}

    assert answered("resources/read", **retry)["error"] == FOREIGN
    assert "result" in answered("tools/call", **retry)
