"""What may stand behind the `?` of a database's address, by engine: names, and what each takes.

Drivers know more; what is not here would undo what a session is fixed to, or has no effect.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy.engine import URL

BOOLEANS: Final = ("true", "false", "1", "0", "yes", "no", "on", "off")
Form = Sequence[str] | type[int] | type[str]
"""The words that it takes, a whole number above 0, or any text."""
_MYSQL_TLS: Final[Mapping[str, Form]] = {
    **dict.fromkeys(("ssl_ca", "ssl_capath", "ssl_cert", "ssl_cipher"), str),
    **dict.fromkeys(("ssl_key", "ssl_key_password"), str),
    **dict.fromkeys(("ssl_check_hostname", "ssl_disabled"), BOOLEANS),
    **dict.fromkeys(("ssl_verify_cert", "ssl_verify_identity"), BOOLEANS),
}
MYSQL_TLS: Final = frozenset(_MYSQL_TLS)
_MYSQL: Final[Mapping[str, Form]] = {
    **_MYSQL_TLS,
    **dict.fromkeys(("bind_address", "program_name", "server_public_key", "unix_socket"), str),
    "charset": ("utf8mb4",),
    "connect_timeout": int,
}
_OFTEN: Final = ("disable", "prefer", "require")
_POSTGRES: Final[Mapping[str, Form]] = {
    **dict.fromkeys(("application_name", "fallback_application_name", "options", "passfile"), str),
    **dict.fromkeys(("host", "hostaddr", "port", "service", "requirepeer", "require_auth"), str),
    **dict.fromkeys(("sslcert", "sslkey", "sslpassword", "sslrootcert", "sslcrl"), str),
    **dict.fromkeys(("sslcrldir", "krbsrvname", "gsslib", "user", "password", "dbname"), str),
    **dict.fromkeys(("ssl_min_protocol_version", "ssl_max_protocol_version"), str),
    **dict.fromkeys(("scram_client_key", "scram_server_key"), str),
    **dict.fromkeys(("min_protocol_version", "max_protocol_version"), str),
    **dict.fromkeys(("keepalives_idle", "keepalives_interval", "keepalives_count"), int),
    **dict.fromkeys(("connect_timeout", "tcp_user_timeout"), int),
    **dict.fromkeys(("keepalives", "sslsni", "gssdelegation"), ("0", "1")),
    "channel_binding": _OFTEN,
    "client_encoding": ("utf8", "UTF8", "utf-8", "UTF-8"),
    "gssencmode": _OFTEN,
    "load_balance_hosts": ("disable", "random"),
    "sslcertmode": ("allow", "disable", "require"),
    "sslmode": ("allow", *_OFTEN, "verify-ca", "verify-full"),
    "sslnegotiation": ("direct", "postgres"),
    "target_session_attrs": (
        *("any", "prefer-standby", "primary", "read-only", "read-write", "standby"),
    ),
}
_SQLITE_URI: Final[Mapping[str, Form]] = {
    "cache": ("private", "shared"),
    "immutable": BOOLEANS,
    "mode": ("memory", "ro", "rw", "rwc"),
    "modeof": str,
    "nolock": BOOLEANS,
    "psow": BOOLEANS,
    "uri": BOOLEANS,
    "vfs": str,
}
_OPTIONS: Final[Mapping[str, Mapping[str, Form]]] = {
    "duckdb": {},
    "mariadb": _MYSQL,
    "mysql": _MYSQL,
    "postgresql": _POSTGRES,
    "sqlite": {},
}


def options_of(url: URL) -> Mapping[str, Form] | None:
    """The options of an address; None where the engine is none of ours."""
    dialect = url.get_backend_name()
    if dialect == "sqlite" and (url.database or "").startswith("file:"):
        return _SQLITE_URI
    return _OPTIONS.get(dialect)
