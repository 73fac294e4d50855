"""Questions as the client gets them, what it must be able to do for them, and its replies checked.

Source: MCP 2026-07-28, "Multi Round-Trip Requests", client/elicitation, /sampling, /roots.
"""

from collections.abc import Mapping
from typing import Final, assert_never

import jsonschema_rs

from runner.catalog.asking import Form, Link, Question, Roots, Sample
from runner.codec.json import Json

# Not sets: what a client sends need not be hashable.
_ACTIONS: Final = ("accept", "decline", "cancel")
_ROLES: Final = ("assistant", "user")
_TOOLS: Final = ("tools", "toolChoice")


def request_of(question: Question) -> dict[str, object]:
    """The method and the parameters of a question."""
    match question:
        case Form():
            params: dict[str, object] = {
                "mode": "form",
                "message": question.message,
                "requestedSchema": {"type": "object", "properties": {}, **question.schema},
            }
            return {"method": "elicitation/create", "params": params}
        case Link():
            link = {"mode": "url", "message": question.message, "url": question.url}
            return {"method": "elicitation/create", "params": link}
        case Sample():
            return {"method": "sampling/createMessage", "params": dict(question.params)}
        case Roots():
            return {"method": "roots/list", "params": {}}
        case _:
            assert_never(question)


def question_of(request: Json) -> Question | None:
    """The question that `request_of` made the request of; None: it made none."""
    match request:
        case {
            "method": "elicitation/create",
            "params": {"mode": "form", "message": str(message), "requestedSchema": dict(schema)},
        }:
            return Form(message, schema)
        case {
            "method": "elicitation/create",
            "params": {"mode": "url", "message": str(message), "url": str(url)},
        }:
            return Link(message, url)
        case {"method": "sampling/createMessage", "params": dict(params)}:
            return Sample(params)
        case {"method": "roots/list"}:
            return Roots()
        case _:
            return None


def missing_capability(
    question: Question, capabilities: Mapping[str, object]
) -> Mapping[str, object] | None:
    """What the client would have to declare to be asked; None: it has declared it."""
    name, mode = _needed(question)
    declared = capabilities.get(name)
    # Without a mode elicitation means forms, as it did before there were others.
    is_enough = isinstance(declared, Mapping) and (
        mode is None or mode in declared or (mode == "form" and not declared)
    )
    return None if is_enough else {name: {} if mode is None else {mode: {}}}


def _needed(question: Question) -> tuple[str, str | None]:
    """The capability, and the mode of it."""
    match question:
        case Form():
            return "elicitation", "form"
        case Link():
            return "elicitation", "url"
        case Sample():
            return "sampling", "tools" if with_tools(question) else None
        case Roots():
            return "roots", None
        case _:
            assert_never(question)


def with_tools(sample: Sample) -> bool:
    """The model is given tools."""
    return any(name in sample.params for name in _TOOLS)


def is_reply(question: Question, reply: Json) -> bool:
    """The reply has the form of an answer to the question."""
    if not isinstance(reply, dict):
        return False
    match question:
        case Form():
            return _is_filled_in(question, reply)
        case Link():
            return reply.get("action") in _ACTIONS
        case Sample():
            return _is_message(reply)
        case Roots():
            roots = reply.get("roots")
            return isinstance(roots, list) and all(map(_is_root, roots))
        case _:
            assert_never(question)


def _is_filled_in(form: Form, reply: Mapping[str, Json]) -> bool:
    if reply.get("action") != "accept":
        return reply.get("action") in _ACTIONS
    content = reply.get("content", {})
    return isinstance(content, dict) and _fits(form.schema, content)


def _is_message(reply: Mapping[str, Json]) -> bool:
    return (
        isinstance(reply.get("model"), str)
        and reply.get("role") in _ROLES
        and isinstance(reply.get("content"), dict | list)
    )


def _fits(schema: Mapping[str, object], content: Mapping[str, object]) -> bool:
    whole = {"type": "object", **schema}
    return jsonschema_rs.Draft202012Validator(whole, validate_formats=True).is_valid(dict(content))


def _is_root(root: Json) -> bool:
    return isinstance(root, dict) and str(root.get("uri", "")).startswith("file://")
