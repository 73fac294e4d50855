"""Streams that listen: each is told of its own endpoint, and of what it asked for."""

import json

import pytest

from runner.protocol.listeners import Listener, Listeners, Wanted
from tests.requirements import requirement

ALL = frozenset({"toolsListChanged", "promptsListChanged", "resourcesListChanged"})
URI = "docs://page"


class Bench:
    """Open streams, and what each was told."""

    def __init__(self) -> None:
        self.listeners = Listeners()
        self.told: dict[str, list[str]] = {}

    def open(self, name: str, wanted: Wanted, *, path: str = "/mcp") -> None:
        """Opens a stream."""
        found = self.told.setdefault(name, [])
        self.listeners.add(
            Listener(path, "", name, lambda text: found.append(json.loads(text)["method"]), wanted)
        )


@requirement("P-132")
@pytest.mark.parametrize("kind", sorted(ALL))
def test_changed_list_is_told_where_it_is_served_to_who_asked_for_it(kind: str) -> None:
    bench = Bench()
    bench.open("this", Wanted(frozenset({kind})))
    bench.open("others", Wanted(ALL - {kind}, frozenset({URI})))
    bench.open("elsewhere", Wanted(ALL), path="/other")

    bench.listeners.lists_changed("/mcp", [kind])

    word = kind.removesuffix("ListChanged")
    told = f"notifications/{word}/list_changed"
    assert bench.told == {"this": [told], "others": [], "elsewhere": []}


@requirement("P-132")
def test_changed_resource_is_told_where_it_is_served_to_who_named_it() -> None:
    bench = Bench()
    bench.open("this", Wanted(uris=frozenset({URI})))
    bench.open("another", Wanted(ALL, frozenset({"docs://other"})))
    bench.open("elsewhere", Wanted(uris=frozenset({URI})), path="/other")

    bench.listeners.resource_updated("/mcp", URI)

    told = ["notifications/resources/updated"]
    assert bench.told == {"this": told, "another": [], "elsewhere": []}


def test_end_of_an_endpoint_ends_its_streams_alone() -> None:
    listeners = Listeners()
    streams = [
        Listener(path, "", path, lambda _message: None, Wanted()) for path in ("/mcp", "/other")
    ]
    for stream in streams:
        listeners.add(stream)

    listeners.end("/mcp")

    assert [stream.over.is_set() for stream in streams] == [True, False]
