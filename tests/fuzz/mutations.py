"""What can be wrong with a message: in its tree, in its bytes, in its headers.

A mutation is chosen by a number, so that hypothesis draws numbers alone, and makes them smaller.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final

from tests.wire.recording import Sent, sent_over_http

Pairs = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Wire:
    """A message on its way, and the headers that go with it over HTTP."""

    body: bytes
    headers: Pairs

    def sent(self) -> list[Sent]:
        """The messages of it, over HTTP."""
        told = [value for name, value in self.headers if name.lower() == "mcp-protocol-version"]
        return sent_over_http(self.body, told[0].strip() if told else None)

    def numbered(self, id_: int) -> "Wire":
        """The same under an id of its own."""
        return replace(self, body=self.body.replace(b'"id": 1,', f'"id": {id_},'.encode(), 1))


Mutation = Callable[[Wire, Random], Wire]
VALUES: Final[list[object]] = [
    None, True, False, 0, -1, 1.0, 0.5, 2**31, 2**53, -(2**63), 2**64, 10**400, 1e308, float("nan"),
    float("inf"), "", " ", "\x00", "a" * 5000, "\ud800", "\ufeff", "../../etc/passwd", "%2e%2e/",
    "docs://folder/../page.txt", "docs://folder/%00", "city://x/y", "ask://name", "2026-07-28",
    "2025-03-26", "1999-01-01", "tools/call", "=?base64?AA==?=", "=?base64?x?=", "' OR 1=1 --",
    "{{ 7 * 7 }}", "$text", "Ünïcödé 👋", "\u2028", "1e400", "NaN", [], {}, [[]], [None], {"": {}},
    [1, "1", None], {"type": "ref/prompt"}, {"__proto__": 1}, {"a": {"b": {"c": {"d": []}}}},
]  # fmt: skip
HEADER_VALUES: Final = [
    "", " ", "\t", "2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "1999-01-01", "echo",
    "tools/call", "TOOLS/CALL", " tools/call ", "=?base64?ZWNobw==?=", "=?base64?ZWNobw?=",
    "=?base64?!!!!?=", "=?base64?//8=?=", "=?base64??=", "=?base64?", "?=", "\xff\xfe", "Zürich",
    "a\x00b", "a\r\nX-Y: z", "7", "7.0", "07", "-0", "1e1", "true", "*/*", "application/json",
    "application/json; charset=utf-16", "text/event-stream", "text/plain", "text/event-stream;q=0",
    "https://evil.example.com", "null", "http://127.0.0.1:8000", "evil.example.com", "[::1]:8000",
    "localhost", "999999999999", "-1", "x" * 9000,
]  # fmt: skip
HEADER_NAMES: Final = [
    "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Param-Region", "Mcp-Param-Number",
    "Mcp-Param-Else", "Content-Type", "Accept", "Host", "Origin", "Content-Length",
    "Mcp-Session-Id", "Last-Event-ID", "Authorization", "Content-Encoding", "X-Forwarded-For",
    "Forwarded",
]  # fmt: skip
PIECES: Final = [
    b"{", b"}", b"[", b"]", b'"', b",", b":", b"\\", b"\\u", b'"\\ud800"', b"\x00", b"\xff",
    b"\xc0\x80", b"\xef\xbb\xbf", b"NaN", b"Infinity", b"-", b"1e999", b"/* x */", b"\r", b"\t", 
    b" ", b"null", b'"id":2,', b'"jsonrpc":"2.0",', b"9" * 500, b"[" * 300, b'{"a":' * 300,
]  # fmt: skip
KEYS: Final = [
    "id", "jsonrpc", "method", "params", "_meta", "name", "arguments", "uri", "cursor", "ref",
    "argument", "context", "requestState", "inputResponses", "notifications", "level", "result",
    "error", "io.modelcontextprotocol/protocolVersion", "progressToken", "", "é",
]  # fmt: skip


def mutated(wire: Wire, mutations: list[tuple[int, int]]) -> Wire:
    """The message after each mutation: its number, and the seed of what it chooses."""
    for which, seed in mutations:
        wire = MUTATIONS[which](wire, Random(seed))
    return wire


def _in_tree(change: Callable[[object, Random], object]) -> Mutation:
    """The mutation of the message's tree; a body that is none any more stays as it is."""

    def mutate(wire: Wire, random: Random) -> Wire:
        try:
            tree = json.loads(wire.body)
        except (ValueError, RecursionError):
            return wire
        text = json.dumps(change(tree, random), ensure_ascii=random.random() < 0.5)
        return replace(wire, body=text.encode("utf-8", "surrogatepass"))

    return mutate


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a value stands in an object or an array."""

    container: Any
    key: Any

    @property
    def value(self) -> object:
        """What stands there."""
        found: object = self.container[self.key]
        return found

    def put(self, value: object) -> None:
        """Puts another in its place."""
        self.container[self.key] = value

    def clear(self) -> None:
        """Takes it away."""
        del self.container[self.key]


def _places(tree: object) -> list[_Place]:
    """Every member of every object and array."""
    keys: Iterable[object] = ()
    if isinstance(tree, dict):
        keys = tree
    elif isinstance(tree, list):
        keys = range(len(tree))
    found = [_Place(tree, key) for key in keys]
    return found + [inner for place in found for inner in _places(place.value)]


def _replace_value(tree: object, random: Random) -> object:
    places = _places(tree)
    if not places:
        return random.choice(VALUES)
    random.choice(places).put(random.choice(VALUES))
    return tree


def _change_text(tree: object, random: Random) -> object:
    texts = [(place, place.value) for place in _places(tree) if isinstance(place.value, str)]
    if texts:
        place, text = random.choice(texts)
        at = random.randint(0, len(text))
        put = random.choice(["", "a", ".", "/", "\x00", "é", "\ud800", "A", "=", text])
        place.put(text[:at] + put + text[at + random.randint(0, 2) :])
    return tree


def _remove_member(tree: object, random: Random) -> object:
    places = _places(tree)
    if places:
        random.choice(places).clear()
    return tree


def _add_member(tree: object, random: Random) -> object:
    objects = [found for found in (tree, *(p.value for p in _places(tree))) if _is_object(found)]
    if objects:
        _Place(random.choice(objects), random.choice(KEYS)).put(random.choice(VALUES))
    return tree


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _move_member(tree: object, random: Random) -> object:
    """A value that is right, in a place where it is not."""
    places = _places(tree)
    if len(places) > 1:
        source, target = random.sample(places, 2)
        target.put(json.loads(json.dumps(source.value)))
    return tree


def _wrap(tree: object, random: Random) -> object:
    return random.choice([[tree], [tree, tree], {"params": tree}, [tree, None, tree], [[tree]]])


def _deepen(tree: object, random: Random) -> object:
    value: object = []
    for _ in range(random.choice([10, 100, 400])):
        value = [value] if random.random() < 0.5 else {"a": value}
    places = _places(tree)
    if places:
        random.choice(places).put(value)
    return tree


def _change_byte(wire: Wire, random: Random) -> Wire:
    if not wire.body:
        return wire
    at = random.randrange(len(wire.body))
    return replace(wire, body=wire.body[:at] + bytes([random.randrange(256)]) + wire.body[at + 1 :])


def _insert_piece(wire: Wire, random: Random) -> Wire:
    at = random.randint(0, len(wire.body))
    return replace(wire, body=wire.body[:at] + random.choice(PIECES) + wire.body[at:])


def _cut(wire: Wire, random: Random) -> Wire:
    ends = sorted(random.randint(0, len(wire.body)) for _ in range(2))
    kept = [wire.body[: ends[0]], wire.body[ends[0] : ends[1]], wire.body[ends[1] :]]
    return replace(wire, body=random.choice([kept[0] + kept[2], kept[0], kept[2], wire.body * 2]))


def _encode(wire: Wire, random: Random) -> Wire:
    text = wire.body.decode("utf-8", "replace")
    name = random.choice(["utf-16", "utf-16-le", "utf-32", "latin-1", "utf-8-sig", "utf-7"])
    return replace(wire, body=text.encode(name, "replace"))


def _drop_header(wire: Wire, random: Random) -> Wire:
    headers = [*wire.headers]
    if headers:
        del headers[random.randrange(len(headers))]
    return replace(wire, headers=headers)


def _change_header(wire: Wire, random: Random) -> Wire:
    headers = [*wire.headers]
    if headers:
        at = random.randrange(len(headers))
        name, value = headers[at]
        another = random.choice(HEADER_VALUES)
        changed = random.choice([another, f" {value} ", value.upper(), value * 2])
        headers[at] = (random.choice([name, name.upper()]), changed)
    return replace(wire, headers=headers)


def _add_header(wire: Wire, random: Random) -> Wire:
    name, value = random.choice(HEADER_NAMES), random.choice(HEADER_VALUES)
    return replace(wire, headers=[*wire.headers, (name, value)])


def _repeat_header(wire: Wire, random: Random) -> Wire:
    if not wire.headers:
        return wire
    return replace(wire, headers=[*wire.headers, *random.choices(wire.headers, k=2)])


MUTATIONS: Final[list[Mutation]] = [
    _in_tree(_replace_value),
    _in_tree(_change_text),
    _in_tree(_remove_member),
    _in_tree(_add_member),
    _in_tree(_move_member),
    _in_tree(_wrap),
    _in_tree(_deepen),
    _change_byte,
    _insert_piece,
    _cut,
    _encode,
    _drop_header,
    _change_header,
    _add_header,
    _repeat_header,
]
TREE_MUTATIONS: Final = 7
"""How many of them keep the body JSON; these come first."""
