"""Functions of SQLite whose cost is the product of two sizes, bounded for statements of clients.

SQLite hears a stop between its instructions, and one call of a function is one instruction: some
letters of a client's could keep a thread for minutes. So these functions are ours on a connection
for clients: they refuse a call that would take long and hear the stop before each one. What they
return SQLite itself computes, on a connection that holds nothing. That costs some 3 µs a call, so
the two common forms, `LIKE '%word%'` and `instr` of texts, are Python's own search.
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from runner.bindings.sql.sqlite_errors import translated
from runner.bindings.sql.wording import refused
from runner.errors import BindingError, Kind

Value = str | bytes | int | float | None
_PAIRS: Final = {
    "like": 30_000_000,
    "glob": 30_000_000,
    "trim": 50_000_000,
    "ltrim": 50_000_000,
    "rtrim": 50_000_000,
    "instr": 10_000_000_000,
    "replace": 10_000_000_000,
}
"""The product of the sizes of the first two arguments that takes some 0.3 s at worst."""
_ARGUMENTS: Final = (
    ("like", 2), ("like", 3), ("glob", 2), ("trim", 2), ("ltrim", 2), ("rtrim", 2), ("instr", 2),
    ("replace", 3),
)  # fmt: skip
_REFUSED: Final = ("json_patch",)
"""It compares each key with each, and what it returns is JSON to other functions, which a function
of ours cannot say."""


class BoundedFunctions:
    """The functions of one connection; used by the thread of its session."""

    def __init__(
        self, connection: sqlite3.Connection, *, value_bytes: int, is_stopped: Callable[[], bool]
    ) -> None:
        """`value_bytes` bounds what they return, before it is made."""
        self._fault: BindingError | None = None
        """Why a call was refused; SQLite's error says only that one was."""
        self._is_stopped = is_stopped
        self._sqlite = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self._sqlite.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, value_bytes)
        for name, count in _ARGUMENTS:
            connection.create_function(name, count, self._bounded(name, count), deterministic=True)
        for name in _REFUSED:
            connection.create_function(name, 2, self._refuse, deterministic=True)

    def _bounded(self, name: str, count: int) -> Callable[..., Value]:
        most = _PAIRS[name]
        text = f"SELECT {name}({', '.join('?' * count)})"
        execute, quick = self._sqlite.execute, _QUICK.get((name, count))

        def call(*values: Value) -> Value:
            if self._is_stopped():
                self._fault = refused(Kind.CANCELLED)
                raise self._fault
            if quick is not None and (known := quick(values)) is not None:
                return known
            if _size(values[0]) * _size(values[1]) > most:
                self._refuse()
            try:
                found: tuple[Value] = execute(text, values).fetchone()
            except sqlite3.Error as error:
                self._fault = translated(error)
                raise self._fault from error
            return found[0]

        return call

    def _refuse(self, *_values: Value) -> None:
        self._fault = BindingError(
            Kind.TOO_LARGE, "a function of the statement would take too long on values so large"
        )
        raise self._fault

    def take_fault(self) -> BindingError | None:
        """Why a call was refused, once."""
        fault, self._fault = self._fault, None
        return fault

    def close(self) -> None:
        """Lets go of what computes."""
        self._sqlite.close()


def _size(value: Value) -> int:
    return len(value) if isinstance(value, str | bytes) else 1


def _quick_like(values: Sequence[Value]) -> int | None:
    """Whether a text has a word in it, where both are ASCII: LIKE folds the case of no more."""
    pattern, text = values
    if not (isinstance(text, str) and text.isascii() and isinstance(pattern, str)):
        return None
    if len(pattern) > _WORD_LETTERS:
        return None
    word = _word_of(pattern)
    if word is None or "\0" in text:
        return None
    return word in text.lower()


@lru_cache(64)
def _word_of(pattern: str) -> str | None:
    """In lower case; None: the pattern is another one."""
    word = pattern[1:-1]
    is_word = pattern == f"%{word}%" and pattern.isascii() and not _MARKS.intersection(word)
    return word.lower() if is_word else None


def _quick_instr(values: Sequence[Value]) -> int | None:
    text, part = values
    if isinstance(text, str) and isinstance(part, str):
        return text.find(part) + 1
    return None


_WORD_LETTERS: Final = 1000
"""Of a pattern that is kept."""
_MARKS: Final = frozenset("%_\0")
_QUICK: Final[Mapping[tuple[str, int], Callable[[Sequence[Value]], int | None]]] = {
    ("like", 2): _quick_like,
    ("instr", 2): _quick_instr,
}
