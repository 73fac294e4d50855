"""Older clients over stdio are asked by requests, while their call waits for the answer."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from runner.app import catalog_of, check, open_invoker, protocols_of, state_keys
from runner.catalog.caller import ANONYMOUS
from runner.catalog.catalog import Catalog
from runner.codec.json import encode
from runner.protocol.jsonrpc import Body, joined
from runner.transport.questions import MAX_OPEN
from runner.transport.stdio import Stdio
from tests.offers.whole import HEAD
from tests.wire.client import PREFIX, legacy_message, modern_message
from tests.wire.http_client import LIMIT_S
from tests.wire.recording import LEGACY_SCHEMA, validator, version_of
from tests.wire.recording import check as check_message

Message = dict[str, object]
FILE = """
budgets: {concurrency: 200}
tools:
  sure: {description: Asks first., writes: true, confirm: Sure?, value: done}
  soon: {description: Waits not long., writes: true, confirm: Sure?, timeout: 50ms, value: done}
  greet:
    description: Greets.
    writes: false
    input: {name: string}
    ask: [name]
    value: "Hello, {{ name }}!"
  page: {description: Opens., writes: false, python: "asking_tool:page"}
  write: {description: Writes., writes: false, python: "asking_tool:write"}
  folders: {description: Lists., writes: false, python: "asking_tool:folders"}
  both: {description: Asks at once., writes: false, python: "asking_tool:both"}
  sync: {description: From a thread., writes: false, python: "asking_tool:sync"}
  trip: {description: A form with defaults., writes: false, python: "asking_tool:trip"}
  several: {description: A form with a list., writes: false, python: "asking_tool:several"}
"""
CODE = """
from runner import Context, Form, Roots

async def both(context: Context) -> str:
    name = Form("Name?", {"properties": {"name": {"type": "string"}}, "required": ["name"]})
    replies = await context.ask({"name": name, "roots": Roots()})
    assert list(replies) == ["name", "roots"]
    return replies["name"]["content"]["name"] + " in " + replies["roots"]["roots"][0]["uri"]

async def page(context: Context) -> str:
    return "opened" if await context.elicit_url("Look.", "https://example.com/x") else "not opened"

async def write(context: Context) -> str:
    return (await context.sample("Greet."))["content"]["text"]

async def folders(context: Context) -> str:
    return (await context.roots())[0]["uri"]

async def trip(context: Context) -> str:
    reply = await context.elicit("Where to?", {
        "by": {"type": "string", "oneOf": [{"const": "t", "title": "Train"}]},
        "seats": {"type": "integer", "default": 2},
    })
    return f"{reply.content['seats']} by {reply.content['by']}"

async def several(context: Context) -> str:
    tags = {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}
    return str((await context.elicit("Tags?", {"tags": tags})).content["tags"])

def sync(context: Context) -> str:
    reply = context.elicit("Name?", {"name": {"type": "string"}}).wait()
    return reply.content["name"]
"""
REQUESTS = {
    "elicitation/create": "ElicitRequest",
    "sampling/createMessage": "CreateMessageRequest",
    "roots/list": "ListRootsRequest",
}
ALL: Message = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}
CANCELLED = "notifications/cancelled"


class Client:
    """The far end of a server that runs in this process."""

    def __init__(self) -> None:
        self._input: asyncio.Queue[bytes] = asyncio.Queue()
        self._output: asyncio.Queue[bytes] = asyncio.Queue()
        self.is_broken = False
        self.unwritten_bytes = 0
        self._version = LEGACY_SCHEMA
        self._sent: dict[object, Message] = {}

    async def read(self) -> bytes:
        """What the server reads."""
        return await self._input.get()

    def put(self, message: Body) -> None:
        """What the server writes."""
        self._output.put_nowait(joined(message))

    async def flush(self) -> None:
        """At once."""

    def send(self, message: object) -> None:
        """Sends a message."""
        for one in message if isinstance(message, list) else [message]:
            if isinstance(one, dict) and "method" in one:
                self._sent[one.get("id")] = one
        self._input.put_nowait(encode(message) + b"\n")

    def call(self, tool: str, id_: int = 1) -> None:
        """Calls a tool without arguments."""
        self.send(legacy_message("tools/call", {"name": tool, "arguments": {}}, id_=id_))

    def answer(self, question: Message, result: Message) -> None:
        """Answers a request of the server."""
        self.send({"jsonrpc": "2.0", "id": question["id"], "result": result})

    def end(self) -> None:
        """Ends the input."""
        self._input.put_nowait(b"")

    async def receive(self) -> Message:
        """The next message of the server."""
        message = await self.receive_any()
        assert isinstance(message, dict)
        return message

    async def receive_batch(self) -> list[Message]:
        """The answers to a batch."""
        messages = await self.receive_any()
        assert isinstance(messages, list)
        return messages

    async def receive_any(self) -> object:
        """The same, or a batch."""
        async with asyncio.timeout(LIMIT_S):
            found: object = json.loads(await self._output.get())
        for message in found if isinstance(found, list) else [found]:
            assert isinstance(message, dict)
            self._check(message)
        return found

    def _check(self, message: Message) -> None:
        """Fails unless the schema of the version admits the message."""
        if "id" in message and "method" in message:
            name = REQUESTS[str(message["method"])]
            validator(self._version, name).validate(message)
            return
        about = self._sent.get(message.get("id"), {})
        check_message(message, version_of(about, self._version), str(about.get("method")))

    async def open(self, version: str, capabilities: Message) -> None:
        """Initializes."""
        params = {"protocolVersion": version, "capabilities": capabilities}
        self._version = version
        self.send(legacy_message("initialize", params, id_=0))
        assert (await self.receive())["id"] == 0


@asynccontextmanager
async def served(catalog: Catalog) -> AsyncIterator[Client]:
    """A client of the catalog, which ends its input at last."""
    keys, client = state_keys(catalog), Client()
    async with open_invoker(catalog, keys) as invoker:
        stdio = Stdio(
            protocols_of(catalog, invoker, keys)["/mcp"],
            ANONYMOUS,
            reader=client,
            writer=client,
            max_line_bytes=4096,
            drain_s=LIMIT_S,
        )
        serving = asyncio.create_task(stdio.serve(asyncio.Event()))
        yield client
        client.end()
        async with asyncio.timeout(LIMIT_S):
            await serving


Talk = Callable[[Client], Coroutine[object, object, None]]


@pytest.fixture
def run(tmp_path: Path) -> Callable[[Talk], None]:
    """Runs a conversation with the file."""

    (tmp_path / "asking_tool.py").write_text(CODE)
    (tmp_path / "mcp.yaml").write_text(HEAD + FILE)
    checked = check(tmp_path / "mcp.yaml", {}, connects=True)
    assert checked.diagnostics == (), checked.diagnostics
    catalog = catalog_of(checked)

    async def main(talk: Talk) -> None:
        async with served(catalog) as client:
            await talk(client)

    return lambda talk: asyncio.run(main(talk))


def text(answer: Message) -> object:
    """The text of a result."""
    result = answer["result"]
    assert isinstance(result, dict)
    return result["content"][0]["text"]


SAID = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Hi."}}
NOTHING = {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    ("tool", "version", "method", "reply", "expected"),
    [
        ("sure", "2025-11-25", "elicitation/create", {"action": "accept"}, '"done"'),
        ("sure", "2025-06-18", "elicitation/create", {"action": "accept"}, '"done"'),
        ("sure", "2025-11-25", "elicitation/create", {"action": "decline"},
         "The user declined; nothing was done."),
        ("greet", "2025-11-25", "elicitation/create",
         {"action": "accept", "content": {"name": "Ann"}}, '"Hello, Ann!"'),
        ("sync", "2025-06-18", "elicitation/create",
         {"action": "accept", "content": {"name": "Ann"}}, "Ann"),
        ("page", "2025-11-25", "elicitation/create", {"action": "accept"}, "opened"),
        ("trip", "2025-06-18", "elicitation/create",
         {"action": "accept", "content": {"by": "t"}}, "2 by t"),
        ("several", "2025-11-25", "elicitation/create",
         {"action": "accept", "content": {"tags": ["b"]}}, "['b']"),
        ("write", "2024-11-05", "sampling/createMessage", SAID, "Hi."),
        ("folders", "2025-03-26", "roots/list", {"roots": [{"uri": "file:///x"}]}, "file:///x"),
        ("folders", "2025-11-25", "roots/list", {"roots": "none"},
         "The client gave no answer that can be used."),
    ],
)  # fmt: skip
def test_call_goes_on_with_the_answer_to_the_request(
    run: Callable[[Talk], None],
    tool: str,
    version: str,
    method: str,
    reply: Message,
    expected: str,
) -> None:
    async def talk(client: Client) -> None:
        await client.open(version, ALL)
        client.call(tool)
        question = await client.receive()
        assert question["method"] == method
        client.answer(question, reply)
        answer = await client.receive()
        assert (answer["id"], text(answer)) == (1, expected)

    run(talk)


def test_question_is_a_request_with_an_id_of_the_servers_own(run: Callable[[Talk], None]) -> None:
    async def talk(client: Client) -> None:
        await client.open("2025-11-25", ALL)
        client.call("sure")
        assert await client.receive() == {
            "jsonrpc": "2.0",
            "id": "mcp-run-question-1",
            "method": "elicitation/create",
            "params": {"mode": "form", "message": "Sure?", "requestedSchema": NOTHING},
        }

    run(talk)


@pytest.mark.parametrize(
    ("tool", "version", "capabilities"),
    [
        ("sure", "2025-11-25", {}),
        ("sure", "2025-03-26", ALL),
        ("page", "2025-06-18", ALL),
        ("several", "2025-06-18", ALL),
        ("page", "2025-11-25", {"elicitation": {}}),
    ],
)
def test_client_that_cannot_be_asked_gets_an_error_and_no_request(
    run: Callable[[Talk], None], tool: str, version: str, capabilities: Message
) -> None:
    async def talk(client: Client) -> None:
        await client.open(version, capabilities)
        client.call(tool)
        answer = await client.receive()
        assert (answer["id"], "method" in answer) == (1, False)
        result = answer["result"]
        assert isinstance(result, dict)
        assert result["isError"] is True
        assert str(text(answer)).startswith("this client ")

    run(talk)


def test_modern_client_is_never_sent_a_request(run: Callable[[Talk], None]) -> None:
    """Not even after `initialize` in the same process, which declared everything."""

    async def talk(client: Client) -> None:
        await client.open("2025-11-25", ALL)
        meta = {f"{PREFIX}clientCapabilities": ALL}
        client.send(modern_message("tools/call", {"name": "sure", "arguments": {}}, meta=meta))
        result = (await client.receive())["result"]
        assert isinstance(result, dict)
        assert result["resultType"] == "input_required"

    run(talk)


def test_answers_are_matched_by_id_in_any_order(run: Callable[[Talk], None]) -> None:
    """As many as may be open at one time; one more is refused, and none of them is stuck."""

    async def talk(client: Client) -> None:
        await client.open("2025-11-25", ALL)
        for number in range(1, MAX_OPEN + 1):
            client.call("greet", number)
        questions = [await client.receive() for _ in range(MAX_OPEN)]
        client.call("sure", 1000)
        refusal = await client.receive()
        assert text(refusal) == f"The client has {MAX_OPEN} questions to answer already; try again."
        for question in reversed(questions):
            client.answer(question, {"action": "accept", "content": {"name": str(question["id"])}})
        answers = [await client.receive() for _ in range(MAX_OPEN)]
        assert {answer["id"] for answer in answers} == set(range(1, MAX_OPEN + 1))
        assert {text(answer) for answer in answers} == {
            f'"Hello, {item["id"]}!"' for item in questions
        }

    run(talk)


async def both_questions(client: Client) -> tuple[Message, Message]:
    """What `both` asks, all of which comes before anything is answered."""
    await client.open("2025-06-18", ALL)
    client.call("both")
    form, folders = await client.receive(), await client.receive()
    assert (form["method"], folders["method"]) == ("elicitation/create", "roots/list")
    return form, folders


def test_questions_of_one_round_are_put_at_once(run: Callable[[Talk], None]) -> None:
    async def talk(client: Client) -> None:
        form, folders = await both_questions(client)
        client.answer(folders, {"roots": [{"uri": "file:///x"}]})
        client.answer(form, {"action": "accept", "content": {"name": "Ann"}})
        assert text(await client.receive()) == "Ann in file:///x"

    run(talk)


@pytest.mark.parametrize("unusable", [0, 1], ids=["first", "second"])
def test_unusable_answer_ends_the_other_questions(
    run: Callable[[Talk], None], unusable: int
) -> None:
    async def talk(client: Client) -> None:
        questions = await both_questions(client)
        client.answer(questions[unusable], {"action": "accept", "content": {}, "roots": 1})
        other = questions[1 - unusable]["id"]
        assert (await client.receive())["params"] == {"requestId": other}
        assert text(await client.receive()) == "The client gave no answer that can be used."

    run(talk)


def test_cancelled_call_cancels_all_its_questions(run: Callable[[Talk], None]) -> None:
    async def talk(client: Client) -> None:
        questions = await both_questions(client)
        client.send({"jsonrpc": "2.0", "method": CANCELLED, "params": {"requestId": 1}})
        cancelled = [(await client.receive())["params"] for _ in questions]
        assert cancelled == [{"requestId": question["id"]} for question in questions]

    run(talk)


def test_error_for_an_answer_fails_the_call_alone(run: Callable[[Talk], None]) -> None:
    async def talk(client: Client) -> None:
        await client.open("2025-11-25", ALL)
        client.call("sure")
        question = await client.receive()
        error = {"code": -1, "message": "User rejected"}
        client.send({"jsonrpc": "2.0", "id": question["id"], "error": error})
        assert text(await client.receive()) == "The client gave no answer that can be used."

    run(talk)


def test_question_that_nobody_answers_is_cancelled_and_its_late_answer_dropped(
    run: Callable[[Talk], None],
) -> None:
    async def talk(client: Client) -> None:
        await client.open("2025-11-25", ALL)
        client.call("soon")
        question = await client.receive()
        cancelled = {"requestId": question["id"]}
        assert await client.receive() == {
            "jsonrpc": "2.0", "method": CANCELLED, "params": cancelled,
        }  # fmt: skip
        assert text(await client.receive()) == "Nobody answered within 0.05 s."
        client.answer(question, {"action": "accept"})
        client.send(legacy_message("ping", id_=2))
        assert await client.receive() == {"jsonrpc": "2.0", "id": 2, "result": {}}

    run(talk)


def test_cancelled_call_cancels_its_question_and_is_not_answered(
    run: Callable[[Talk], None],
) -> None:
    async def talk(client: Client) -> None:
        await client.open("2025-11-25", ALL)
        client.call("sure")
        question = await client.receive()
        client.send({"jsonrpc": "2.0", "method": CANCELLED, "params": {"requestId": 1}})
        cancelled = {"requestId": question["id"]}
        assert (await client.receive())["params"] == cancelled
        client.send(legacy_message("ping", id_=2))
        assert (await client.receive())["id"] == 2

    run(talk)


def test_cancelled_member_of_a_batch_cancels_its_question(run: Callable[[Talk], None]) -> None:
    async def talk(client: Client) -> None:
        await client.open("2025-03-26", ALL)
        call = {"name": "folders", "arguments": {}}
        client.send([legacy_message("tools/call", call, id_=number) for number in (1, 2)])
        first, second = await client.receive(), await client.receive()
        client.send({"jsonrpc": "2.0", "method": CANCELLED, "params": {"requestId": 1}})
        assert (await client.receive())["params"] == {"requestId": first["id"]}
        client.answer(second, {"roots": [{"uri": "file:///x"}]})
        [answer] = await client.receive_batch()
        assert (answer["id"], text(answer)) == (2, "file:///x")

    run(talk)


def test_end_of_input_ends_what_waits_for_an_answer(run: Callable[[Talk], None]) -> None:
    async def talk(client: Client) -> None:
        await client.open("2025-11-25", ALL)
        client.call("sure")
        await client.receive()
        client.end()
        ended = "The client ended its input, so that nobody can be asked."
        assert text(await client.receive()) == ended

    run(talk)


def test_answer_may_come_in_a_batch_where_the_version_has_them(
    run: Callable[[Talk], None],
) -> None:
    async def talk(client: Client) -> None:
        await client.open("2025-03-26", ALL)
        client.call("folders")
        question = await client.receive()
        reply = {"roots": [{"uri": "file:///x"}]}
        ping = legacy_message("ping", id_=2)
        client.send([{"jsonrpc": "2.0", "id": question["id"], "result": reply}, ping])
        found = [await client.receive_any() for _ in range(2)]
        assert [{"jsonrpc": "2.0", "id": 2, "result": {}}] in found
        [answer] = [message for message in found if isinstance(message, dict)]
        assert text(answer) == "file:///x"

    run(talk)
