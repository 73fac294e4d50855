"""Headers that repeat the body: equal, or refused with -32020."""

import json
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest

from runner.catalog.prompt import Prompt
from runner.catalog.schema import HeaderParameter
from runner.codec.json import encode
from tests.requirements import requirement
from tests.wire.client import StdioClient, an_app, modern_message
from tests.wire.http_client import send
from tests.wire.serving import a_catalog, a_protocol, a_tool
from tests.wire.test_legacy_methods import a_full_catalog, one_and_bytes

VERSION = ("MCP-Protocol-Version", "2026-07-28")
METHOD = ("Mcp-Method", "tools/call")
NAME = ("Mcp-Name", "echo")
DECLARED = (
    HeaderParameter("City", ("city",), "string"),
    HeaderParameter("Limit", ("page", "limit"), "integer"),
    HeaderParameter("Dry", ("dry",), "boolean"),
)


def outcome(headers: Sequence[tuple[str, str]], **arguments: object) -> tuple[int, object]:
    """Status and error message, or None, of a call with `arguments`."""
    app = an_app(a_protocol(a_catalog(a_tool(headers=DECLARED))))
    message = modern_message("tools/call", {"name": "echo", "arguments": arguments})
    response = send(app, encode(message), headers)
    error = json.loads(response.body).get("error")
    assert error is None or error["code"] == -32020
    return response.status, error and error["message"]


@requirement("P-022", "P-030", "P-040", "P-041")
@pytest.mark.parametrize(
    ("headers", "fault"),
    [
        ([METHOD, NAME], "The header MCP-Protocol-Version is missing"),
        ([VERSION, VERSION, METHOD, NAME], "The header MCP-Protocol-Version disagrees"),
        ([VERSION, NAME], "The header Mcp-Method is missing"),
        ([VERSION, METHOD, METHOD, NAME], "The header Mcp-Method disagrees"),
        ([VERSION, ("Mcp-Method", "TOOLS/CALL"), NAME], "The header Mcp-Method disagrees"),
        ([VERSION, ("Mcp-Method", "tools/list"), NAME], "The header Mcp-Method disagrees"),
        ([VERSION, METHOD], "The header Mcp-Name is missing"),
        ([VERSION, METHOD, ("Mcp-Name", "Echo")], "The header Mcp-Name disagrees"),
        ([VERSION, METHOD, NAME, NAME], "The header Mcp-Name disagrees"),
        ([VERSION, METHOD, ("Mcp-Name", "=?base64?ZWNobw?=")], "The header Mcp-Name disagrees"),
        ([VERSION, METHOD, ("Mcp-Name", "ech\xf6")], "The header Mcp-Name disagrees"),
    ],
)
def test_header_that_is_missing_or_disagrees_is_refused(
    headers: Sequence[tuple[str, str]], fault: str
) -> None:
    status, message = outcome(headers)

    assert status == 400
    assert str(message).removesuffix(" with the body") == fault


@requirement("P-042", "P-043")
@pytest.mark.parametrize(
    "headers",
    [
        [("mcp-PROTOCOL-version", "2026-07-28"), ("MCP-METHOD", "tools/call"), NAME],
        [(VERSION[0], " 2026-07-28\t"), (METHOD[0], "  tools/call"), (NAME[0], "echo \t ")],
        [VERSION, METHOD, ("Mcp-Name", "=?base64?ZWNobw==?=")],
        [VERSION, METHOD, NAME, ("Mcp-Param-Unknown", "x"), ("Mcp-Param-Unknown", "y")],
        [VERSION, METHOD, NAME, ("Mcp-Session-Id", "s"), ("Last-Event-ID", "7")],
    ],
    ids=["case of names", "blanks", "base64", "unknown parameter", "headers of old"],
)
def test_header_that_agrees_passes(headers: Sequence[tuple[str, str]]) -> None:
    assert outcome(headers) == (200, None)


@requirement("P-043", "P-044", "P-045", "P-046", "P-047", "P-048")
@pytest.mark.parametrize(
    ("arguments", "header", "passes"),
    [
        ({"city": "north"}, ("City", "north"), True),
        ({"city": "Zürich"}, ("City", "=?base64?WsO8cmljaA==?="), True),
        ({"city": " x"}, ("City", "=?base64?IHg=?="), True),
        ({"city": "Hello"}, ("City", "=?base64?SGVsbG8?="), False),
        ({"city": "Hello"}, ("City", "=?base64?SGVs*G8=?="), False),
        ({"city": "Hello"}, ("City", "=?base64?SGVsbG9=?="), False),
        ({"city": "\xff"}, ("City", "=?base64?/w==?="), False),
        ({"city": "=?base64?x"}, ("City", "=?base64?x"), True),
        ({"city": "x?="}, ("City", "x?="), True),
        ({"city": "=?base64?="}, ("City", "=?base64?="), True),
        ({"city": "=?BASE64?eA==?="}, ("City", "=?BASE64?eA==?="), True),
        ({"city": "a\tb"}, ("City", "a\tb"), True),
        ({"city": "a\x01b"}, ("City", "a\x01b"), False),
        ({"city": "Zürich"}, ("City", "Zürich"), False),
        ({"city": "north"}, ("City", "North"), False),
        ({"city": "north"}, None, False),
        ({"city": ""}, ("City", ""), True),
        ({}, None, True),
        ({"city": None}, None, True),
        ({}, ("City", "north"), False),
        ({"city": None}, ("City", ""), False),
        ({"page": {"limit": 42}}, ("Limit", "42"), True),
        ({"page": {"limit": 42}}, ("Limit", "42.0"), True),
        ({"page": {"limit": 42.0}}, ("Limit", "42"), True),
        ({"page": {"limit": 42}}, ("Limit", "42.5"), False),
        ({"page": {"limit": 42}}, ("Limit", "9" * 5000), False),
        ({"page": {"limit": 42}}, None, False),
        ({"page": []}, None, True),
        ({"dry": True}, ("Dry", "true"), True),
        ({"dry": True}, ("Dry", "1"), False),
        ({"city": ["north"]}, None, True),
        ({"city": ["north"]}, ("City", "north"), False),
    ],
    ids=str,
)
def test_parameter_header_agrees_with_its_argument(
    arguments: dict[str, object], header: tuple[str, str] | None, passes: bool
) -> None:
    """What no header can say (a list) is left to the check of the arguments."""
    extra = [] if header is None else [(f"Mcp-Param-{header[0]}", header[1])]

    status, message = outcome([VERSION, METHOD, NAME, *extra], **arguments)

    assert (status, message is None) == ((200, True) if passes else (400, False))


NAMED: Mapping[str, Mapping[str, object]] = {
    "tools/call": {"name": "echo", "arguments": {"text": "hi"}},
    "resources/read": {"uri": "r://one"},
    "prompts/get": {"name": "write"},
}
"""Every method whose `Mcp-Name` repeats a parameter; those of tasks are held elsewhere."""


@requirement("P-041", "P-043")
@pytest.mark.parametrize("method", NAMED)
@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda name: [name], None),
        (lambda name: [f"=?base64?{b64encode(name.encode()).decode()}?="], None),
        (lambda _name: [], "is missing"),
        (lambda name: [name.upper()], "disagrees with the body"),
        (lambda name: [name, name], "disagrees with the body"),
        (lambda _name: ["other"], "disagrees with the body"),
    ],
    ids=["the same", "base64", "none", "upper case", "twice", "another"],
)
def test_name_header_repeats_the_name_or_the_uri(
    method: str, change: Callable[[str], list[str]], fault: str | None
) -> None:
    params = NAMED[method]
    name = str(params.get("uri", params.get("name")))
    prompt = Prompt("write", None, None, (), (), (), (), (), 100)
    catalog = a_full_catalog()
    endpoint = replace(catalog.endpoints[0], prompts={"write": prompt})
    protocol = a_protocol(replace(catalog, endpoints=(endpoint,)), read_resource=one_and_bytes)
    headers = [VERSION, ("Mcp-Method", method), *(("Mcp-Name", item) for item in change(name))]

    response = send(an_app(protocol), encode(modern_message(method, params)), headers)

    error = json.loads(response.body).get("error")
    told = None if fault is None else {"code": -32020, "message": f"The header Mcp-Name {fault}"}
    assert (response.status, error) == (200 if fault is None else 400, told)


def test_name_header_of_a_method_that_names_nothing_is_ignored() -> None:
    headers = [VERSION, ("Mcp-Method", "tools/list"), ("Mcp-Name", "anything")]

    response = send(an_app(a_protocol()), encode(modern_message("tools/list")), headers)

    assert response.status == 200


def test_repeated_parameter_header_is_refused() -> None:
    twice = [("Mcp-Param-City", "north")] * 2

    assert outcome([VERSION, METHOD, NAME, *twice], city="north")[0] == 400


def test_name_header_without_a_name_in_the_body_is_refused() -> None:
    message = modern_message("tools/call", {"arguments": {}})

    response = send(an_app(a_protocol()), encode(message), [VERSION, METHOD, NAME])

    assert json.loads(response.body)["error"]["code"] == -32020


def test_call_over_stdio_has_no_headers_to_repeat_anything() -> None:
    protocol = a_protocol(a_catalog(a_tool(headers=DECLARED)))
    params = {"name": "echo", "arguments": {"city": "north"}}

    [answer] = StdioClient().modern(protocol, modern_message("tools/call", params))

    result = answer["result"]
    assert isinstance(result, dict)
    assert result["structuredContent"] == {"city": "north"}
