"""Prompts: listed, and made of templates, files, images and resources, in both eras."""

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.offers.test_resources import PNG
from tests.offers.whole import Tree, Whole, faults, serve
from tests.requirements import requirement
from tests.wire.client import legacy_message, opening_params

WAV = b"RIFF\x04\x00\x00\x00WAVE"
FILE = """
databases: {main: {url: "sqlite:///main.db", create: {schema: schema.sql}}}
vars: {house: Bern}
defaults: {bind: {who: caller.user_id}}
resources:
  style: {uri: "docs://style", text: "Short sentences."}
  note: {uri: "note://{id}", input: {id: integer}, bind: {who: null},
    sql: SELECT text FROM notes WHERE id = :id, result: {shape: value}}
  asked: {uri: "asked://name", python: "code:ask", bind: {who: null}}
  broken: {uri: "broken://{word}", python: "code:fail", bind: {who: null}}
prompts:
  review:
    title: Review
    description: Reviews a text.
    icons: [{src: "https://example.com/i.png"}]
    arguments:
      text: {description: What to review, title: Text}
      tone?: {description: How it sounds}
    template: {file: review.md}
  plain: {template: "No {{ '{{ marks }}' }} here."}
  talk:
    arguments: {name: {}}
    bind: {greeting: "'Dear ' + name", house: vars.house}
    messages:
      - {role: user, text: "{{ greeting }} of {{ house }}"}
      - {role: assistant, text: "{% if name == 'Ann' %}Hello!{% else %}Who?{% endif %}"}
      - {role: user, image: dot.png}
      - {role: user, audio: beep.wav}
  styled: {messages: [{role: user, resource: "docs://style"}, {role: user, text: Go on.}]}
  noted: {arguments: {id: {}}, messages: [{role: user, resource: "note://{{ id | urlencode }}"}]}
  failing: {arguments: {word: {}}, messages: [{role: user, resource: "broken://{{ word }}"}]}
  asking: {messages: [{role: user, resource: "asked://name"}]}
  given:
    arguments: {uri: {}}
    messages:
      - {role: user, resource: {uri: "{{ uri }}", text: "All of {{ uri }}."}}
      - {role: user, resource: {uri: "x:logo", file: dot.png}}
      - {role: user, resource: {uri: "x:style", file: style.md, mime: text/plain}}
  long: {arguments: {text: {}}, template: "{{ text * 9 }}{{ text }}"}
  huge: {arguments: {text: {}}, messages: [{role: user, text: "{{ text }}"},
    {role: user, text: "{{ text }}"}]}
"""
REVIEW = "Review this{% if tone %} in a {{ tone }} tone{% endif %}:\n\n{{ text }}\n"
CODE = """
from runner import Context

def fail(word: str) -> str:
    raise RuntimeError("secret of the house")

async def ask(context: Context) -> str:
    reply = await context.elicit("Who?", {"name": {"type": "string"}}, key="who")
    return f"It is {reply.content['name']}."
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    folder = tmp_path_factory.mktemp("prompts")
    (folder / "schema.sql").write_text(
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT);\n"
        "INSERT INTO notes VALUES (1, 'One.');",
        encoding="utf-8",
    )
    (folder / "review.md").write_text(REVIEW, encoding="utf-8")
    (folder / "style.md").write_text("# {{ style }}\n", encoding="utf-8")
    (folder / "dot.png").write_bytes(PNG)
    (folder / "beep.wav").write_bytes(WAV)
    (folder / "code.py").write_text(CODE, encoding="utf-8")
    with serve(folder, FILE) as served:
        yield served


def text(text: str) -> dict[str, object]:
    return {"type": "text", "text": text}


def user(content: dict[str, object]) -> dict[str, object]:
    return {"role": "user", "content": content}


def got(whole: Whole, prompt: str, /, **arguments: str) -> object:
    return whole.result("prompts/get", {"name": prompt, "arguments": arguments})["messages"]


def refusal(whole: Whole, params: Tree) -> dict[str, object]:
    return whole.error("prompts/get", params)


def test_prompts_are_listed_in_the_order_of_the_file(whole: Whole) -> None:
    result = whole.result("prompts/list")
    assert (result["ttlMs"], result["cacheScope"]) == (60_000, "public")
    prompts = result["prompts"]
    assert isinstance(prompts, list)
    assert prompts[:2] == [
        {
            "name": "review",
            "title": "Review",
            "description": "Reviews a text.",
            "arguments": [
                {
                    "name": "text",
                    "title": "Text",
                    "description": "What to review",
                    "required": True,
                },
                {"name": "tone", "description": "How it sounds", "required": False},
            ],
            "icons": [{"src": "https://example.com/i.png"}],
        },
        {"name": "plain"},
    ]
    assert [item["name"] for item in prompts[2:5]] == ["talk", "styled", "noted"]


def test_capability_is_advertised(whole: Whole) -> None:
    found = whole.result("server/discover")["capabilities"]
    assert found == {"resources": {}, "prompts": {}, "logging": {}}


def test_template_of_a_file_is_one_message_of_the_user(whole: Whole) -> None:
    """The end of the file's last line is no part of the text."""
    result = whole.result(
        "prompts/get", {"name": "review", "arguments": {"text": "Hi", "tone": "plain"}}
    )
    result.pop("_meta")
    assert result == {
        "resultType": "complete",
        "description": "Reviews a text.",
        "messages": [user(text("Review this in a plain tone:\n\nHi"))],
    }


def test_optional_argument_may_be_absent(whole: Whole) -> None:
    assert got(whole, "review", text="Hi") == [user(text("Review this:\n\nHi"))]


@pytest.mark.parametrize("sent", ["{{ caller }}", "{% for x in y %}", "${HOME}", "$text", "\x00"])
def test_what_a_user_sends_is_never_evaluated(whole: Whole, sent: str) -> None:
    assert got(whole, "review", text=sent) == [user(text(f"Review this:\n\n{sent}"))]


def test_prompt_without_arguments_needs_none(whole: Whole) -> None:
    result = whole.result("prompts/get", {"name": "plain"})
    assert result["messages"] == [user(text("No {{ marks }} here."))]


def test_messages_have_roles_and_blocks_and_see_bound_arguments(whole: Whole) -> None:
    assert got(whole, "talk", name="Ann") == [
        user(text("Dear Ann of Bern")),
        {"role": "assistant", "content": text("Hello!")},
        user({"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": "image/png"}),
        user({"type": "audio", "data": base64.b64encode(WAV).decode(), "mimeType": "audio/wav"}),
    ]


def test_bound_argument_cannot_be_sent(whole: Whole) -> None:
    messages = got(whole, "talk", name="Bo", house="Rome", greeting="Bah")
    assert isinstance(messages, list)
    assert messages[0] == user(text("Dear Bo of Bern"))


def test_resource_of_the_server_is_read_and_embedded(whole: Whole) -> None:
    resource = {"uri": "docs://style", "mimeType": "text/plain", "text": "Short sentences."}
    assert got(whole, "styled") == [
        user({"type": "resource", "resource": resource}),
        user(text("Go on.")),
    ]
    resource = {"uri": "note://1", "mimeType": "text/plain", "text": "One."}
    assert got(whole, "noted", id="1") == [user({"type": "resource", "resource": resource})]


@pytest.mark.parametrize("sent", ["2", "one", "../1", "1?x", ""])
def test_resource_that_is_not_there_is_unknown_and_says_nothing_else(
    whole: Whole, sent: str
) -> None:
    params = {"name": "noted", "arguments": {"id": sent}}
    assert refusal(whole, params) == {"code": -32602, "message": "No such resource"}


def test_failure_of_a_resource_is_redacted(whole: Whole) -> None:
    error = refusal(whole, {"name": "failing", "arguments": {"word": "x"}})
    assert error["code"] == -32603
    assert "secret" not in str(error)


def test_resource_of_a_prompt_may_ask_the_user(whole: Whole) -> None:
    meta: Tree = {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}
    asked = whole.result("prompts/get", {"name": "asking"}, meta=meta)
    assert asked["resultType"] == "input_required"
    answer = {"who": {"action": "accept", "content": {"name": "Ann"}}}
    params = {
        "name": "asking",
        "inputResponses": answer,
        "requestState": asked["requestState"],
    }
    resource = {"uri": "asked://name", "mimeType": "text/plain", "text": "It is Ann."}
    messages = whole.result("prompts/get", params, meta=meta)["messages"]
    assert messages == [user({"type": "resource", "resource": resource})]


def test_client_that_cannot_be_asked_is_told(whole: Whole) -> None:
    error = refusal(whole, {"name": "asking"})
    needed: Tree = {"requiredCapabilities": {"elicitation": {"form": {}}}}
    assert (error["code"], error["data"]) == (-32021, needed)
    told = "this client cannot be asked: over HTTP its version has no way back"
    for method, params in (
        ("prompts/get", {"name": "asking"}),
        ("resources/read", {"uri": "asked://name"}),
    ):
        assert whole.legacy(method, params)["error"] == {"code": -32603, "message": told}


def test_contents_of_the_authors_own_are_embedded_under_any_uri(whole: Whole) -> None:
    """Texts of the file are templates, contents of other files are not."""
    sent = "test://example-resource"
    own = {"uri": sent, "mimeType": "text/plain", "text": f"All of {sent}."}
    logo = {"uri": "x:logo", "mimeType": "image/png", "blob": base64.b64encode(PNG).decode()}
    style = {"uri": "x:style", "mimeType": "text/plain", "text": "# {{ style }}\n"}
    assert got(whole, "given", uri=sent) == [
        user({"type": "resource", "resource": resource}) for resource in (own, logo, style)
    ]


@requirement("P-114")
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"name": "nothing"}, "No prompt is named 'nothing'"),
        ({}, "params.name is a string: the name of a prompt"),
        ({"name": 1}, "params.name is a string: the name of a prompt"),
        ({"name": "review"}, "params.arguments lacks 'text'"),
        ({"name": "review", "arguments": {"tone": "x"}}, "params.arguments lacks 'text'"),
        ({"name": "review", "arguments": {"text": 1}}, "params.arguments.'text' is a string"),
        ({"name": "review", "arguments": {"text": None}}, "params.arguments.'text' is a string"),
        ({"name": "review", "arguments": ["x"]}, "params.arguments is an object"),
    ],
)
def test_request_that_does_not_fit_is_an_error_of_the_protocol(
    whole: Whole, params: dict[str, object], message: str
) -> None:
    assert refusal(whole, params) == {"code": -32602, "message": message}


def test_undeclared_arguments_are_ignored(whole: Whole) -> None:
    assert got(whole, "review", text="Hi", nothing="x") == [user(text("Review this:\n\nHi"))]


def test_prompt_over_the_budget_is_refused(whole: Whole) -> None:
    sent = {"text": "x" * 600_000}
    message = "an expression of this tool makes too long a text"
    assert refusal(whole, {"name": "long", "arguments": sent}) == {
        "code": -32603,
        "message": message,
    }
    message = "the prompt is larger than the limit of 1048576 bytes"
    assert refusal(whole, {"name": "huge", "arguments": sent}) == {
        "code": -32603,
        "message": message,
    }


def test_legacy_clients_get_the_same_without_the_modern_members(whole: Whole) -> None:
    params = {"name": "review", "arguments": {"text": "Hi"}}
    assert whole.legacy("prompts/get", params)["result"] == {
        "description": "Reviews a text.",
        "messages": [user(text("Review this:\n\nHi"))],
    }
    listed = whole.legacy("prompts/list", version="2025-06-18")["result"]
    assert isinstance(listed, dict)
    assert set(listed) == {"prompts"}
    assert "icons" not in listed["prompts"][0]


def test_sound_is_told_to_a_version_that_cannot_carry_it(whole: Whole) -> None:
    params = {"name": "talk", "arguments": {"name": "Ann"}}
    result = whole.legacy("prompts/get", params, version="2024-11-05")["result"]
    assert isinstance(result, dict)
    told = "(a sound of type audio/wav, which this version of the protocol cannot carry)"
    assert result["messages"][3] == user(text(told))


def test_legacy_capability_is_advertised(whole: Whole) -> None:
    message = legacy_message("initialize", opening_params("2025-11-25"))
    result = whole.legacy("initialize", message["params"])["result"]  # type: ignore[arg-type]
    assert isinstance(result, dict)
    assert result["capabilities"] == {"resources": {}, "prompts": {}}


def test_server_without_prompts_has_no_such_methods(tmp_path: Path) -> None:
    with serve(tmp_path, "tools: {t: {description: T., value: 1}}\n") as whole:
        assert whole.result("server/discover")["capabilities"] == {"tools": {}}
        assert whole.error("prompts/list")["code"] == -32601
        assert whole.error("prompts/get", {"name": "x"})["code"] == -32601


@pytest.mark.parametrize(
    ("prompt", "fault"),
    [
        ("{}", ["4:3 missing-field"]),
        ("{template: x, messages: []}", ["4:20 conflicting-fields"]),
        ("{messages: []}", ["4:17 missing-field"]),
        ('{template: "{{ nam }}", arguments: {name: {}}}', ["4:21 unknown-name"]),
        ("{template: {file: nothing.md}}", ["4:24 missing-file"]),
        ("{template: {text: x, file: y}}", ["4:27 conflicting-fields", "4:33 missing-file"]),
        ("{messages: [{role: system, text: x}]}", ["4:25 unknown-word"]),
        ("{messages: [{role: user}]}", ["4:18 missing-field"]),
        ("{messages: [{role: user, text: x, image: y.png}]}", ["4:40", "4:47 missing-file"]),
        ("{messages: [{role: user, image: no.png}]}", ["4:38 missing-file"]),
        ("{messages: [{role: user, image: beep.wav}]}", ["4:38 wrong-media"]),
        ("{messages: [{role: user, audio: mcp.yaml}]}", ["4:38 wrong-media"]),
        ("{messages: [{role: user, image: empty.png}]}", ["4:38 wrong-media"]),
        ("{messages: [{role: user, image: large.png}]}", ["4:38 file-too-large"]),
        ('{messages: [{role: user, resource: "no:thing"}]}', ["4:41 unknown-resource"]),
        (
            '{messages: [{role: user, resource: {uri: "no:thing"}}]}',
            ["4:47 unknown-resource"],
        ),
        ('{messages: [{role: user, resource: "{{ x }}"}]}', ["4:45 unknown-name"]),
        (
            '{messages: [{role: user, resource: {uri: "x:y", mime: a/b}}]}',
            ["4:54 misplaced-field"],
        ),
        ("{template: x, arguments: {caller: {}}}", ["4:32 reserved-name"]),
        ("{template: x, arguments: {a: {}, a?: {}}}", ["4:39 name-taken"]),
        ('{template: "{{ a }}", arguments: {a: {}}, bind: {a: 1}}', ["4:55 name-taken"]),
        ("{template: x, access: public}", ["4:20 not-available"]),
        ("{template: x, bind: {y: 1 +}}", ["4:33 expression-syntax"]),
        ("{template: x, arguments: {a: {}}}", ["4:35 unused-parameter"]),
        ("{template: x, bind: {a: 1}}", ["4:30 unused-parameter"]),
    ],
)
def test_faults_are_told_at_their_place(tmp_path: Path, prompt: str, fault: list[str]) -> None:
    (tmp_path / "beep.wav").write_bytes(WAV)
    (tmp_path / "empty.png").write_bytes(b"")
    (tmp_path / "large.png").write_bytes(b"x" * (1024 * 1024 + 1))
    found = faults(tmp_path, f"prompts:\n  p: {prompt}\n")
    assert len(found) == len(fault), found
    assert all(one.startswith(other) for one, other in zip(found, fault, strict=True)), found


ENDPOINTS = """
resources:
  style: {uri: "docs://style", text: Short.}
  inner: {uri: "docs://inner", text: Not for all.}
prompts:
  styled: {messages: [{role: user, resource: "docs://style"}], tags: public}
  any: {arguments: {uri: {}}, messages: [{role: user, resource: "{{ uri }}"}]}
  other: {template: x}
endpoints:
  all: {path: /mcp, prompts: ["*"], resources: ["*"]}
  few: {path: /few, prompts: [styled, any], resources: inner}
  public: {path: /public, prompts: "*", tags: public}
"""


def test_endpoint_offers_the_prompts_that_it_chooses(tmp_path: Path) -> None:
    with serve(tmp_path, ENDPOINTS) as whole:
        listed = {}
        for path in ("/mcp", "/few", "/public"):
            prompts = whole.result("prompts/list", path=path)["prompts"]
            assert isinstance(prompts, list)
            listed[path] = [item["name"] for item in prompts]
        assert listed == {
            "/mcp": ["styled", "any", "other"],
            "/few": ["styled", "any"],
            "/public": ["styled"],
        }
        error = whole.error("prompts/get", {"name": "other"}, path="/few")
        assert error == {"code": -32602, "message": "No prompt is named 'other'"}


def test_resource_that_a_client_names_is_one_of_the_endpoint(tmp_path: Path) -> None:
    """The author's own choice may be one that the endpoint does not offer otherwise."""
    with serve(tmp_path, ENDPOINTS) as whole:
        for path in ("/mcp", "/few", "/public"):
            assert whole.result("prompts/get", {"name": "styled"}, path=path)["messages"]
        for uri, is_offered in (("docs://inner", True), ("docs://style", False)):
            params = {"name": "any", "arguments": {"uri": uri}}
            assert ("result" in whole.ask("prompts/get", params, path="/few")) is is_offered


def test_prompts_of_names_that_clients_refuse_are_told(tmp_path: Path) -> None:
    text = "prompts:\n  a b: {template: x}\n  c: {template: x}\n  C: {template: x}\n"
    assert faults(tmp_path, text) == ["4:3 bad-name", "6:3 name-taken"]


def test_fault_of_a_resource_is_not_one_of_what_embeds_it(tmp_path: Path) -> None:
    text = (
        "resources: {r: {uri: 'a:{b', text: x}}\n"
        "prompts: {p: {messages: [{role: user, resource: 'a:b'}]}}\n"
    )
    assert faults(tmp_path, text) == ["3:22 bad-uri-template"]
