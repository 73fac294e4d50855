"""Proves statements on MySQL and MariaDB: the server prepares and describes them, they never run.

What depends on a parameter gets its type only when values are there. So a query with parameters is
also asked for no rows (`LIMIT 0`), read-only and under a time limit: with values of the declared
types, and with none. A type that differs is not told.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from pymysql.constants import FLAG

from runner.bindings.sql.mysql_errors import READ_ONLY, refusal
from runner.bindings.sql.mysql_packets import Field, ServerError
from runner.bindings.sql.mysql_types import NULL, encoder, word_of
from runner.bindings.sql.mysql_wire import QUERY, Parameter, Rows, Wire, execution
from runner.bindings.sql.samples import SAMPLES
from runner.bindings.sql.session import SessionLostError
from runner.catalog.proving import Description, Refusal
from runner.catalog.sql import Bound, Column
from runner.errors import StartError

_BEGIN: Final = QUERY + b"START TRANSACTION READ ONLY"
_ROLLBACK: Final = QUERY + b"ROLLBACK"
_READING: Final = (
    QUERY + b"SET SESSION autocommit=1",
    QUERY + b"SET SESSION TRANSACTION READ ONLY",
)
_SAMPLES: Final[Mapping[str, object]] = {
    **SAMPLES,
    "timestamp": "2000-01-01T00:00:00",
    "object": {},
    "json": {},
    "bytes": b"x",
}


class MysqlProver:
    """Describes statements on one connection."""

    def __init__(self, wire: Wire, *, limit: bytes, writable: bytes) -> None:
        """`limit` limits a statement's time; `writable` lets the session prepare a change."""
        self._wire = wire
        self._limit = limit
        self._writable = writable

    def describe(self, texts: Sequence[str], parameters: Sequence[Bound]) -> Description | Refusal:
        """See `runner.catalog.proving.Prover`."""
        text = "?".join(texts)
        try:
            try:
                fields = self._fields(text)
            except ServerError as error:
                if error.code != READ_ONLY:
                    raise
                return Description(self._changing(text), writes=True)
            if not fields:
                return Description((), writes=True)
            return Description(self._sampled(text, fields, parameters))
        except ServerError as error:
            return refusal(error, texts, text)
        except SessionLostError as error:
            raise StartError(
                "the database's connection broke while statements were proven"
            ) from error

    def _fields(self, text: str) -> Sequence[Field]:
        prepared = self._wire.prepare(text.encode())
        self._wire.forget(prepared)
        return prepared.fields

    def _sampled(
        self, text: str, fields: Sequence[Field], parameters: Sequence[Bound]
    ) -> Sequence[Column]:
        """The columns; without a type those whose type the values decide."""
        seen = [fields]
        for values in _samples(parameters) if parameters else ():
            try:
                seen.append(self._empty(text, values))
            except ServerError:
                return [_column(field) for field in fields]
        return [
            _column(field, _word([found[place] for found in seen]))
            for place, field in enumerate(fields)
        ]

    def _empty(self, text: str, values: Sequence[Parameter]) -> Sequence[Field]:
        """The columns of a result that has no rows."""
        prepared = self._wire.prepare(f"SELECT * FROM (\n{text}\n) AS described LIMIT 0".encode())
        fields: list[Field] = []
        rows = Rows(fields.extend, lambda _packets: True, block=1, cut=None)
        commands = [self._limit, _BEGIN, execution(prepared, values), _ROLLBACK]
        try:
            self._wire.run(commands, rows=rows, rows_of=2)
        finally:
            self._wire.forget(prepared)
        return fields

    def _changing(self, text: str) -> Sequence[Column]:
        """The columns of a statement that a read-only session refuses to prepare."""
        self._wire.run([self._writable])
        try:
            fields = self._fields(text)
        finally:
            self._wire.run([_ROLLBACK, *_READING])
        if not fields:
            return self._returned(text)
        return [_column(field, word_of(field)) for field in fields]

    def _returned(self, text: str) -> Sequence[Column]:
        """The columns of RETURNING, which the server describes as those of a query."""
        # The parser is slow to import, and needed only for tools that write.
        import sqlglot  # noqa: PLC0415
        from sqlglot.errors import SqlglotError  # noqa: PLC0415

        try:
            statement = sqlglot.parse_one(text, dialect="mysql")
        except SqlglotError:
            return []
        returning = statement.args.get("returning")
        table = statement.find(sqlglot.exp.Table)
        if returning is None or table is None:
            return []
        wanted = ", ".join(item.sql("mysql") for item in returning.expressions)
        fields = self._fields(f"SELECT {wanted} FROM {table.sql('mysql')}")
        return [_column(field, word_of(field)) for field in fields]


def _column(field: Field, word: str = "") -> Column:
    """Of what is computed the server supposes that it may be null, more often than it is."""
    return Column(
        field.name, word, holds_nulls=bool(field.table) and not field.flags & FLAG.NOT_NULL
    )


def _word(fields: Sequence[Field]) -> str:
    """The type word on which all agree; those without a length hold nothing but null."""
    words = {word_of(field) for field in fields if field.length and field.type != NULL}
    return words.pop() if len(words) == 1 else ""


def _samples(parameters: Sequence[Bound]) -> Sequence[Sequence[Parameter]]:
    """Values of the declared types; numbers where none is declared; no values at all."""
    sampled = []
    for other in ("x", 1):
        values = [1 if bound.is_limit else _SAMPLES.get(bound.type, "x") for bound in parameters]
        for place, bound in enumerate(parameters):
            if not bound.type and not bound.is_limit:
                values[place] = other
        sampled.append(
            [encoder(bound.type)(value) for bound, value in zip(parameters, values, strict=True)]
        )
    return [*sampled, [None] * len(parameters)]
