"""Opens connections to MySQL and MariaDB: address, TLS, login, what a session is fixed to.

PyMySQL does what comes before the first command; its socket is ours from then on.
"""

import socket
import ssl
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Final, TypeVar

import pymysql
from pymysql.connections import Connection
from pymysql.constants import CLIENT
from sqlalchemy import create_engine
from sqlalchemy.engine import make_url

from runner.bindings.sql.bounded import CONNECT_TIMEOUT_S, bounded, no_answer
from runner.bindings.sql.mysql_packets import UNREADABLE, Field, ServerError
from runner.bindings.sql.mysql_types import row_reader
from runner.bindings.sql.mysql_wire import QUERY, USE, Parameter, Rows, Wire, execution
from runner.bindings.sql.session import SessionLostError
from runner.bindings.sql.wording import option_refused
from runner.catalog.options import MYSQL_TLS, options_of
from runner.catalog.sources import Database
from runner.errors import StartError

T = TypeVar("T")
_CHARSET: Final = "utf8mb4"
_NEVER: Final = CLIENT.MULTI_STATEMENTS | CLIENT.LOCAL_FILES
_EXTENDED_METADATA: Final = 1 << 3
_FLAGS: Final = struct.Struct("<I")
_LOGIN_BYTES: Final = 32
_FURTHER_FLAGS_AT: Final = 28
_MODES: Final = (
    "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,"
    "ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION,PIPES_AS_CONCAT"
)
"""`||` joins texts, as on every other engine; a backslash escapes and `"` quotes text, as the
scanner of statements reads them."""
_FIXED: Final = (
    f"SET NAMES {_CHARSET}",
    f"SET SESSION sql_mode='{_MODES}', time_zone='+00:00', lc_messages='en_US',"
    " sql_auto_is_null=0, autocommit=1",
    "SET SESSION TRANSACTION READ ONLY",
)
_LEAST_S: Final = 0.1
_IDLE_SLACK_S: Final = 60
_TEXT_BYTES: Final = 16 * 1024 * 1024
_ALL: Final = 4_294_967_295
"""Servers end a recursion and cut a joined text without an error; the time limit is there too."""
_WHO: Final = b"SELECT connection_id(), @@hostname, @@port, @@server_id, @@max_allowed_packet"


@dataclass(frozen=True, slots=True)
class Server:
    """Which server a connection reached, and how that knows the connection."""

    connection_id: object
    identity: tuple[object, ...]
    """Differs between the servers behind one address."""
    max_packet_bytes: int
    is_mariadb: bool


class _Login(Connection):  # its cursors are not used
    """Asks MariaDB for its own words on types; offers neither files nor several statements."""

    _is_before_login = True

    @property
    def is_local(self) -> bool:
        """Nobody listens in, so that a password may be sent as it is."""
        return bool(self._secure)

    @is_local.setter
    def is_local(self, value: bool) -> None:
        self._secure = value

    @property
    def is_mariadb(self) -> bool:
        """The server says so."""
        return "mariadb" in str(self.server_version).lower()  # type: ignore[attr-defined]  # stubs lack it

    def write_packet(self, payload: bytes) -> None:
        """Changes the flags in the packet that logs in, and in the one before it that asks for TLS.

        MariaDB reads further flags where the client does not set the first one.
        """
        if self._is_before_login:
            (flags,) = _FLAGS.unpack_from(payload)
            flags &= ~_NEVER
            further = 0
            if self.is_mariadb:
                flags &= ~CLIENT.LONG_PASSWORD
                further = _EXTENDED_METADATA
            middle, rest = payload[_FLAGS.size : _FURTHER_FLAGS_AT], payload[_LOGIN_BYTES:]
            payload = _FLAGS.pack(flags) + middle + _FLAGS.pack(further) + rest
            self._is_before_login = not rest
        super().write_packet(payload)

    @staticmethod
    def _create_ssl_ctx(sslp: object) -> ssl.SSLContext:
        """As the address says; else TLS without a check, and without the authorities of the host.

        The driver would read all of those, which takes thirty times as long as to connect.
        """
        if isinstance(sslp, ssl.SSLContext):
            return sslp
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context

    def taken_socket(self) -> socket.socket:
        """The socket after the login; the driver does not close it any more."""
        taken: socket.socket = self._sock  # type: ignore[has-type]  # the driver's own
        taken.settimeout(None)
        self._sock = self._rfile = None
        return taken


class Address:
    """One database's address: opens connections to it."""

    def __init__(self, database: Database) -> None:
        """Raises StartError for an option that the address may not have: it might undo what is
        fixed here."""
        self._name = database.name
        url = make_url(database.url.reveal())
        query = {name: str(value) for name, value in url.query.items()}
        if query.get("charset") == _CHARSET:
            del query["charset"]  # people write it out of habit
        known = options_of(url) or {}
        for name in query:
            if name not in known or name == "charset":
                message = f"database '{self._name}': the address has no option '{name}'"
                raise StartError(message, hint=f"options: {', '.join(sorted(known))}")
        self._tls = {name: query.pop(name) for name in MYSQL_TLS & query.keys()}
        try:
            engine = create_engine(url.set(drivername="mysql+pymysql", query=query))
            _, options = engine.dialect.create_connect_args(engine.url)
        except ValueError as error:  # a number was expected
            raise option_refused(self._name) from error
        options.update(
            {
                "autocommit": None,
                "charset": _CHARSET,
                "client_flag": CLIENT.FOUND_ROWS | CLIENT.PS_MULTI_RESULTS,
                "password": str(options.get("password", "")).encode(),
                "ssl_disabled": _is_on(self._tls.get("ssl_disabled")),
            }
        )
        options.setdefault("program_name", "mcp-run")
        self._timeout_s = float(options.pop("connect_timeout", CONNECT_TIMEOUT_S))
        self._options = options
        self._endpoint = _Endpoint(
            url.host or "localhost",
            url.port or 3306,
            unix_socket=query.get("unix_socket"),
            bind_address=query.get("bind_address"),
        )

    def connect(self, use: Callable[[Wire, Server], T]) -> T:
        """What `use` makes of a connection after its login, and of whom it reached.

        From the first packet to the end of `use`, no more time is taken than the address allows.

        Raises:
            StartError: says source, host and stage, never the password.
        """
        ends_at = time.monotonic() + self._timeout_s
        try:
            context = _tls_context(self._tls)
        except OSError as error:  # no such file, or no certificate in it
            raise self._failure("TLS") from error
        try:
            dialled = _dialled(self._endpoint, self._timeout_s)
        except TimeoutError as error:
            raise self._failure("connect", no_answer(self._timeout_s)) from error
        except OSError as error:
            raise self._failure(_stage(error)) from error
        with dialled.dup() as spare, bounded(ends_at - time.monotonic(), _ending(spare)) as bound:
            try:
                return self._logged_in(dialled, context, use)
            except (pymysql.Error, OSError, ServerError, SessionLostError, *UNREADABLE) as error:
                dialled.close()
                if bound.is_over:
                    raise self._failure("connect", no_answer(self._timeout_s)) from error
                raise self._refused(error) from error

    def _refused(self, error: Exception) -> StartError:
        """Where it failed; of a login the server's reason, which names user and database."""
        stage = _stage(error)
        if stage != "login":
            return self._failure(stage)
        code, words = error.args[0], str(error.args[1])
        return self._failure(stage, words, _LOGIN_HINTS.get(code))

    def _logged_in(
        self,
        dialled: socket.socket,
        context: ssl.SSLContext | None,
        use: Callable[[Wire, Server], T],
    ) -> T:
        login = _Login(**self._options, ssl=context, defer_connect=True)
        login.is_local = self._endpoint.unix_socket is not None
        login.connect(dialled)
        wire = Wire(login.taken_socket())
        with ExitStack() as stack:
            stack.callback(wire.close)
            used = use(wire, _server(wire, is_mariadb=login.is_mariadb))
            stack.pop_all()
            return used

    def _failure(self, stage: str, why: str | None = None, hint: str | None = None) -> StartError:
        message = f"database '{self._name}': {stage} failed at {self._endpoint}"
        return StartError(f"{message}: {why}" if why else message, hint=hint or _HINTS[stage])


@dataclass(frozen=True, slots=True)
class _Endpoint:
    """Where a server listens."""

    host: str
    port: int
    unix_socket: str | None = None
    bind_address: str | None = None
    """From which address of this machine."""

    def __str__(self) -> str:
        return self.unix_socket or f"{self.host}:{self.port}"


def _dialled(endpoint: _Endpoint, timeout_s: float) -> socket.socket:
    """A connection to the first address of the host that takes it.

    Raises:
        OSError: none does; `TimeoutError` where the last one says nothing.
    """
    if endpoint.unix_socket is not None:
        dialled = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        dialled.settimeout(timeout_s)
        try:
            dialled.connect(endpoint.unix_socket)
        except OSError:
            dialled.close()
            raise
        return dialled
    ends_at = time.monotonic() + timeout_s
    found = socket.getaddrinfo(endpoint.host, endpoint.port, type=socket.SOCK_STREAM)
    last: OSError = TimeoutError()
    for left, (family, _, _, _, address) in zip(range(len(found), 0, -1), found, strict=True):
        dialled = socket.socket(family, socket.SOCK_STREAM)
        try:
            dialled.settimeout(max((ends_at - time.monotonic()) / left, _LEAST_S))
            if endpoint.bind_address is not None:
                dialled.bind((endpoint.bind_address, 0))
            dialled.connect(address)
        except OSError as error:
            dialled.close()
            last = error
        else:
            dialled.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            dialled.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            return dialled
    raise last


def _ending(connection: socket.socket) -> Callable[[], None]:
    """Ends a connection, so that whoever waits for it, on a duplicate too, waits no longer."""

    def end() -> None:
        with suppress(OSError):  # the server was faster
            connection.shutdown(socket.SHUT_RDWR)

    return end


def _tls_context(options: Mapping[str, str]) -> ssl.SSLContext | None:
    """As the address says; without an option the driver takes TLS where the server has it.

    The driver's own context checks no host name unless a file of authorities is given.
    """
    if not options or _is_on(options.get("ssl_disabled")):
        return None
    ca, path = options.get("ssl_ca"), options.get("ssl_capath")
    checks_name = options.get("ssl_check_hostname", options.get("ssl_verify_identity"))
    has_authority = ca is not None or path is not None
    context = ssl.create_default_context(cafile=ca, capath=path)
    # Python 3.13 asks for extensions that the certificates which MySQL makes itself lack.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    context.check_hostname = _is_on(checks_name, otherwise=has_authority)
    verifies = _is_on(options.get("ssl_verify_cert"), otherwise=has_authority)
    is_verified = verifies or context.check_hostname
    context.verify_mode = ssl.CERT_REQUIRED if is_verified else ssl.CERT_NONE
    if "ssl_cert" in options:
        key, password = options.get("ssl_key"), options.get("ssl_key_password")
        context.load_cert_chain(options["ssl_cert"], key, password)
    if "ssl_cipher" in options:
        context.set_ciphers(options["ssl_cipher"])
    return context


def _is_on(word: str | None, *, otherwise: bool = False) -> bool:
    return otherwise if word is None else word.lower() in ("1", "true", "yes", "on")


def setup(database: Database, server: Server) -> Sequence[bytes]:
    """The commands that make a session what it is: after the login, and after each reset.

    What is fixed comes last, whatever `connect` says; idle connections outlive their use.
    """
    idle_s = int(database.pool_recycle_s) + _IDLE_SLACK_S
    depth = "max_recursive_iterations" if server.is_mariadb else "cte_max_recursion_depth"
    first = f"SET SESSION wait_timeout={idle_s}, group_concat_max_len={_TEXT_BYTES}, {depth}={_ALL}"
    name = make_url(database.url.reveal()).database
    commands = [USE + name.encode()] if name else []
    return [*commands, *(QUERY + text.encode() for text in (first, *database.connect, *_FIXED))]


def after_connect(database: Database) -> int:
    """How many commands of `setup` there are from the first statement of `connect` on."""
    return len(database.connect) + len(_FIXED)


def _server(wire: Wire, *, is_mariadb: bool) -> Server:
    [row] = rows_of(wire, _WHO)
    return Server(row[0], tuple(row[1:4]), int(str(row[4])), is_mariadb)


def rows_of(wire: Wire, text: bytes, values: Sequence[Parameter] = ()) -> list[list[object]]:
    """The rows of a small query of our own."""
    prepared = wire.prepare(text)
    packets: list[bytes] = []
    fields: list[Field] = []

    def take(block: Sequence[bytes]) -> bool:
        packets.extend(block)
        return True

    sink = Rows(fields.extend, take, block=100, cut=None)
    wire.run([execution(prepared, values)], rows=sink, rows_of=0)
    wire.forget(prepared)
    read = row_reader(tuple(fields))
    return [read(packet) for packet in packets]


_HINTS: Final = {
    "resolve": "check the host's name",
    "connect": "check that the server runs and listens there",
    "TLS": "check the ssl_ options and the certificates",
    "login": "check user, password and the database's name",
}
_LOGIN_CODES: Final = frozenset({1044, 1045, 1049, 1130, 1251, 1698, 1820, 3118, 4151})
_LOGIN_HINTS: Final = {
    1044: "check the database's name in the address, and what the user may do",
    1045: "check user and password of the address",
    1049: "check the database's name in the address",
    1130: "the server does not let this machine in",
    1698: "check user and password of the address",
}
_TLS_CODE: Final = 2026


def _stage(error: Exception) -> str:
    """Where it failed."""
    original = getattr(error, "original_exception", error)
    code = error.args[0] if isinstance(error, pymysql.Error) and error.args else None
    if isinstance(original, socket.gaierror):
        return "resolve"
    if isinstance(original, ssl.SSLError) or code == _TLS_CODE:
        return "TLS"
    return "login" if code in _LOGIN_CODES else "connect"
