"""Questions to older clients: every one is a message that the schema of their version admits."""

from collections.abc import Mapping

import pytest

from runner.catalog.asking import Form, Link, Question, Roots, Sample
from runner.protocol.older_questions import older_reply, older_request_of
from runner.protocol.versions import FEATURES
from tests.wire.recording import validator

OLDEST, OLDER, OLD, LATEST = "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"
TITLED = [{"const": "r", "title": "Red"}, {"const": "b", "title": "Blue"}]
CHOICE = {"type": "string", "enum": ["r", "b"]}
NOTHING = Form("Sure?", {})


def a_form(field: Mapping[str, object]) -> Form:
    """A form of one field, which may stay empty."""
    return Form("Please", {"type": "object", "properties": {"a": field}})


def request_of(question: Question, version: str) -> dict[str, object] | None:
    """The request as the version is sent it, which its schema admits."""
    request = older_request_of(question, FEATURES[version], id_="9.1")
    if request is not None:
        name = {
            "elicitation/create": "ElicitRequest",
            "sampling/createMessage": "CreateMessageRequest",
            "roots/list": "ListRootsRequest",
        }[str(request["method"])]
        validator(version, name).validate({"jsonrpc": "2.0", "id": "q", **request})
    return request


@pytest.mark.parametrize(
    ("field", "older"),
    [
        ({"type": "string"}, {"type": "string"}),
        ({"type": "boolean", "default": True}, {"type": "boolean", "default": True}),
        (CHOICE, CHOICE),
        ({**CHOICE, "enumNames": ["R", "B"]}, {**CHOICE, "enumNames": ["R", "B"]}),
        (
            {"type": "string", "title": "Colour", "oneOf": TITLED},
            {**CHOICE, "title": "Colour", "enumNames": ["Red", "Blue"]},
        ),
        (
            {"type": "string", "oneOf": TITLED, "default": "b"},
            {**CHOICE, "enumNames": ["Red", "Blue"], "description": "Default: Blue"},
        ),
        (
            {"type": "integer", "default": 3, "description": "How many."},
            {"type": "integer", "description": "How many. Default: 3"},
        ),
        (
            {"type": "integer", "minimum": 0.5, "maximum": 3.5},
            {"type": "integer", "minimum": 1, "maximum": 3},
        ),
        (
            {"type": "number", "minimum": 1.0, "maximum": 3},
            {"type": "number", "minimum": 1, "maximum": 3},
        ),
        ({"type": "number", "minimum": 0.5}, None),
        ({"type": "array", "items": {"type": "string", "enum": ["a"]}}, None),
        ({"type": "array", "items": {"anyOf": TITLED}}, None),
    ],
    ids=str,
)
def test_field_is_said_in_the_words_of_the_version_or_not_at_all(
    field: Mapping[str, object], older: Mapping[str, object] | None
) -> None:
    latest, old = request_of(a_form(field), LATEST), request_of(a_form(field), OLD)

    def whole(found: Mapping[str, object]) -> dict[str, object]:
        return {"message": "Please", "requestedSchema": {"type": "object", "properties": found}}

    method = "elicitation/create"
    assert latest == {"method": method, "params": {"mode": "form", **whole({"a": field})}}
    assert old == (None if older is None else {"method": method, "params": whole({"a": older})})


def test_required_fields_stay_so_and_more_of_the_schema_does_not_travel() -> None:
    form = Form(
        "Please", {"properties": {"a": {"type": "string"}}, "required": ["a"], "x-note": "ours"}
    )

    request = request_of(form, OLD)

    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    params = {"message": "Please", "requestedSchema": schema}
    assert request == {"method": "elicitation/create", "params": params}


def test_address_has_the_id_that_its_one_version_demands() -> None:
    link = Link("Look.", "https://example.com/x")

    params = {"mode": "url", "elicitationId": "9.1", "message": link.message, "url": link.url}
    assert request_of(link, LATEST) == {"method": "elicitation/create", "params": params}


def a_sample(content: object, **more: object) -> Sample:
    """A question for the model."""
    return Sample({"messages": [{"role": "user", "content": content}], "maxTokens": 9, **more})


SOUND = {"type": "audio", "data": "AA==", "mimeType": "audio/wav"}
WORDS = {"type": "text", "text": "Hi."}


@pytest.mark.parametrize(
    ("question", "versions"),
    [
        (NOTHING, {OLD, LATEST}),
        (Link("Look.", "https://example.com/x"), {LATEST}),
        (Roots(), {OLDEST, OLDER, OLD, LATEST}),
        (a_sample(WORDS), {OLDEST, OLDER, OLD, LATEST}),
        (a_sample(SOUND), {OLDER, OLD, LATEST}),
        (a_sample([WORDS]), {LATEST}),
        (a_sample(WORDS, tools=[]), {LATEST}),
    ],
    ids=["form", "address", "folders", "text", "audio", "blocks", "tools"],
)
def test_question_is_for_the_versions_that_have_it(question: Question, versions: set[str]) -> None:
    asked = {
        version
        for version in (OLDEST, OLDER, OLD, LATEST)
        if request_of(question, version) is not None
    }

    assert asked == versions


DEFAULTS = Form(
    "Please",
    {
        "properties": {
            "city": {"type": "string", "default": "Bern"},
            "seats": {"type": "integer", "default": 2},
            "sure": {"type": "boolean", "default": True},
            "name": {"type": "string", "default": "Ann"},
        },
        "required": ["name"],
    },
)


@pytest.mark.parametrize(
    ("version", "content", "expected"),
    [
        (LATEST, {"name": "Bob"}, {"name": "Bob"}),
        (OLD, {"name": "Bob"}, {"name": "Bob", "city": "Bern", "seats": 2}),
        (OLD, {"name": "Bob", "seats": 1}, {"name": "Bob", "city": "Bern", "seats": 1}),
    ],
)
def test_default_that_cannot_be_said_stands_for_what_is_empty(
    version: str, content: Mapping[str, object], expected: Mapping[str, object]
) -> None:
    reply = {"action": "accept", "content": content}

    found = older_reply(DEFAULTS, FEATURES[version], reply)

    assert found == {"action": "accept", "content": expected}


@pytest.mark.parametrize(
    ("question", "reply"),
    [(DEFAULTS, {"action": "decline"}), (Roots(), {"roots": []})],
    ids=["declined", "folders"],
)
def test_other_replies_stay_as_they_are(question: Question, reply: Mapping[str, object]) -> None:
    assert older_reply(question, FEATURES[OLD], reply) == reply
