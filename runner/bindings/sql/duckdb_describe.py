"""Finds out on DuckDB what a statement's columns are, and the casts that its parameters need.

The driver tells no types of parameters: it binds each value with a type of its own, a text as a
literal that fits wherever its text does (`$1 = id` finds a uuid). Where that leaves more than one
function to choose from (`year($1)`), the declared type is cast. A query is described by DESCRIBE,
which never runs it; RETURNING by the same list selected from the table.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import duckdb

from runner.bindings.sql.duckdb_errors import Told
from runner.bindings.sql.duckdb_guard import StatementKind, body_of, explained, kind_of, tokens
from runner.bindings.sql.duckdb_types import CAST_BY_TYPE, Form, form_of
from runner.bindings.sql.samples import SAMPLES
from runner.catalog.rendering import Rendered
from runner.catalog.sql import Bound, Column

DESCRIBE: Final = "DESCRIBE "
_EXPLAIN: Final = "EXPLAIN "
_PLAN: Final = (("explain_key", "VARCHAR"), ("explain_value", "VARCHAR"))
_UNKNOWN: Final = re.compile(r'"NULL"')
_TARGETS: Final[Mapping[str, frozenset[str]]] = {
    "insert": frozenset({"into"}),
    "update": frozenset({"update"}),
    "delete": frozenset({"from"}),
    "merge": frozenset({"into"}),
}
"""A statement's word → the words behind which its table stands."""
_BEHIND: Final = frozenset(
    {
        *("(", "values", "select", "default", "by", "set", "using", "where", "returning"),
        *("from", "with", "on", "describe"),
    }
)
"""What ends the table and its alias."""
_LARGE_SAMPLES: Final[Mapping[str, object]] = {**SAMPLES, "integer": 2**40, "int64": 2**40}
"""The engine makes a small integer of a small value."""
_PLAN_AS_JSON: Final = "EXPLAIN (FORMAT json) "
_TELLING: Final = 712_345_000
"""Numbers that are found again in a plan."""
_NUMBER_WORDS: Final = frozenset({"integer", "int64"})
_CASTS: Final = re.compile(r"CAST\((?:CAST\()?(\d{9})(?: AS \w+\))? AS (\w+(?: WITH TIME ZONE)?)\)")
_NO_CAST: Final = re.compile(r"^Unimplemented type for cast \(\w+ -> (.+)\)$")
_MARK: Final = re.compile(r"\$(\d+)")
_NO_NUMBERS: Final = frozenset(
    {"DATE", "TIME", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "UUID", "BLOB", "INTERVAL"}
)
_OPENING, _CLOSING = "([{", ")]}"


@dataclass(frozen=True, slots=True)
class Described:
    """A shape that the engine accepts."""

    kind: StatementKind
    text: str
    columns: Sequence[tuple[str, str]]
    """Name and type, as the engine writes it."""
    casts: Mapping[int, str]


class AskError(Exception):
    """The engine refuses a text."""

    def __init__(self, error: duckdb.Error, text: str, prefix: int | None) -> None:
        super().__init__(type(error).__name__)
        self.error = error
        self.text = text
        """The author's, with placeholders and casts."""
        self.prefix = prefix
        """How many characters of ours stood before it; None where another text was asked of."""


class Describer:
    """Describes on one connection, inside a transaction or outside."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def rendered(self, rendered: Rendered, *, writes: bool) -> Described:
        """The shape as the engine runs it.

        Raises:
            BindingError: it may not run.
            AskError: the engine refuses it, with every cast.
        """
        bounds = [slot.bound for slot in rendered.slots]
        casts = {index: _fixed_cast(bound) for index, bound in enumerate(bounds)}
        casts = {index: cast for index, cast in casts.items() if cast}
        kind = self._kind(text_of(rendered, casts), len(bounds), writes=writes)
        columns = self._described(kind, rendered, casts)
        return Described(kind, text_of(rendered, casts), columns, casts)

    def adopted(self, text: str, count: int, *, writes: bool) -> Described:
        """The same of a text that has the driver's placeholders, `count` of them."""
        kind = self._kind(text, count, writes=writes)
        return Described(kind, text, self._ask(kind, text, [None] * count), {})

    def _kind(self, text: str, count: int, *, writes: bool) -> StatementKind:
        try:
            return kind_of(self._connection, text, writes=writes, values=count)
        except duckdb.Error as error:
            raise AskError(error, text, 0) from error

    def _described(
        self, kind: StatementKind, rendered: Rendered, casts: dict[int, str]
    ) -> Sequence[tuple[str, str]]:
        """The columns; adds the casts without which the engine refuses the text, or knows no type
        of a column."""
        nothing: list[object] = [None] * len(rendered.slots)
        columns = self._with_casts(kind, rendered, casts, nothing)
        if not rendered.slots:
            return columns
        casts.update(_cursor_casts(rendered, columns))
        small, large = (
            [sample.get(slot.bound.type) for slot in rendered.slots]
            for sample in (SAMPLES, _LARGE_SAMPLES)
        )
        self._with_casts(kind, rendered, casts, small)
        self._cast_unknown(kind, rendered, casts)
        if kind != "query":
            return columns
        # The types of what is computed are those of the values, integers as large as they come.
        found = (self._tried(kind, rendered, casts, values) for values in (large, small, nothing))
        return next(described for described in found if described is not None)

    def _cast_unknown(self, kind: StatementKind, rendered: Rendered, casts: dict[int, str]) -> None:
        """Adds the casts with which the engine knows the type of a column."""
        nothing: list[object] = [None] * len(rendered.slots)
        unknown = _unknown(self._tried(kind, rendered, casts, nothing) or ())
        for index, slot in enumerate(rendered.slots):
            cast = cast_of(slot.bound)
            if not unknown or index in casts or not cast:
                continue
            found = self._tried(kind, rendered, {**casts, index: cast}, nothing)
            if found is not None and _unknown(found) < unknown:
                casts[index] = cast
                unknown = _unknown(found)

    def _with_casts(
        self,
        kind: StatementKind,
        rendered: Rendered,
        casts: dict[int, str],
        values: Sequence[object],
    ) -> Sequence[tuple[str, str]]:
        try:
            return self._ask(kind, text_of(rendered, casts), values)
        except AskError as refused:
            if any(values) and not Told(refused.error).is_misfit:
                return ()  # it is the sample that does not fit
            if not Told(refused.error).is_misfit:
                raise
            more = self._mending(kind, rendered, casts, values)
            if not more:
                raise
            casts.update(more)
        return self._ask(kind, text_of(rendered, casts), values)

    def _mending(
        self,
        kind: StatementKind,
        rendered: Rendered,
        casts: Mapping[int, str],
        values: Sequence[object],
    ) -> Mapping[int, str]:
        """The one more cast with which the engine takes the text, or else all of them."""
        possible = {
            index: cast
            for index, slot in enumerate(rendered.slots)
            if index not in casts and (cast := cast_of(slot.bound))
        }
        for index, cast in possible.items():
            if self._tried(kind, rendered, {**casts, index: cast}, values) is not None:
                return {index: cast}
        return possible

    def _tried(
        self,
        kind: StatementKind,
        rendered: Rendered,
        casts: Mapping[int, str],
        values: Sequence[object],
    ) -> Sequence[tuple[str, str]] | None:
        try:
            return self._ask(kind, text_of(rendered, casts), values)
        except AskError:
            return None

    def columns(
        self, text: str, kind: StatementKind, values: Sequence[object]
    ) -> Sequence[tuple[str, str]]:
        """The columns of a text with these values.

        Raises:
            AskError: the engine refuses it.
        """
        return self._ask(kind, text, values)

    def _ask(
        self, kind: StatementKind, text: str, values: Sequence[object]
    ) -> Sequence[tuple[str, str]]:
        """The columns.

        Raises:
            AskError: the engine refuses the text.
        """
        prefix = DESCRIBE if kind == "query" else _EXPLAIN
        try:
            if kind == "query":
                return self._columns(text, values)
            if kind == "explain":
                self._columns(explained(text), values)
                return _PLAN
            self._connection.execute(_EXPLAIN + text, values).fetchall()
        except duckdb.Error as error:
            place = None if kind == "explain" else len(prefix)
            raise AskError(error, text, place) from error
        try:
            return self._returned(text) if kind == "change" else ()
        except duckdb.Error as error:
            raise AskError(error, text, None) from error

    def _columns(self, text: str, values: Sequence[object]) -> Sequence[tuple[str, str]]:
        rows = self._connection.execute(DESCRIBE + text, values).fetchall()
        return [(str(row[0]), str(row[1])) for row in rows]

    def _returned(self, text: str) -> Sequence[tuple[str, str]]:
        """The columns of RETURNING; none where there is none."""
        found = returning(text)
        if found is None:
            return ()
        target, listed = found
        try:
            return self._columns(f"SELECT {listed}\nFROM {target}", ())
        except duckdb.Error:
            # What MERGE did to a row has a name there alone.
            source = f"(SELECT *, '' AS merge_action FROM {target})"
            return self._columns(f"SELECT {listed}\nFROM {source}", ())

    def misfits(self, described: Described, bounds: Sequence[Bound]) -> dict[int, str]:
        """Numbers that the plan casts to what no number is; a plan without rows may not tell.

        `=` and IN cast what is bound only when they run, so that it is read from the plan.
        """
        samples = {
            index: _TELLING + index
            for index, bound in enumerate(bounds)
            if bound.type in _NUMBER_WORDS and not (bound.is_list and not bound.expands)
        }
        if not samples or described.kind not in ("query", "change"):
            return {}
        values = [samples.get(index, SAMPLES.get(b.type)) for index, b in enumerate(bounds)]
        try:
            rows = self._connection.execute(_PLAN_AS_JSON + described.text, values).fetchall()
        except duckdb.Error as error:
            found = _refused_casts(Told(error), described.text)
        else:
            found = _planned_casts("".join(str(row[1]) for row in rows))
        return {index: kind for index, kind in found.items() if index in samples}

    def forms(self, columns: Sequence[tuple[str, str]]) -> list[Form]:
        """How the columns leave the engine."""
        return [self._form(kind) for _, kind in columns]

    def _form(self, kind: str) -> Form:
        try:
            return form_of(self._connection.sqltype(kind))
        except (duckdb.Error, ValueError):
            return Form()  # a type that cannot be written, such as one with a parameter of its own


def _planned_casts(plan: str) -> dict[int, str]:
    found = _CASTS.findall(plan)
    return {int(number) - _TELLING: kind for number, kind in found if kind in _NO_NUMBERS}


def _refused_casts(told: Told, text: str) -> dict[int, str]:
    """The same where planning itself casts, as of a row that is inserted."""
    cast = _NO_CAST.match(told.sentence)
    place = max((told.position or 0) - len(_PLAN_AS_JSON), 0)
    mark = _MARK.match(text.encode()[place:].decode(errors="ignore"))
    return {int(mark[1]) - 1: cast[1]} if cast and mark else {}


def described_columns(columns: Sequence[tuple[str, str]], forms: Sequence[Form]) -> list[Column]:
    """As a prover tells them."""
    pairs = zip(columns, forms, strict=True)
    return [Column(name, form.word) for (name, _), form in pairs]


def _cursor_casts(rendered: Rendered, columns: Sequence[tuple[str, str]]) -> dict[int, str]:
    """Where a page goes on: each value has the type of its column, for it comes back as text,
    which is none in `(a, b) < (:cursor.a, :cursor.b)`."""
    types = dict(columns)
    return {
        index: types[slot.bound.path[-1]]
        for index, slot in enumerate(rendered.slots)
        if slot.bound.path[0] == "cursor" and slot.bound.path[-1] in types
    }


def _fixed_cast(bound: Bound) -> str:
    """What is cast in any case: what proving found, and durations, which are bound as text that no
    column holds."""
    return bound.cast or (cast_of(bound) if bound.type == "duration" else "")


def cast_of(bound: Bound) -> str:
    """The engine's type for a declared one, empty where the value brings its own; lists are lists,
    lists of objects are JSON."""
    base = CAST_BY_TYPE.get(bound.type, "")
    is_list = bound.is_list and not bound.expands and bound.type != "object"
    return f"{base}[]" if is_list and base else base


def text_of(rendered: Rendered, casts: Mapping[int, str]) -> str:
    """The text with `$n`, cast where it must be."""

    def placeholder(index: int, _bound: Bound) -> str:
        cast = casts.get(index)
        return f"CAST(${index + 1} AS {cast})" if cast else f"${index + 1}"

    return rendered.text(placeholder)


def _unknown(columns: Sequence[tuple[str, str]]) -> int:
    return sum(len(_UNKNOWN.findall(kind)) for _, kind in columns)


def returning(text: str) -> tuple[str, str] | None:
    """The table that a statement changes, with its alias, and its RETURNING list without
    placeholders; None where it returns nothing."""
    pieces = _outer_pieces(text)
    words = [word for word, _ in pieces]
    if "returning" not in words:
        return None
    at = len(words) - 1 - words[::-1].index("returning")
    root = next((place for place, word in enumerate(words) if word in _TARGETS), None)
    if root is None:
        return None
    before = _TARGETS[words[root]]
    start = next(place + 1 for place in range(root, len(words)) if words[place] in before)
    end = next(place for place in range(start, len(words)) if words[place] in _BEHIND)
    data = text.encode()
    target = data[pieces[start][1] : pieces[end][1]].decode()
    listed = data[pieces[at][1] + len("returning") :].decode()
    return target, re.sub(r"\$\d+", "NULL", body_of(listed))


def _outer_pieces(text: str) -> list[tuple[str, int]]:
    """The words and signs outside brackets, in lower case, each with its place in the UTF-8; a
    bracket stands for all that is in it."""
    pieces: list[tuple[str, int]] = []
    depth = 0
    for piece, start, kind in tokens(text):
        is_text = kind == duckdb.token_type.string_const
        depth -= not is_text and piece in tuple(_CLOSING)
        if depth == 0 and not is_text:
            pieces.append((piece.lower(), start))
        depth += not is_text and piece in tuple(_OPENING)
    return pieces
