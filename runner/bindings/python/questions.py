"""The live side of `context.elicit`, `sample` and `roots`: questions made, replies read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from runner.catalog.asking import Form, Reply, Sample


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


def elicited(reply: Reply) -> Elicited:
    """The reply to a form or an address."""
    content = reply.get("content")
    is_accepted = reply.get("action") == "accept" and isinstance(content, Mapping)
    return Elicited(str(reply.get("action")), dict(content) if is_accepted else {})  # type: ignore[call-overload]  # a mapping
