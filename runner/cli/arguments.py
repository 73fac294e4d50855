"""Arguments of a call from the shell: `name=value` words, or one JSON object.

Values are texts; the tool's input decides what they become, exactly as for a client that sends
numbers as texts. `name:=json` sends JSON, `name=@file` the content of a file.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from runner.codec.json import JsonFault, decode


def read_arguments(words: Sequence[str], whole: str | None) -> dict[str, object]:
    """The arguments of a call.

    Raises:
        click.UsageError: a word that is none of the forms.
    """
    arguments: dict[str, object] = {}
    if whole is not None:
        arguments.update(_object(whole))
    for word in words:
        name, separator, value = word.partition("=")
        if not separator or not name:
            raise click.UsageError(f"expected name=value, found '{word}'")
        if name.endswith(":"):
            arguments[name[:-1]] = _json(value, name[:-1])
        elif value.startswith("@"):
            arguments[name] = _content(value[1:])
        else:
            arguments[name] = _text(word, value)
    return arguments


def _text(word: str, value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise click.UsageError(f"expected UTF-8 text, found {word!r}") from error
    return value


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
        raise click.UsageError(f"'{path}' cannot be read as UTF-8 text") from error
