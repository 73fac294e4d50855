"""Opens connections to PostgreSQL: address, TLS, login, what a session is fixed to."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Final, TypeVar

import psycopg
from psycopg._conninfo_attempts import conninfo_attempts
from psycopg.abc import AdaptContext
from psycopg.conninfo import make_conninfo
from sqlalchemy import create_engine
from sqlalchemy.engine import make_url

from runner.bindings.sql.bounded import CONNECT_TIMEOUT_S, no_answer
from runner.bindings.sql.session import SessionLostError
from runner.bindings.sql.wording import option_refused
from runner.catalog.sources import Database
from runner.errors import StartError

T = TypeVar("T")
Connection = psycopg.Connection[tuple[object, ...]]
_SETTINGS: Final = (
    "default_transaction_read_only=on",
    "timezone=UTC",
    "datestyle=ISO",
    "intervalstyle=iso_8601",
    "bytea_output=hex",
    "extra_float_digits=1",
    "standard_conforming_strings=on",
)
_PINNED: Final = {"TimeZone": "UTC", "DateStyle": "ISO"}
_LEAST_S: Final = 2
"""libpq waits no less for an address."""


class Address:
    """One database's address: opens connections to it."""

    def __init__(self, database: Database) -> None:
        url = make_url(database.url.reveal()).set(drivername="postgresql+psycopg")
        engine = create_engine(url)
        _, options = engine.dialect.create_connect_args(engine.url)
        options.pop("context", None)
        settings = " ".join(f"-c {setting}" for setting in _SETTINGS)
        options["options"] = f"{options.get('options', '')} {settings}".strip()
        try:
            timeout_s = int(options.pop("connect_timeout", CONNECT_TIMEOUT_S))
        except ValueError as error:
            raise option_refused(database.name) from error
        self._timeout_s = max(timeout_s, _LEAST_S) if timeout_s > 0 else CONNECT_TIMEOUT_S
        options.setdefault("application_name", "mcp-run")
        options["client_encoding"] = "utf8"
        self._options = options
        self._name = database.name
        self._place = f"{url.host or 'local socket'}:{url.port or 5432}"

    def connect(self, use: Callable[[Connection, float], T], *, context: AdaptContext) -> T:
        """What `use` makes of a connection after its login; it is told when it must have ended.

        From the first packet to the end of `use`, no more time is taken than the address allows.

        Raises:
            StartError: says source, host and stage, never the password.
        """
        ends_at = time.monotonic() + self._timeout_s
        try:
            connection = self._connection(context, ends_at)
        except psycopg.errors.ConnectionTimeout as error:
            raise self._failure("connect", no_answer(self._timeout_s)) from error
        except psycopg.OperationalError as error:
            raise self._refused(str(error)) from error
        except psycopg.ProgrammingError as error:
            raise option_refused(self._name) from error
        with ExitStack() as stack:
            stack.callback(connection.close)
            try:
                used = use(connection, ends_at)
            except SessionLostError as error:
                is_over = time.monotonic() >= ends_at
                why = no_answer(self._timeout_s) if is_over else None
                raise self._failure("connect", why) from error
            stack.pop_all()
            return used

    def _connection(self, context: AdaptContext, ends_at: float) -> Connection:
        """Tries each address of the hosts for its share of the time."""
        attempts = conninfo_attempts(self._options)
        last: psycopg.OperationalError = psycopg.errors.ConnectionTimeout()
        for left, attempt in zip(range(len(attempts), 0, -1), attempts, strict=True):
            rest_s = ends_at - time.monotonic()
            if rest_s <= 0:
                break
            attempt["connect_timeout"] = round(rest_s / left)
            try:
                return psycopg.connect(
                    make_conninfo("", **attempt), autocommit=True, context=context
                )
            except psycopg.OperationalError as error:
                last = error
        raise last

    def _refused(self, message: str) -> StartError:
        """Where it failed, and the server's reason, which names user and database at most."""
        if _NO_POSTGRES.search(message):
            hint = "check the port: PostgreSQL has 5432, MySQL and MariaDB have 3306"
            return self._failure("connect", "what answers is no PostgreSQL server", hint)
        said = _SAID.findall(message)
        if not said:
            return self._failure(_stage(message))
        hints = (hint for words, hint in _LOGIN_HINTS if words in said[-1])
        return self._failure("login", said[-1], next(hints, None))

    def _failure(self, stage: str, why: str | None = None, hint: str | None = None) -> StartError:
        message = f"database '{self._name}': {stage} failed at {self._place}"
        return StartError(f"{message}: {why}" if why else message, hint=hint or _HINTS[stage])


def pins(connection: Connection) -> Iterator[str]:
    """Sets what the environment set otherwise: PGTZ and PGDATESTYLE win over our own options."""
    for name, wanted in _PINNED.items():
        if not (connection.info.parameter_status(name) or wanted).startswith(wanted):
            yield f"SET {name} = '{wanted}'"


_HINTS: Final = {
    "resolve": "check the host's name",
    "connect": "check that the server runs and listens there",
    "TLS": "check sslmode and the certificates",
    "login": "check user, password and the database's name",
}
_STAGES: Final = (
    (("resolve host", "translate host", "name resolution"), "resolve"),
    (("SSL", "TLS", "certificate"), "TLS"),
)
_NO_POSTGRES: Final = re.compile(r"invalid response to SSL negotiation|expected authentication req")
_SAID: Final = re.compile(r"\b(?:FATAL|PANIC): +(.+)")
"""What the server answers to a login."""
_LOGIN_HINTS: Final = (
    ("password", "check the password of the address"),
    ("parameter", "check 'options' in the address"),
    ("pg_hba", "pg_hba.conf of the server says who may log in, and from where"),
    ("database system", "try again in a moment"),
    ("database ", "check the database's name in the address"),
    ("role ", "check the user in the address"),
)


def _stage(message: str) -> str:
    for words, stage in _STAGES:
        if any(word in message for word in words):
            return stage
    return "connect"
