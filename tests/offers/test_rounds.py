"""Questions to the client: `confirm`, `ask` and what Python asks, round by round."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from runner.codec.json import decode, encode
from tests.offers.whole import Whole, faults, serve
from tests.requirements import requirement
from tests.wire.client import PREFIX
from tests.wire.recording import takes_more

ALL: Mapping[str, object] = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}
FILE = """
databases: {main: {url: "sqlite:///main.db", create: {schema: schema.sql, seed: seed.sql}}}
callers: {ann: {user_id: ann}}
tools:
  get_note:
    description: One note.
    input: {id: integer}
    sql: SELECT text FROM notes WHERE id = :id
    result: {shape: row}
  delete_note:
    description: Deletes a note.
    writes: destructive
    input: {id: integer}
    confirm: {text: "Delete note {{ id }}?", show: {tool: get_note, with: {id: $id}}}
    sql: DELETE FROM notes WHERE id = :id
    result: {shape: affected}
  touch_note:
    description: Changes nothing much.
    writes: true
    input: {id: integer}
    confirm: {text: Touch it?, fallback: allow}
    sql: UPDATE notes SET text = text WHERE id = :id
    result: {shape: affected}
  add_note:
    title: Add a note
    description: Adds a note.
    writes: true
    input: {text: {type: string, minLength: 2}, kind?: [short, long], id: integer}
    ask: [text, kind]
    sql: INSERT INTO notes VALUES (:id, :text || coalesce(substr(:kind, 1, 0), '')) RETURNING text
    result: {shape: value}
  ask_name: {description: Greets., writes: false, python: "code:ask_name"}
  ask_twice: {description: Asks in two rounds., writes: false, python: "code:ask_twice"}
  ask_all: {description: Asks everything at once., writes: false, python: "code:ask_all"}
  open_page: {description: Opens a page., writes: false, python: "code:open_page"}
  degrade: {description: Does without., writes: false, python: "code:degrade"}
  sync: {description: Asks from a thread., writes: false, python: "code:sync"}
  outer:
    description: A step that would ask.
    confirm: Both?
    steps: [{tool: delete_note, with: {id: 1}, as: a}]
resources:
  asking: {uri: "ask://name", python: "code:ask_name"}
"""
CODE = """
from runner import ClientCannotError, Context, Form, Roots, Sample

NAME = {"name": {"type": "string", "minLength": 1}}
COLOUR = {"colour": {"enum": ["red", "blue"], "type": "string"}}
GREET = [{"role": "user", "content": {"type": "text", "text": "Greet."}}]

async def ask_name(context: Context) -> str:
    reply = await context.elicit("What is your name?", NAME, key="user_name")
    return f"Hello, {reply.content['name']}!" if reply else f"Nobody ({reply.action})."

async def ask_twice(context: Context) -> str:
    name = await context.elicit("What is your name?", NAME)
    colour = await context.elicit(f"{name.content['name']}, which colour?", COLOUR)
    return f"{name.content['name']}: {colour.content['colour']}"

async def ask_all(context: Context) -> dict[str, object]:
    replies = await context.ask({
        "name": Form("Name?", {"type": "object", "properties": {}}),
        "greeting": Sample({"messages": GREET, "maxTokens": 100}),
        "roots": Roots(),
    })
    return {key: sorted(reply) for key, reply in replies.items()}

async def open_page(context: Context) -> str:
    return "opened" if await context.elicit_url("Look.", "https://example.com/x") else "not opened"

async def degrade(context: Context) -> str:
    try:
        return str(await context.roots())
    except ClientCannotError:
        return "without roots"

def sync(context: Context) -> str:
    reply = context.elicit("What is your name?", NAME).wait()
    return reply.content["name"]
"""


@pytest.fixture
def whole(tmp_path: Path) -> Iterator[Whole]:
    (tmp_path / "schema.sql").write_text(
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT);", encoding="utf-8"
    )
    (tmp_path / "seed.sql").write_text(
        "INSERT INTO notes VALUES (1, 'One.'), (2, 'Two.');", encoding="utf-8"
    )
    (tmp_path / "code.py").write_text(CODE, encoding="utf-8")
    with serve(tmp_path, FILE) as served:
        yield served


class Rounds:
    """One call, made again with answers."""

    def __init__(
        self,
        whole: Whole,
        name: str,
        arguments: Mapping[str, object] | None = None,
        capabilities: Mapping[str, object] = ALL,
    ) -> None:
        self._whole = whole
        self.params: dict[str, object] = {"name": name, "arguments": dict(arguments or {})}
        self.capabilities = capabilities
        self.state: object = None

    def ask(self, answers: Mapping[str, object] | None = None, **rest: object) -> dict[str, object]:
        """The response message."""
        params = {**self.params, **rest}
        if answers is not None:
            params["inputResponses"] = dict(answers)
        if self.state is not None and "requestState" not in params:
            params["requestState"] = self.state
        meta = {f"{PREFIX}clientCapabilities": self.capabilities}
        message = self._whole.ask("tools/call", params, meta=meta)
        result = message.get("result")
        if isinstance(result, dict) and result["resultType"] == "input_required":
            self.state = result["requestState"]
        return message

    def asked(self, answers: Mapping[str, object] | None = None, **rest: object) -> object:
        """What the client is asked."""
        result = self.ask(answers, **rest)["result"]
        assert isinstance(result, dict)
        assert result["resultType"] == "input_required", result
        assert set(result) == {"resultType", "inputRequests", "requestState", "_meta"}
        return result["inputRequests"]

    def done(self, answers: Mapping[str, object] | None = None, **rest: object) -> object:
        """The text of a call that came to its end."""
        result = self.ask(answers, **rest)["result"]
        assert isinstance(result, dict)
        assert result["resultType"] == "complete", result
        text = result["content"][0]["text"]
        return f"error: {text}" if result.get("isError") else text

    def error(self, answers: Mapping[str, object] | None = None, **rest: object) -> object:
        """The error of the protocol."""
        return self.ask(answers, **rest)["error"]


def notes(whole: Whole) -> list[int]:
    found = []
    for id_ in (1, 2, 3):
        text = Rounds(whole, "get_note", {"id": id_}).done()
        found += [] if text == "null" else [id_]
    return found


def accept(**content: object) -> dict[str, object]:
    return {"action": "accept", "content": content}


def form(message: str, **properties: object) -> dict[str, object]:
    required = {"required": list(properties)} if properties else {}
    schema = {"type": "object", "properties": properties, **required}
    params = {"mode": "form", "message": message, "requestedSchema": schema}
    return {"method": "elicitation/create", "params": params}


NAME = form("What is your name?", name={"type": "string", "minLength": 1})


@requirement("P-120", "P-121")
def test_confirmation_shows_what_a_read_tool_returns_and_then_runs(whole: Whole) -> None:
    rounds = Rounds(whole, "delete_note", {"id": 1})
    question = form('Delete note 1?\n\n{"text":"One."}')
    assert rounds.asked() == {"confirm": question}
    assert notes(whole) == [1, 2]
    assert rounds.done({"confirm": accept()}) == "1"
    assert notes(whole) == [2]


@requirement("P-125")
def test_surplus_answers_are_ignored(whole: Whole) -> None:
    rounds = Rounds(whole, "ask_name")
    rounds.asked()
    answers = {"user_name": accept(name="Ann"), "other": accept(), "third": {"action": "decline"}}
    assert rounds.done(answers) == "Hello, Ann!"


@requirement("P-126")
@pytest.mark.parametrize(("action", "did"), [("decline", "declined"), ("cancel", "cancelled")])
def test_declined_confirmation_is_a_normal_end(whole: Whole, action: str, did: str) -> None:
    rounds = Rounds(whole, "delete_note", {"id": 1})
    rounds.asked()
    undone = f"error: The user {did}; nothing was done."
    assert rounds.done({"confirm": {"action": action}}) == undone
    assert notes(whole) == [1, 2]


def test_confirmation_that_was_never_asked_does_not_count(whole: Whole) -> None:
    rounds = Rounds(whole, "delete_note", {"id": 1})
    assert rounds.asked({"confirm": accept()}) == {
        "confirm": form('Delete note 1?\n\n{"text":"One."}')
    }
    assert notes(whole) == [1, 2]


def test_what_was_shown_is_what_is_confirmed(whole: Whole) -> None:
    rounds = Rounds(whole, "delete_note", {"id": 3})
    assert rounds.asked() == {"confirm": form("Delete note 3?\n\nnull")}
    assert Rounds(whole, "add_note", {"id": 3, "text": "New.", "kind": "short"}).done() == '"New."'
    later = form('Delete note 3?\n\n{"text":"New."}')
    assert rounds.asked({"confirm": accept()}) == {"confirm": later}
    assert rounds.done({"confirm": accept()}) == "1"


@requirement("P-029", "P-122")
def test_client_without_forms_is_refused_or_goes_on_as_the_file_says(whole: Whole) -> None:
    refused = Rounds(whole, "delete_note", {"id": 1}, {})
    assert refused.error() == {
        "code": -32021,
        "message": "the call has to ask, for which the client would have to declare elicitation",
        "data": {"requiredCapabilities": {"elicitation": {"form": {}}}},
    }
    assert Rounds(whole, "touch_note", {"id": 1}, {}).done() == "1"
    assert Rounds(whole, "touch_note", {"id": 1}).asked() == {"confirm": form("Touch it?")}


def test_missing_values_are_asked_for_and_bound(whole: Whole) -> None:
    listed = {t["name"]: t for t in whole.result("tools/list")["tools"]}  # type: ignore[attr-defined]
    assert listed["add_note"]["inputSchema"]["required"] == ["id"]
    rounds = Rounds(whole, "add_note", {"id": 3})
    schema = {
        "type": "object",
        "properties": {
            "text": {"type": "string", "minLength": 2},
            "kind": {"type": "string", "enum": ["short", "long"]},
        },
        "required": ["text"],
    }
    params = {
        "mode": "form",
        "message": "Add a note needs more to go on.",
        "requestedSchema": schema,
    }
    question = {"values": {"method": "elicitation/create", "params": params}}
    assert rounds.asked() == question
    assert rounds.asked({"values": accept(text="x")}) == question
    assert rounds.done({"values": accept(text="Three.")}) == '"Three."'


def test_values_that_nobody_can_be_asked_for_are_a_fault_of_the_arguments(whole: Whole) -> None:
    found = Rounds(whole, "add_note", {"id": 3}, {}).done()
    assert found == "error: text: required, but missing"
    declined = Rounds(whole, "add_note", {"id": 3})
    declined.asked()
    assert declined.done({"values": {"action": "decline"}}) == (
        "error: The user declined; nothing was done."
    )


def test_python_asks_and_goes_on_with_the_answer(whole: Whole) -> None:
    rounds = Rounds(whole, "ask_name")
    assert rounds.asked() == {"user_name": NAME}
    assert rounds.done({"user_name": accept(name="Ann")}) == "Hello, Ann!"
    assert rounds.done({"user_name": {"action": "cancel"}}) == "Nobody (cancel)."


def test_sync_function_asks_from_its_thread(whole: Whole) -> None:
    rounds = Rounds(whole, "sync")
    assert rounds.asked() == {"question_1": NAME}
    assert rounds.done({"question_1": accept(name="Ann")}) == "Ann"


def test_earlier_answers_travel_in_the_state(whole: Whole) -> None:
    rounds = Rounds(whole, "ask_twice")
    assert rounds.asked() == {"question_1": NAME}
    first = rounds.state
    colour = {"enum": ["red", "blue"], "type": "string"}
    question = {"question_2": form("Ann, which colour?", colour=colour)}
    assert rounds.asked({"question_1": accept(name="Ann")}) == question
    assert rounds.state != first
    assert rounds.done({"question_2": accept(colour="red")}) == "Ann: red"


def test_several_questions_are_put_at_once(whole: Whole) -> None:
    rounds = Rounds(whole, "ask_all")
    asked = rounds.asked()
    assert isinstance(asked, dict)
    assert {key: request["method"] for key, request in asked.items()} == {
        "name": "elicitation/create",
        "greeting": "sampling/createMessage",
        "roots": "roots/list",
    }
    text = {"type": "text", "text": "Hi."}
    greeting = {"role": "assistant", "model": "m", "content": text}
    rest = rounds.asked({"name": accept(), "greeting": greeting})
    assert isinstance(rest, dict)
    assert list(rest) == ["roots"]
    done = rounds.done({"roots": {"roots": [{"uri": "file:///work"}]}})
    assert decode(str(done)) == {
        "name": ["action", "content"],
        "greeting": ["content", "model", "role"],
        "roots": ["roots"],
    }


@requirement("P-122")
def test_address_is_opened_by_clients_that_can(whole: Whole) -> None:
    link = {"mode": "url", "message": "Look.", "url": "https://example.com/x"}
    rounds = Rounds(whole, "open_page")
    assert rounds.asked() == {"question_1": {"method": "elicitation/create", "params": link}}
    assert rounds.done({"question_1": {"action": "accept"}}) == "opened"
    refused = Rounds(whole, "open_page", capabilities={"elicitation": {}}).error()
    assert isinstance(refused, dict)
    assert refused["data"] == {"requiredCapabilities": {"elicitation": {"url": {}}}}


def test_author_does_without_what_the_client_lacks(whole: Whole) -> None:
    assert Rounds(whole, "degrade", capabilities={"sampling": {}}).done() == "without roots"


@requirement("P-125")
@pytest.mark.parametrize(
    "answers",
    [
        {},
        {"wrong": accept(name="Ann")},
        {"user_name": accept()},
        {"user_name": accept(name=1)},
        {"user_name": accept(name="")},
        {"user_name": {"action": "yes"}},
        {"user_name": {"action": ["accept"]}},
        {"user_name": {"content": {"name": "Ann"}}},
        {"user_name": {"action": "accept", "content": "Ann"}},
    ],
)
@takes_more("answers that are malformed: they are asked for again")
def test_answer_that_does_not_fit_is_asked_for_again(
    whole: Whole, answers: Mapping[str, object]
) -> None:
    rounds = Rounds(whole, "ask_name")
    rounds.asked()
    assert rounds.asked(answers) == {"user_name": NAME}


@pytest.mark.parametrize("answers", [1, "x", [], {"user_name": 12345}, {"user_name": None}])
def test_answers_that_are_no_objects_are_refused(whole: Whole, answers: object) -> None:
    error = Rounds(whole, "ask_name").error(inputResponses=answers)
    message = "params.inputResponses is an object of objects"
    assert error == {"code": -32602, "message": message}


@requirement("P-123", "P-124")
def test_state_is_good_for_its_request_alone(whole: Whole) -> None:
    rounds = Rounds(whole, "delete_note", {"id": 1})
    rounds.asked()
    state = rounds.state
    assert isinstance(state, str)
    foreign = {
        "code": -32602,
        "message": "The requestState is not one that this server gave out for this request",
    }
    other = Rounds(whole, "delete_note", {"id": 2})
    other.state = state
    assert other.error({"confirm": accept()}) == foreign
    for mangled in (state + "-TAMPERED", state[:-1], "", "x" * 40, 1):
        assert rounds.error({"confirm": accept()}, requestState=mangled) == foreign
    assert notes(whole) == [1, 2]


@requirement("P-128")
def test_states_of_several_keys_are_good_and_those_of_none_are_not(tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text(CODE, encoding="utf-8")
    tool = 'tools: {ask_name: {description: G., writes: false, python: "code:ask_name"}}\n'
    old, new = "the old key of replicas", "the new key of replicas"

    def states(keys: list[str]) -> str:
        return f"serve: {{state_keys: {encode(keys).decode()}}}\n{tool}"

    with serve(tmp_path, states([old])) as first:
        rounds = Rounds(first, "ask_name")
        rounds.asked()
    with serve(tmp_path, states([new, old])) as second:
        again = Rounds(second, "ask_name")
        again.state = rounds.state
        assert again.done({"user_name": accept(name="Ann")}) == "Hello, Ann!"
    with serve(tmp_path, states([new])) as third:
        late = Rounds(third, "ask_name")
        late.state = rounds.state
        error = late.error({"user_name": accept(name="Ann")})
        assert isinstance(error, dict)
        assert error["code"] == -32602


@requirement("P-120", "P-073")
def test_resource_asks_too(whole: Whole) -> None:
    meta = {f"{PREFIX}clientCapabilities": ALL}
    first = whole.result("resources/read", {"uri": "ask://name"}, meta=meta)
    assert first["resultType"] == "input_required"
    assert first["inputRequests"] == {"user_name": NAME}
    params = {
        "uri": "ask://name",
        "requestState": first["requestState"],
        "inputResponses": {"user_name": accept(name="Ann")},
    }
    last = whole.result("resources/read", params, meta=meta)
    assert last["contents"] == [
        {"uri": "ask://name", "mimeType": "text/plain", "text": "Hello, Ann!"}
    ]
    assert (last["ttlMs"], last["cacheScope"]) == (0, "private"), "it is this user's answer"


def test_steps_ask_once_for_all(whole: Whole) -> None:
    rounds = Rounds(whole, "outer")
    assert rounds.asked() == {"confirm": form("Both?")}
    assert decode(str(rounds.done({"confirm": accept()}))) == {"a": 1}
    assert notes(whole) == [2]


def test_legacy_clients_over_http_are_told_that_they_cannot_be_asked(whole: Whole) -> None:
    params = {"name": "delete_note", "arguments": {"id": 1}}
    message = whole.legacy("tools/call", params)
    text = "this client cannot be asked: over HTTP its version has no way back"
    assert message["result"] == {"content": [{"type": "text", "text": text}], "isError": True}
    params = {"name": "touch_note", "arguments": {"id": 1}}
    assert whole.legacy("tools/call", params)["result"] == {
        "content": [{"type": "text", "text": "1"}],
        "structuredContent": {"result": 1},
    }


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ("confirm: {text: x, show: {tool: nothing}}", "unknown-tool"),
        ("confirm: {text: x, show: {tool: w}}", "shows-what-acts"),
        ("confirm: {text: x, show: {tool: r, with: {b: 1}}}", "unknown-argument"),
        ("confirm: {text: x, show: {tool: r}}", "missing-argument"),
        ('confirm: "{{ nobody }}"', "unknown-name"),
        ("ask: [b]", "unknown-parameter"),
        ("ask: [o]", "not-for-a-form"),
    ],
)
def test_faults_are_told(tmp_path: Path, fields: str, fault: str) -> None:
    text = f"""tools:
  r: {{description: R., input: {{a: string}}, value: $a}}
  w: {{description: W., writes: true, input: {{a: string}}, value: $a}}
  t: {{description: T., input: {{o?: object}}, value: 1, {fields}}}
"""
    assert fault in {item.partition(" ")[2] for item in faults(tmp_path, text)}


def test_step_that_would_ask_is_refused(tmp_path: Path) -> None:
    text = """tools:
  a: {description: A., confirm: Really?, value: 1}
  b: {description: B., steps: [{tool: a, as: x}]}
"""
    assert faults(tmp_path, text) == ["5:39 asking-step"]
