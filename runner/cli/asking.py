"""Questions of a call that is made from the shell: put to the person at the terminal.

What is read there is held against the form, as a client's answer is, and asked again if it does not
fit.
"""

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import click

from runner.catalog.asking import Form, Link, Question, Reply, Roots, Sample
from runner.catalog.schema import JsonSchema
from runner.cli.console import visible
from runner.codec.json import JsonFault, decode, encode
from runner.errors import ClientCannotError
from runner.protocol.questions import is_reply

_BOOLEANS: Final = {"yes": True, "y": True, "true": True, "no": False, "n": False, "false": False}


@dataclass(frozen=True, slots=True)
class Person:
    """Who is asked."""

    tool: str
    agrees: bool
    """Says yes to every question that wants nothing else."""

    async def ask(self, questions: Mapping[str, Question]) -> Mapping[str, Reply]:
        """The replies, one question after the other.

        Raises:
            ClientCannotError: there is no terminal, or the question is for a client's model.
        """
        return {
            key: await asyncio.to_thread(self._reply, question)
            for key, question in questions.items()
        }

    def _reply(self, question: Question) -> Reply:
        match question:
            case Form():
                return self._of_form(question)
            case Link():
                return self._agreed(f"{question.message}\n{question.url}\nDone?", {})
            case Sample() | Roots():
                raise ClientCannotError(
                    f"'{self.tool}' asks the client's program, and a shell is none", {}
                )

    def _of_form(self, form: Form) -> Reply:
        fields = _fields(form)
        if not fields:
            return self._agreed(form.message, {"content": {}})
        self._require_terminal()
        click.echo(visible(form.message), err=True)
        while True:
            content = self._filled_in(form, fields)
            if content is None:
                return {"action": "cancel"}
            reply = {"action": "accept", "content": content}
            if is_reply(form, reply):
                return reply
            click.echo("That does not fit; once more.", err=True)

    def _filled_in(self, form: Form, fields: Mapping[str, JsonSchema]) -> dict[str, object] | None:
        """A value for each field, but those that were left empty; None: the person gave up."""
        required = form.schema.get("required")
        needed = required if isinstance(required, list | tuple) else ()
        texts: dict[str, str] = {}
        try:
            for name, field in fields.items():
                texts[name] = _read(name, field, is_needed=name in needed)
        except click.Abort:
            return None
        return {name: _value(fields[name], text) for name, text in texts.items() if text}

    def _agreed(self, message: str, accepted: Mapping[str, object]) -> Reply:
        if self.agrees:
            return {"action": "accept", **accepted}
        self._require_terminal()
        try:
            is_meant = click.confirm(visible(message), err=True)
        except click.Abort:
            return {"action": "cancel"}
        return {"action": "accept", **accepted} if is_meant else {"action": "decline"}

    def _require_terminal(self) -> None:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise ClientCannotError(
                f"'{self.tool}' asks before it goes on, and nobody can be asked here: call it on a"
                " terminal, or with --yes where it only wants to be confirmed",
                {},
            )


def _fields(form: Form) -> Mapping[str, JsonSchema]:
    properties = form.schema.get("properties")
    return properties if isinstance(properties, Mapping) else {}


def _read(name: str, field: JsonSchema, *, is_needed: bool) -> str:
    """What was typed, or the default; empty where nothing need be given."""
    words = [str(field.get("title", name))]
    if "description" in field:
        words.append(f"({field['description']})")
    choices = _choices(field)
    if choices:
        words.append(f"[{', '.join(choices)}]")
    if field.get("type") == "array":
        words.append("separated by commas")
    default = _typed(field.get("default", None if is_needed else ""))
    text: str = click.prompt(
        visible(" ".join(words)), default=default, show_default=bool(default), type=str, err=True
    )
    return text.strip()


def _typed(value: object) -> str | None:
    """The value as one would type it."""
    match value:
        case None | str():
            return value
        case list() | tuple():
            return ", ".join(map(str, value))
        case _:
            return encode(value).decode()


def _value(field: JsonSchema, text: str) -> object:
    """The value that was typed, by the field's type; the text itself where it is none."""
    match field.get("type"):
        case "array":
            return [item.strip() for item in text.split(",") if item.strip()]
        case "boolean":
            return _BOOLEANS.get(text.casefold(), text)
        case "integer" | "number":
            try:
                return decode(text.encode())
            except JsonFault:
                return text
        case _:
            return text


def _choices(field: JsonSchema) -> list[str]:
    """What may be chosen, as it is sent."""
    items = field.get("items")
    found = items if isinstance(items, Mapping) else field
    titled = found.get("oneOf", found.get("anyOf"))
    if isinstance(titled, list | tuple):
        return [str(choice["const"]) for choice in titled]
    plain = found.get("enum")
    return [str(choice) for choice in plain] if isinstance(plain, list | tuple) else []
