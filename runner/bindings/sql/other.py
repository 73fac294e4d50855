"""Databases of other SQLAlchemy dialects: what DB-API 2.0 offers, and no more.

Values are bound by the driver and results have budgets, as everywhere. What DB-API does not know
is not promised: read-only by the engine, statements that are proven, kinds of errors. A statement
is stopped where its driver can cancel; else its thread is given up (`EngineFacts.gives_up`).
"""

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime
from datetime import time as clock
from decimal import Decimal
from types import NoneType
from typing import Final

from sqlalchemy import create_engine
from sqlalchemy.engine import Dialect
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import ArgumentError, NoSuchModuleError
from sqlalchemy.pool import NullPool, PoolProxiedConnection

from runner.bindings.sql.collect import BLOCK_ROWS, Cell, Sink
from runner.bindings.sql.connect_fault import ConnectError, connect_fault
from runner.bindings.sql.session import (
    EngineFacts,
    Ready,
    SessionLostError,
    Terms,
    added,
    simple_names,
)
from runner.bindings.sql.wording import Fault, refused
from runner.catalog.proving import Prover
from runner.catalog.rendering import Key, Shapes
from runner.catalog.sources import Database
from runner.codec.json import encode
from runner.codec.values import plain
from runner.errors import BindingError, Kind, StartError

FACTS: Final = EngineFacts(
    splits_writes=False, seconds_between_stops=0.25, proves=False, gives_up=True
)
_NO_DECODERS: Final[Mapping[int, Cell]] = {}
_AS_IT_IS: Final = (str, int, float, bool, NoneType, bytes, Decimal, date, datetime, clock)
_STOPS: Final = ("cancel", "interrupt")
"""How drivers name what stops a statement from another thread."""


def bind(value: object) -> object:
    """A checked value as most drivers take it: lists and objects as JSON text, UUIDs as text."""
    if isinstance(value, _AS_IT_IS):
        return value
    return str(value) if isinstance(value, uuid.UUID) else encode(plain(value)).decode()


class Placeholders:
    """How a driver marks values, by the `paramstyle` of its DB-API."""

    def __init__(self, paramstyle: str) -> None:
        self._mark = _MARKS[paramstyle]
        self.doubles_percent = paramstyle in ("format", "pyformat")
        """A `%` of the author's is written twice, where values are given."""
        self._is_named = paramstyle in ("named", "pyformat")

    def mark(self, index: int) -> str:
        """The mark of a value; what stands around it is the author's."""
        return self._mark.format(index, index + 1)

    def given(self, values: Sequence[object]) -> Mapping[str, object] | tuple[object, ...]:
        """The values as `execute` takes them."""
        if self._is_named:
            return {f"p{index}": value for index, value in enumerate(values)}
        return tuple(values)


_MARKS: Final[Mapping[str, str]] = {
    "qmark": "?",
    "format": "%s",
    "pyformat": "%(p{0})s",
    "named": ":p{0}",
    "numeric": ":{1}",
    "numeric_dollar": "${1}",
}


class OtherSession:
    """One connection of a driver."""

    def __init__(self, pooled: PoolProxiedConnection, dialect: Dialect, *, name: str) -> None:
        self.opened_at = time.monotonic()
        self._pooled = pooled
        self._connection = pooled.dbapi_connection
        self._dialect = dialect
        self._name = name
        self._placeholders = Placeholders(dialect.paramstyle)
        self._cursor: DBAPICursor | None = None
        self._is_stopped = False

    def prepare(self, shapes: Shapes, key: Key) -> Ready:
        """The shape with the driver's marks."""
        marks = self._placeholders
        rendered = shapes.render(key)
        if marks.doubles_percent and rendered.slots:
            texts = [text.replace("%", "%%") for text in rendered.texts]
            rendered = replace(rendered, texts=texts)
        text = rendered.text(lambda index, _bound: marks.mark(index))
        encoders = (bind,) * len(rendered.slots)
        return Ready(text, rendered.slots, encoders, simple_names(rendered.slots))

    def adopt(self, text: str, count: int) -> Ready:
        """A text with the driver's own marks."""
        return Ready(text, (), (bind,) * count)

    def begin(self, terms: Terms) -> None:
        """DB-API begins by itself."""
        del terms
        self._is_stopped = False

    def query(self, ready: Ready, values: Sequence[object], sink: Sink) -> None:
        """Fetches in blocks."""

        def fetch(cursor: DBAPICursor) -> None:
            names = [str(entry[0]) for entry in cursor.description or ()]
            sink.start(names, _NO_DECODERS)
            wants_more = bool(names)
            while wants_more:
                size = min(sink.wanted, BLOCK_ROWS)
                rows = [tuple(row) for row in cursor.fetchmany(size)]
                wants_more = sink.add(rows) and len(rows) == size

        self._run(ready.text, values, fetch)

    def change(self, ready: Ready, values: Sequence[object]) -> int | None:
        """Runs it. A driver that does not count says -1, or any number where its dialect says that
        its numbers are not sane."""
        counts: list[int] = []
        self._run(ready.text, values, lambda cursor: counts.append(cursor.rowcount))
        is_known = self._dialect.supports_sane_rowcount and counts[0] >= 0
        return counts[0] if is_known else None

    def change_many(self, ready: Ready, values: Sequence[Sequence[object]]) -> int | None:
        """One after the other: few drivers do more."""
        affected: int | None = 0
        for each in values:
            affected = added(affected, self.change(ready, each))
        return affected

    def _run(self, text: str, values: Sequence[object], use: Callable[[DBAPICursor], None]) -> None:
        if self._is_stopped:
            raise refused(Kind.CANCELLED)
        cursor: DBAPICursor | None = None
        try:
            cursor = self._cursor = self._pooled.cursor()
            if values:
                cursor.execute(text, self._placeholders.given(values))
            else:  # where nothing is given, no driver reads `%` as a mark
                cursor.execute(text)
            use(cursor)
        except (BindingError, SessionLostError):
            raise
        except Exception as error:  # of somebody's code, which knows more than DB-API's errors
            raise self._translated(error, cursor) from error
        finally:
            self._cursor = None
            if cursor is not None:
                with suppress(Exception):
                    cursor.close()

    def _translated(
        self, error: Exception, cursor: DBAPICursor | None
    ) -> BindingError | SessionLostError:
        """DB-API knows a broken connection and a broken rule; a driver that reads files or asks
        others raises what they do. All else is the statement's."""
        reason = type(error).__name__
        if self._is_stopped:
            return refused(Kind.CANCELLED, reason=reason)
        if isinstance(error, OSError):
            return SessionLostError(reason)
        if self._dialect.is_disconnect(error, self._connection, cursor):  # type: ignore[arg-type]  # an error of this driver
            return SessionLostError(reason)
        driver = self._dialect.loaded_dbapi
        if isinstance(error, driver.IntegrityError):
            return refused(Kind.CHECK, reason=reason)
        fault = Fault("misfit") if isinstance(error, driver.DataError) else None
        return refused(Kind.INVALID, reason=reason, fault=fault)

    def commit(self) -> None:
        """Keeps what was done."""
        try:
            self._dialect.do_commit(self._pooled)
        except Exception as error:
            raise self._translated(error, None) from error

    def rollback(self) -> None:
        """Keeps nothing; a driver without transactions has nothing to roll back."""
        driver = self._dialect.loaded_dbapi
        try:
            self._dialect.do_rollback(self._pooled)
        except driver.NotSupportedError:
            return
        except Exception as error:
            raise SessionLostError(type(error).__name__) from error

    def stop(self) -> None:
        """Cancels the statement, where the driver has a word for it."""
        self._is_stopped = True
        owners = (self._cursor, self._connection)
        known = (getattr(owner, name, None) for owner in owners for name in _STOPS)
        stop = next(filter(callable, known), None)
        if stop is not None:
            with suppress(Exception):
                stop()

    def prover(self) -> Prover:
        """Nothing proves here.

        Raises:
            StartError: always; `EngineFacts.proves` says so before.
        """
        raise StartError(f"database '{self._name}': its statements cannot be proven")

    def close(self) -> None:
        """Closes it, or leaves it to the driver."""
        with suppress(Exception):
            self._pooled.close()


class OtherEngine:
    """One database of any SQLAlchemy dialect."""

    facts = FACTS

    def __init__(self, database: Database) -> None:
        self._database = database
        try:
            self._engine = create_engine(database.url.reveal(), poolclass=NullPool)
        except NoSuchModuleError as error:
            raise StartError(
                f"database '{database.name}': no dialect '{database.dialect}' is installed",
                hint="install the package that brings it",
            ) from error
        except ImportError as error:
            raise StartError(
                f"database '{database.name}': the driver of '{database.dialect}' is not installed:"
                f" no module '{error.name}'",
                hint="install the driver that the dialect's documentation names",
            ) from error
        except (ArgumentError, TypeError) as error:
            raise self._refused("its address is not one that the dialect reads", error) from error

    def open_session(self, *, writes: bool) -> OtherSession:
        """A connection of the driver; it can write if the login may."""
        del writes
        try:
            pooled = self._engine.raw_connection()
        except Exception as error:
            raise self._refused("cannot be reached", error) from error
        session = OtherSession(pooled, self._engine.dialect, name=self._database.name)
        try:
            for index, statement in enumerate(self._database.connect):
                try:
                    session.change(session.adopt(statement, 0), ())
                except BindingError as error:
                    raise ConnectError(index, error.reason or str(error)) from error
            session.commit()
        except ConnectError as error:
            session.close()
            raise connect_fault(self._database, error) from error
        except (BindingError, SessionLostError) as error:
            session.close()
            raise self._refused("what 'connect' does cannot be kept", error) from error
        return session

    def _refused(self, what: str, error: Exception) -> StartError:
        """Without the driver's words, which may hold the address."""
        return StartError(f"database '{self._database.name}': {what} ({type(error).__name__})")

    def close(self) -> None:
        """Nothing is shared."""
        self._engine.dispose()
