"""Arguments of a call from the shell: `name=value` words, or one JSON object.

Values are texts; the tool's input decides what they become, exactly as for a client that sends
numbers as texts. `name:=json` sends JSON, `name=@file` the content of a file.
"""

import os
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
        arguments.update(_object(_utf8(whole)))
    for word in map(_utf8, words):
        name, separator, value = word.partition("=")
        if not separator or not name:
            raise click.UsageError(f"expected name=value, found '{word}'")
        if name.endswith(":"):
            arguments[name[:-1]] = _json(value, name[:-1])
        elif value.startswith("@"):
            arguments[name] = _content(os.fsdecode(value[1:].encode()))
        else:
            arguments[name] = value
    return arguments


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
        raise click.UsageError(f"'{path}' cannot be read as UTF-8 text") from error
