"""Asks PostgreSQL what a shape's parameters and columns are, and finds the casts that it needs.

The server infers a parameter's type from where it stands (`$1 = id` is a uuid). Where it cannot
(`$1 IS NULL`), or where it falls back to text although another type was declared (`SELECT $1`),
to short integers (`$1 * 1000`) or to the type beside it (`date - $1`), the declared type is cast.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from psycopg import postgres
from psycopg.adapt import AdaptersMap
from psycopg.types import TypeInfo

from runner.bindings.sql.postgres_errors import EngineError
from runner.bindings.sql.postgres_traces import Traces
from runner.bindings.sql.postgres_types import CAST_BY_TYPE, TEXT
from runner.bindings.sql.postgres_wire import Command, Description, Wire
from runner.bindings.sql.wording import refused
from runner.catalog.rendering import Key, Rendered, Shapes, Slot
from runner.catalog.sql import Bound
from runner.errors import Kind

_UNTYPED: Final = frozenset({"42P18", "42P08"})
_AMBIGUOUS: Final = frozenset({"42725", "42883", "42804"})
_PARAMETER = re.compile(r"\$(\d+)")
_LONG: Final = frozenset({20, 26, 700, 701, 1700})
"""Types that hold a declared integer; `int2` and `int4` may not."""
_FIRST_OWN_OID: Final = 16384
"""Types below are PostgreSQL's own."""
_RECENT: Final = 256
_TYPES_OF: Final = b"""SELECT oid::int8, typname, typelem::int8, typcategory = 'A'
FROM pg_catalog.pg_type WHERE oid = ANY($1)"""

_NULLABLE: Final = b"""SELECT attrelid::int8, attnum::int4 FROM pg_catalog.pg_attribute
JOIN pg_catalog.pg_class c ON c.oid = attrelid JOIN pg_catalog.pg_type t ON t.oid = atttypid
WHERE attrelid = ANY($1::oid[]) AND relkind IN ('r', 'p') AND attnum > 0
AND NOT attnotnull AND NOT typnotnull"""


class Recent:
    """A few texts, known by their hashes; beyond `_RECENT` of them it begins anew."""

    def __init__(self) -> None:
        self._hashes: set[int] = set()

    def __contains__(self, text: str) -> bool:
        return hash(text) in self._hashes

    def add(self, text: str) -> None:
        """Notes the text."""
        if len(self._hashes) >= _RECENT:
            self._hashes.clear()
        self._hashes.add(hash(text))


class Known:
    """The types of one database that were met; shared by its sessions."""

    def __init__(self, adapters: AdaptersMap) -> None:
        self.adapters = adapters
        self.connection = None
        """psycopg's protocol of a context asks for it."""
        self.names = {info.oid: info.name for info in postgres.types}
        self.arrays = {info.array_oid: info.oid for info in postgres.types if info.array_oid}
        """Array → element."""
        self.own_arrays: list[TypeInfo] = []
        """Only ever grows; sessions catch up with it."""
        self.traces = Traces()
        self.large = Recent()
        """Statements whose rows are so large that each is taken by itself."""

    def add(self, oid: int, name: str, element: int | None) -> None:
        """A type of the database's own."""
        self.names[oid] = name
        if element is not None:
            self.arrays[oid] = element
            self.own_arrays.append(TypeInfo(name.removeprefix("_"), element, oid))


@dataclass(frozen=True, slots=True)
class Described:
    """A shape that the server accepts."""

    text: str
    slots: Sequence[Slot]
    parameters: Sequence[int]
    columns: Sequence[tuple[str, int]]
    casts: Mapping[int, str]
    origins: Sequence[tuple[int, int]]
    """One a column, as in `Description`."""


class Describer:
    """Describes on one connection; inside a transaction, a failure does not end it."""

    def __init__(self, wire: Wire, known: Known) -> None:
        self.known = known
        self._wire = wire

    def shape(self, shapes: Shapes, key: Key) -> Described:
        """The shape as the server runs it.

        Raises:
            EngineError: the server refuses it, with every cast.
        """
        if not Shapes.has_empty_list(key):
            return self.rendered(shapes.render(key))
        filled = self.rendered(shapes.render(Shapes.filled(key)))
        elements = {
            slot.bound.path: self._name(oid)
            for slot, oid in zip(filled.slots, filled.parameters, strict=True)
            if slot.element is not None
        }

        def empty(bound: Bound) -> str:
            return f"SELECT CAST(NULL AS {elements[bound.path]}) WHERE false"

        return self.rendered(shapes.render(key, empty=empty))

    def _name(self, oid: int) -> str:
        """The type's name as SQL writes it."""
        results = self._wire.run(
            [Command(b"SELECT pg_catalog.format_type($1, NULL)", (str(oid).encode(),))]
        )
        return (results[0].get_value(0, 0) or b"text").decode()

    def rendered(self, rendered: Rendered) -> Described:
        """The same for a text with its slots."""
        casts = {
            index: slot.bound.cast for index, slot in enumerate(rendered.slots) if slot.bound.cast
        }
        described = self._with_casts(rendered, casts)
        if len(described.parameters) > len(rendered.slots):
            raise refused(Kind.INVALID, reason="the text has placeholders of its own")
        described = self._refined(rendered, casts, described)
        self._learn([*described.parameters, *(oid for _, oid in described.columns)])
        text = _text(rendered, casts)
        return Described(
            text,
            rendered.slots,
            described.parameters,
            described.columns,
            casts,
            described.origins,
        )

    def holding_nulls(self, origins: Sequence[tuple[int, int]]) -> frozenset[tuple[int, int]]:
        """Those of the columns that may hold null; of a view nobody knows."""
        tables = {table for table, _ in origins if table}
        if not tables:
            return frozenset()
        wanted = ("{" + ",".join(map(str, tables)) + "}").encode()
        result = self._wire.run([Command(_NULLABLE, (wanted,))])[0]
        return frozenset(
            (int(result.get_value(row, 0) or b"0"), int(result.get_value(row, 1) or b"0"))
            for row in range(result.ntuples)
        )

    def _with_casts(self, rendered: Rendered, casts: dict[int, str]) -> Description:
        """Adds the casts without which the server refuses the text."""
        while True:
            try:
                return self._describe(_text(rendered, casts))
            except EngineError as error:
                missing = _missing_casts(rendered, casts, error)
                if not missing:
                    raise
                casts.update(missing)

    def _refined(
        self, rendered: Rendered, casts: dict[int, str], described: Description
    ) -> Description:
        """Casts what fell back to another type than was declared, if that works."""
        fallen = {
            index: cast
            for index, oid in enumerate(described.parameters)
            if index not in casts and _falls_back(oid, cast := cast_of(rendered.slots[index].bound))
        }
        # Together at first: two that are compared with each other change only as one.
        apart = _by_parameter(rendered, fallen)
        for trial in (fallen, *apart, *_shorter(apart)):
            if trial.keys() <= casts.keys():
                continue
            try:
                described = self._describe(_text(rendered, {**casts, **trial}))
            except EngineError:
                continue  # it really is that there
            casts.update(trial)
        return described

    def _describe(self, text: str) -> Description:
        if not self._wire.is_in_transaction:
            return self._wire.describe(text.encode())
        self._wire.run([Command(b"SAVEPOINT describe")])
        try:
            return self._wire.describe(text.encode())
        finally:
            self._wire.run([Command(b"ROLLBACK TO SAVEPOINT describe")])

    def _learn(self, oids: Sequence[int]) -> None:
        unknown = {oid for oid in oids if oid >= _FIRST_OWN_OID and oid not in self.known.names}
        if not unknown:
            return
        wanted = ("{" + ",".join(map(str, unknown)) + "}").encode()
        result = self._wire.run([Command(_TYPES_OF, (wanted,))])[0]
        for row in range(result.ntuples):
            oid, name, element, is_array = (
                (result.get_value(row, column) or b"").decode() for column in range(4)
            )
            self.known.add(int(oid), name, int(element) if is_array == "t" else None)


def _falls_back(oid: int, cast: str) -> bool:
    """The server took the type for want of a better one, and it may not hold the value."""
    return oid not in _LONG if cast == "bigint" else oid == TEXT and cast != "text"


def _by_parameter(rendered: Rendered, casts: Mapping[int, str]) -> Sequence[Mapping[int, str]]:
    """The casts apart, those of a list's elements together."""
    apart: dict[Bound, dict[int, str]] = {}
    for index, cast in casts.items():
        apart.setdefault(rendered.slots[index].bound, {})[index] = cast
    return list(apart.values())


def _shorter(trials: Sequence[Mapping[int, str]]) -> Sequence[Mapping[int, str]]:
    """The same with the integers that places, counts and days of an operator are."""
    return [dict.fromkeys(trial, "integer") for trial in trials if "bigint" in trial.values()]


def cast_of(bound: Bound) -> str:
    """The engine's type for a declared one; lists are arrays, lists of objects are JSON."""
    base = CAST_BY_TYPE.get(bound.type, "text")
    is_array = bound.is_list and not bound.expands and bound.type != "object"
    return f"{base}[]" if is_array else base


def _text(rendered: Rendered, casts: Mapping[int, str]) -> str:
    def placeholder(index: int, _bound: Bound) -> str:
        cast = casts.get(index)
        return f"CAST(${index + 1} AS {cast})" if cast else f"${index + 1}"

    return rendered.text(placeholder)


def _missing_casts(
    rendered: Rendered, casts: Mapping[int, str], error: EngineError
) -> dict[int, str]:
    """What to cast after this error; nothing if casts cannot mend it."""
    open_slots = [index for index in range(len(rendered.slots)) if index not in casts]
    if error.sqlstate in _UNTYPED and (found := _PARAMETER.search(error.message)):
        open_slots = [index for index in open_slots if index == int(found[1]) - 1]
    elif error.sqlstate not in _UNTYPED | _AMBIGUOUS:
        open_slots = []
    return {index: cast_of(rendered.slots[index].bound) for index in open_slots}
