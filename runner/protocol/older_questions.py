"""Questions as the clients of an older version are asked them, and their replies.

What a version cannot say is said otherwise where nothing is lost by that. A reply is checked
against the question as it was meant.
Source: MCP 2025-11-25 and 2025-06-18, client/elicitation and client/sampling.
"""

import math
from collections.abc import Container, Mapping
from typing import Final, assert_never

from runner.catalog.asking import Form, Link, Question, Reply, Roots, Sample
from runner.catalog.schema import JsonSchema
from runner.protocol.questions import request_of, with_tools
from runner.protocol.versions import Features

_ROUNDED: Final = {"minimum": math.ceil, "maximum": math.floor}


def older_request_of(
    question: Question, features: Features, *, id_: str
) -> dict[str, object] | None:
    """The method and the parameters of a question; None: the version cannot say it.

    `id_` is one that no other question of this server has.
    """
    if not _is_known(question, features):
        return None
    match question:
        case Form() if not features.newer_questions:
            return _older_form(question)
        case Link():
            return _link(question, id_)
        case _:
            return request_of(question)


def _is_known(question: Question, features: Features) -> bool:
    """The version has such questions."""
    match question:
        case Form():
            return features.forms
        case Link():
            return features.newer_questions
        case Sample():
            return features.newer_questions or _is_older_sample(question, features)
        case Roots():
            return True
        case _:
            assert_never(question)


def older_reply(question: Question, features: Features, reply: Reply) -> Reply:
    """The reply, with the defaults that the version could not say in the place of what is empty."""
    if not isinstance(question, Form) or features.newer_questions:
        return reply
    content = reply.get("content", {})
    if reply.get("action") != "accept" or not isinstance(content, Mapping):
        return reply
    defaults = {
        name: field["default"]
        for name, field in _fields(question).items()
        if "default" in field and field.get("type") != "boolean" and name not in _required(question)
    }
    return {**reply, "content": {**defaults, **content}}


def _link(link: Link, id_: str) -> dict[str, object]:
    """With the id that 2025-11-25 alone demands."""
    params = {"mode": "url", "elicitationId": id_, "message": link.message, "url": link.url}
    return {"method": "elicitation/create", "params": params}


def _is_older_sample(sample: Sample, features: Features) -> bool:
    """One block a message, and nothing of tools."""
    messages = sample.params.get("messages")
    kinds = ("text", "image", "audio") if features.audio else ("text", "image")
    found = messages if isinstance(messages, list | tuple) else ()
    return not with_tools(sample) and all(_is_block(message, kinds) for message in found)


def _is_block(message: object, kinds: Container[object]) -> bool:
    content = message.get("content") if isinstance(message, Mapping) else None
    return isinstance(content, Mapping) and content.get("type") in kinds


def _older_form(form: Form) -> dict[str, object] | None:
    """The form without a mode, and without what 2025-06-18 lacks."""
    properties = {name: _older_field(field) for name, field in _fields(form).items()}
    if None in properties.values():
        return None
    schema: dict[str, object] = {"type": "object", "properties": properties}
    if required := _required(form):
        schema["required"] = list(required)
    params = {"message": form.message, "requestedSchema": schema}
    return {"method": "elicitation/create", "params": params}


def _fields(form: Form) -> Mapping[str, JsonSchema]:
    properties = form.schema.get("properties")
    return properties if isinstance(properties, Mapping) else {}


def _required(form: Form) -> tuple[str, ...]:
    required = form.schema.get("required")
    return tuple(required) if isinstance(required, list | tuple) else ()


def _older_field(field: JsonSchema) -> JsonSchema | None:
    match field.get("type"):
        case "boolean":
            return field
        case "string":
            return _without_default(field, _with_older_titles(field))
        case "integer" | "number" as kind:
            return _without_default(field, _with_whole_bounds(field, is_integer=kind == "integer"))
        case _:
            return None


def _with_older_titles(field: JsonSchema) -> JsonSchema | None:
    """Choices with titles, as the version has them: in two lists."""
    choices = field.get("oneOf")
    if choices is None:
        return field
    if not isinstance(choices, list | tuple):
        return None
    rest = {key: value for key, value in field.items() if key != "oneOf"}
    values, titles = ([choice[key] for choice in choices] for key in ("const", "title"))
    return {**rest, "enum": values, "enumNames": titles}


def _with_whole_bounds(field: JsonSchema, *, is_integer: bool) -> JsonSchema | None:
    """The field with bounds that are integers, which is all that the version's schema admits."""
    bounds: dict[str, object] = {}
    for key, rounded in _ROUNDED.items():
        bound = field.get(key)
        if isinstance(bound, float):
            if not is_integer and not bound.is_integer():
                return None
            bounds[key] = rounded(bound)
    return {**field, **bounds}


def _without_default(meant: JsonSchema, field: JsonSchema | None) -> JsonSchema | None:
    """The field, whose description says what an empty one stands for."""
    if field is None or "default" not in field:
        return field
    said = f"Default: {_title_of(meant)}"
    description = field.get("description")
    rest = {key: value for key, value in field.items() if key != "default"}
    return {**rest, "description": f"{description} {said}" if description else said}


def _title_of(field: JsonSchema) -> object:
    """The default as the user knows it."""
    default, choices = field["default"], field.get("oneOf")
    found = choices if isinstance(choices, list | tuple) else ()
    return next((choice["title"] for choice in found if choice["const"] == default), default)
