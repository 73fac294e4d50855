"""A statement of `connect` that an engine refuses, as the operator is told of it.

The engine's own words say why, but for what stands in quotes in the statement: that may be a
password.
"""

import re
from typing import Final

from runner.catalog.sources import Database
from runner.errors import StartError

_LITERAL: Final = re.compile(r"'((?:[^']|'')*)'|\$(\w*)\$(.*?)\$\2\$", re.DOTALL)
_DOUBLY_QUOTED: Final = re.compile(r'"((?:[^"]|"")*)"')


class ConnectError(Exception):
    """The engine refuses a statement of `connect`."""

    def __init__(self, index: int, words: str) -> None:
        super().__init__(words)
        self.index = index
        """Counted from 0."""
        self.words = words


def connect_fault(database: Database, error: ConnectError) -> StartError:
    """What the operator is told."""
    count = len(database.connect)
    which = f"statement {error.index + 1} of {count} of 'connect'" if count > 1 else "'connect'"
    words = _without_literals(error.words, database.connect[error.index], database.dialect)
    message = f"database '{database.name}': the engine refuses {which}: {words}"
    return StartError(message, field=("connect", error.index))


def _without_literals(words: str, statement: str, dialect: str) -> str:
    found = [match[1] or match[3] or "" for match in _LITERAL.finditer(statement)]
    if dialect in ("mysql", "mariadb"):
        found += [match[1] for match in _DOUBLY_QUOTED.finditer(statement)]
    for literal in sorted(found, key=len, reverse=True):
        words = words.replace(literal, "…") if literal.strip() else words
    return words
