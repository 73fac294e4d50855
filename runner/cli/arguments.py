"""Arguments of a call from the shell: `name=value` words, or one JSON object.

Values are texts; the tool's input decides what they become, exactly as for a client that sends
numbers as texts. `name:=json` sends JSON, `name=@file` the content of a file.
"""

import functools
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from runner.cli.options import Command
from runner.codec.json import JsonFault, decode

_WHO = "A name of `callers`, or a file of claims."
_WHOLE = "The arguments as JSON; - reads them."


@dataclass(frozen=True, slots=True)
class Asked:
    """The call that a command line asks for."""

    tool: str
    arguments: dict[str, object]
    who: str | None
    """As `--as` names the caller; None: the caller of stdio."""


def call_arguments(command: Command) -> Command:
    """TOOL, `name=value` words, `--json` and `--as`, as one `asked`."""

    @functools.wraps(command)
    def with_asked(
        *, tool: str, words: Sequence[str], whole: str | None, who: str | None, **others: object
    ) -> int:
        return command(asked=Asked(tool, read_arguments(words, whole), who), **others)

    added: Command = with_asked
    for option in (
        click.option(
            "--as", "who", metavar="CALLER", help="A name of `callers`, or a file of claims."
        ),
        click.option(
            "--json", "whole", metavar="OBJECT", help="The arguments as JSON; - reads them."
        ),
        click.argument("words", metavar="[NAME=VALUE]…", nargs=-1),
        click.argument("tool"),
    ):
        added = option(added)
    return added


def read_arguments(words: Sequence[str], whole: str | None) -> dict[str, object]:
    """The arguments of a call.

    Raises:
        click.UsageError: a word that is none of the forms, or an argument that is given twice.
    """
    readers = sum(word.partition("=")[2] == "@-" for word in words) + (whole == "-")
    if readers > 1:
        raise click.UsageError("standard input can be read for one argument, found several")
    arguments: dict[str, object] = {}
    if whole is not None:
        arguments.update(_object(_utf8(whole)))
    of_json = frozenset(arguments)
    for word in map(_utf8, words):
        written, separator, value = word.partition("=")
        name = written.removesuffix(":")
        if not separator or not name:
            raise click.UsageError(f"expected name=value, found '{word}'")
        if name in arguments:
            raise click.UsageError(
                f"'{name}' is given as a word and in --json"
                if name in of_json
                else f"'{name}' is given twice; a list is {name}:='[…]'"
            )
        arguments[name] = _value(name, value, is_json=written != name)
    return arguments


def _value(name: str, text: str, *, is_json: bool) -> object:
    if is_json:
        return _json(text, name)
    return _content(os.fsdecode(text[1:].encode())) if text.startswith("@") else text


def _utf8(word: str) -> str:
    """The word as it was typed, although the host's locale may have read it as another encoding."""
    try:
        return os.fsencode(word).decode("utf-8")
    except UnicodeDecodeError as error:
        raise click.UsageError("expected arguments in UTF-8") from error


def _object(text: str) -> dict[str, object]:
    value = _json(_content("-") if text == "-" else text, "--json")
    if not isinstance(value, dict):
        raise click.UsageError("expected a JSON object for --json")
    return value


def _json(text: str, name: str) -> object:
    try:
        return decode(text)
    except JsonFault as error:
        raise click.UsageError(f"'{name}' is no JSON: {error}") from error


def _content(path: str) -> str:
    try:
        if path == "-":
            return sys.stdin.buffer.read().decode("utf-8")
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(_unreadable(path, error)) from error


def _unreadable(path: str, error: OSError | UnicodeDecodeError) -> str:
    """Why there is no text; a value that begins with an `@` of its own needs the JSON form."""
    match error:
        case FileNotFoundError():
            return f"there is no file '{path}'; a text that begins with @ is name:='\"@…\"'"
        case OSError(strerror=str(why)):
            return f"'{path}' cannot be read: {why.lower()}"
        case _:
            return f"'{path}' cannot be read as UTF-8 text"
