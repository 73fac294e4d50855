"""The one table of tasks, and how a row of it becomes what others are told.

Knows SQLAlchemy and JSON; neither when a task is run nor by whom.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Row,
    Table,
    Text,
)

from runner.catalog.caller import Caller
from runner.catalog.tasks import Order, Status, TaskState
from runner.codec.json import Json, decode, encode

METADATA: Final = MetaData()
TASKS: Final = Table(
    "mcp_run_tasks",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("updated", BigInteger, nullable=False),
    Column("expires", BigInteger, nullable=False),
    Column("poll_ms", Integer, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("runs", Integer, nullable=False),
    Column("losses", Integer, nullable=False),
    Column("repeats", Boolean, nullable=False),
    Column("message", Text),
    # Emptied when the task ends: whose call it was, and with what, is nobody's concern any more.
    Column("call", LargeBinary),
    Column("answers", LargeBinary),
    Column("requests", LargeBinary),
    Column("result", LargeBinary),
    Column("error", LargeBinary),
    Column("worker", Text),
    Column("lease", BigInteger),
    Index("mcp_run_tasks_owner", "owner", "status"),
    Index("mcp_run_tasks_expires", "expires"),
    Index("mcp_run_tasks_lease", "status", "lease"),
)
"""Times are milliseconds since 1970, UTC."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def milliseconds(time: datetime) -> int:
    """A time as the table holds it."""
    return (time - _EPOCH) // timedelta(milliseconds=1)


def time_of(value: int) -> datetime:
    """A time of the table, UTC."""
    return _EPOCH + timedelta(milliseconds=value)


def state_of(row: Row[tuple[object, ...]]) -> TaskState:
    """The task of a whole row."""
    return TaskState(
        id=row.id,
        path=row.path,
        status=Status(row.status),
        created=time_of(row.created),
        updated=time_of(row.updated),
        ttl_ms=row.expires - row.created,
        poll_ms=row.poll_ms,
        revision=row.revision,
        message=row.message,
        requests=read(row.requests),
        result=row.result,
        error=row.error,
    )


def read(data: bytes | None) -> dict[str, Json]:
    """The object that a column holds; nothing is an empty one."""
    found = {} if data is None else decode(data)
    return found if isinstance(found, dict) else {}


def write(value: Mapping[str, object]) -> bytes | None:
    """An object as a column holds it."""
    return encode(value) if value else None


def call_of(order: Order) -> bytes:
    """What the order says beside its answers, as JSON."""
    caller = order.caller
    return encode(
        {
            "tool": order.tool,
            "arguments": order.arguments,
            "capabilities": order.capabilities,
            "client": order.client,
            "caller": {
                "user_id": caller.user_id,
                "email": caller.email,
                "client_id": caller.client_id,
                "scopes": sorted(caller.scopes),
                "issuer": caller.issuer,
                "claims": caller.claims,
                "authenticated": caller.authenticated,
            },
        }
    )


def order_of(row: Row[tuple[object, ...]]) -> Order:
    """The order of a row whose task has not ended."""
    call = decode(row.call)
    match call:
        case {
            "tool": str(tool),
            "arguments": dict(arguments),
            "capabilities": dict(capabilities),
            "client": client,
            "caller": dict(caller),
        }:
            return Order(
                path=row.path,
                tool=tool,
                arguments=arguments,
                caller=_caller_of(caller),
                capabilities=capabilities,
                client=client if isinstance(client, dict) else None,
                repeats=row.repeats,
                answers=read(row.answers),
            )
        case _:
            raise ValueError("the row holds no order of this version")


def _caller_of(found: Mapping[str, Json]) -> Caller:
    scopes, claims = found.get("scopes"), found.get("claims")
    return Caller(
        user_id=_text(found.get("user_id")),
        email=_text(found.get("email")),
        client_id=_text(found.get("client_id")),
        scopes=frozenset(map(str, scopes)) if isinstance(scopes, list) else frozenset(),
        issuer=_text(found.get("issuer")),
        claims=claims if isinstance(claims, dict) else {},
        authenticated=found.get("authenticated") is True,
    )


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None
