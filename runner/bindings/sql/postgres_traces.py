"""Which reads leave nothing in a session of PostgreSQL that outlives their transaction.

The end of a transaction takes back settings, tables and what is listened to, but no lock of the
session, no prepared statement and no seed. A function may leave such, so the server is asked what
the words of a text may name: functions that are not its own, and what calls such out of sight, a
view or a rule of rows.
"""

import re
from typing import Final

from runner.bindings.sql.postgres_wire import Command, Wire

_WORD: Final = re.compile(r"[^\W\d][\w$]*")
_KNOWN_TEXTS: Final = 1024
_NAMES: Final = b"""SELECT EXISTS (
SELECT FROM pg_catalog.pg_proc AS p JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
WHERE p.proname = ANY ($1::text[]) AND (n.nspname <> 'pg_catalog' OR (p.provolatile = 'v'
AND p.proname NOT IN ('random', 'clock_timestamp', 'timeofday', 'gen_random_uuid', 'pg_sleep'))))
OR EXISTS (
SELECT FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relname = ANY ($1::text[]) AND (c.relkind = 'v' OR c.relrowsecurity AND EXISTS (
SELECT FROM pg_catalog.pg_policy AS r JOIN pg_catalog.pg_depend AS d ON d.objid = r.oid
WHERE r.polrelid = c.oid AND d.classid = 'pg_catalog.pg_policy'::regclass
AND d.refclassid = 'pg_catalog.pg_proc'::regclass))
AND n.nspname NOT IN ('pg_catalog', 'information_schema'))"""


class Traces:
    """What is known of the texts of one database; shared by its sessions."""

    def __init__(self) -> None:
        self._known: dict[str, bool] = {}

    def leaves(self, text: str, wire: Wire) -> bool:
        """A read of this text may leave something behind.

        Raises:
            EngineError: the server cannot say.
            SessionLostError: the connection broke.
        """
        known = self._known.get(text)
        if known is None:
            known = "U&" in text.upper() or _asked(text, wire)
            if len(self._known) >= _KNOWN_TEXTS:
                self._known.pop(next(iter(self._known)), None)
            self._known[text] = known
        return known


def _asked(text: str, wire: Wire) -> bool:
    found = _WORD.findall(text)
    names = {*found, *(word.lower() for word in found), *re.findall(r'"([^"]+)"', text)}
    quoted = (name.replace("\\", "\\\\").replace('"', '\\"') for name in sorted(names))
    array = "{" + ",".join(f'"{name}"' for name in quoted) + "}"
    [result] = wire.run([Command(_NAMES, (array.encode(),))])
    return result.get_value(0, 0) == b"t"
