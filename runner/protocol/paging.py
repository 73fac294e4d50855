"""Lists in pages: cut and sealed once at start, looked up when they are asked for.

A cursor names the first entry of its page. It is sealed for one list of one endpoint of one
configuration, so that every worker and every replica with the keys understands it, and nothing
else does. Seals are deterministic: the cursors of a list are known before anyone asks.
Source: MCP 2026-07-28, server/utilities/pagination.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from runner.catalog.catalog import Catalog, Endpoint
from runner.codec.json import encode
from runner.codec.seal import Seal, SealError
from runner.protocol.errors import Code, ProtocolError

_EVERYONE: Final = None
"""Whose list it is: no list depends on the caller."""


class Cursors:
    """Gives out and takes back the cursors of one endpoint's lists."""

    def __init__(self, endpoint: Endpoint, catalog: Catalog, seal: Seal) -> None:
        self.page_size = catalog.listen.page_size
        self._seal = seal
        self._bound = (endpoint.path, catalog.digest, self.page_size, _EVERYONE)

    def at(self, method: str, start: int) -> str:
        """The cursor of the page that begins with the entry at `start`."""
        return self._seal.close(start, purpose=self._purpose(method))

    def renewed(self, method: str, cursor: str) -> str:
        """The same cursor under the newest key.

        Raises:
            SealError: no key of ours sealed it for this list.
        """
        purpose = self._purpose(method)
        return self._seal.close(self._seal.open(cursor, purpose=purpose), purpose=purpose)

    def _purpose(self, method: str) -> bytes:
        return encode(["list", method, *self._bound])


@dataclass(frozen=True, slots=True)
class Pages:
    """One list as it is sent: encoded results."""

    method: str
    first: bytes
    later: Mapping[str, bytes]
    """By cursor."""
    entries: Sequence[object]
    """All of it, not encoded."""
    cursors: Cursors

    def page(self, cursor: object) -> bytes:
        """The page of a cursor as it was sent; the first one without a cursor.

        Raises:
            ProtocolError: -32602, the cursor is not one that was given out for this list.
        """
        if cursor is None:
            return self.first
        if isinstance(cursor, str):
            found = self.later.get(cursor) or self.later.get(self._renewed(cursor))
            if found is not None:
                return found
        raise ProtocolError(
            Code.INVALID_PARAMS, "The cursor is not one that this server gave out for this list"
        )

    def _renewed(self, cursor: str) -> str:
        try:
            return self.cursors.renewed(self.method, cursor)
        except SealError:
            return ""


def cut(
    method: str,
    found: Mapping[str, Sequence[object]],
    cursors: Cursors,
    *,
    before: Mapping[str, object],
    after: Mapping[str, object],
) -> Pages:
    """The list of one member in pages, each between the members that every page has."""
    [(member, entries)] = found.items()
    size = cursors.page_size
    pages = {}
    for start in range(0, max(len(entries), 1), size):
        more = (
            {"nextCursor": cursors.at(method, start + size)} if start + size < len(entries) else {}
        )
        page = {**before, member: entries[start : start + size], **more, **after}
        pages[cursors.at(method, start)] = encode(page)
    first = cursors.at(method, 0)
    return Pages(method, pages.pop(first), pages, entries, cursors)
