"""The live side of `context.elicit`, `sample` and `roots`: questions made, replies read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

import jsonschema_rs

from runner.catalog.asking import Form, Link, Question, Reply, Sample
from runner.codec.json import decode, encode

_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_SECRETS: Final = frozenset(
    (
        *("password", "passwd", "passphrase", "secret", "clientsecret"),
        *("apikey", "privatekey", "accesstoken", "refreshtoken"),
    )
)
"""Names of fields, without what is no letter or digit."""
_TEXT: Final = {"type": "string"}
_TEXTS: Final = {"type": "array", "items": _TEXT}
_COUNT: Final = {"type": "integer"}
_NUMBER: Final = {"type": "number"}
_TITLED: Final = {
    "type": "array",
    "items": {"required": ["const", "title"], "properties": {"const": _TEXT, "title": _TEXT}},
}
_FORMATS: Final = {"enum": ["email", "uri", "date", "date-time"]}
_KINDS: Final[Sequence[Mapping[str, object]]] = (
    {
        "type": {"const": "string"},
        "format": _FORMATS,
        "default": _TEXT,
        "minLength": _COUNT,
        "maxLength": _COUNT,
        "enum": _TEXTS,
        "enumNames": _TEXTS,
        "oneOf": _TITLED,
    },
    {
        "type": {"enum": ["number", "integer"]},
        "default": _NUMBER,
        "minimum": _NUMBER,
        "maximum": _NUMBER,
    },
    {"type": {"const": "boolean"}, "default": {"type": "boolean"}},
    {
        "type": {"const": "array"},
        "default": _TEXTS,
        "minItems": _COUNT,
        "maxItems": _COUNT,
        "items": {
            "anyOf": [
                {"required": ["type", "enum"], "properties": {"type": {}, "enum": _TEXTS}},
                {"required": ["anyOf"], "properties": {"anyOf": _TITLED}},
            ]
        },
    },
)
_FIELD: Final = jsonschema_rs.Draft202012Validator(
    {
        "type": "object",
        "properties": {"title": _TEXT, "description": _TEXT},
        "required": ["type"],
        "anyOf": [
            {"properties": kind, **({"required": ["items"]} if "items" in kind else {})}
            for kind in _KINDS
        ],
    }
)
"""What a field of a form may be; more members are let through."""


@dataclass(frozen=True, slots=True)
class Elicited:
    """What a user did with a form (`runner.Elicited`)."""

    action: str
    content: Mapping[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.action == "accept"


def form(message: str, fields: Mapping[str, Any] | None) -> Form:
    """The form of these fields; every field without a default is required."""
    properties = {name: dict(schema) for name, schema in (fields or {}).items()}
    required = [name for name, schema in properties.items() if "default" not in schema]
    schema: dict[str, object] = {"type": "object", "properties": properties}
    return Form(message, {**schema, "required": required} if required else schema)


def sample(
    prompt: str | list[dict[str, Any]], max_tokens: int, rest: Mapping[str, object]
) -> Sample:
    """The question for a text of the client's model."""
    messages = prompt
    if isinstance(prompt, str):
        messages = [{"role": "user", "content": {"type": "text", "text": prompt}}]
    return Sample({"messages": messages, "maxTokens": max_tokens, **rest})


def check_question(question: Question) -> None:
    """Returns where the question may be put to a user.

    Raises:
        ValueError: a form asks for a secret or has parts of its own, or an address is not safe.
    Source: MCP 2026-07-28, client/elicitation, security considerations.
    """
    match question:
        case Form():
            properties = question.schema.get("properties", {})
            if question.schema.get("type", "object") != "object" or not isinstance(
                properties, Mapping
            ):
                raise ValueError("a form is an object of fields")
            for name, schema in properties.items():
                _check_field(str(name), schema)
        case Link():
            _check_address(question.url)


def _check_field(name: str, schema: object) -> None:
    plain = "".join(letter for letter in name.lower() if letter.isalnum())
    found = schema if isinstance(schema, Mapping) else {}
    if plain in _SECRETS or found.get("format") == "password" or found.get("writeOnly") is True:
        raise ValueError(f"field '{name}': a form asks for no secret; send the user to an address")
    if not _FIELD.is_valid(decode(encode(schema))):
        raise ValueError(f"field '{name}' of a form is a text, number, boolean or choice")


def _check_address(url: str) -> None:
    parts = urlsplit(url)
    if parts.username is not None or parts.password is not None:
        raise ValueError("an address that a user opens holds no credentials")
    is_local = parts.scheme == "http" and parts.hostname in _LOOPBACK
    if not parts.hostname or (parts.scheme != "https" and not is_local):
        raise ValueError("an address that a user opens is https, or http on this machine")


def elicited(reply: Reply) -> Elicited:
    """The reply to a form or an address."""
    content = reply.get("content")
    is_accepted = reply.get("action") == "accept" and isinstance(content, Mapping)
    return Elicited(str(reply.get("action")), dict(content) if is_accepted else {})  # type: ignore[call-overload]  # a mapping
