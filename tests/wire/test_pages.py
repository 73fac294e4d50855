"""Lists in pages: walked whole in both eras, and cursors that only their own list understands."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.catalog.catalog import Catalog
from runner.catalog.resource import Resource
from runner.catalog.uris import uri_template
from runner.protocol.server import Protocol
from tests.requirements import requirement
from tests.wire.client import Client, HttpClient, Message, legacy_message, modern_message
from tests.wire.serving import LISTEN, STATE_KEY, a_catalog, a_protocol, a_tool

LISTS = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}
"""The member of the result, by method."""
OTHER_KEY = b"another key of the tests"
ERAS = ["2026-07-28", "2025-11-25", "2024-11-05"]


def a_resource(name: str, uri: str) -> Resource:
    """A text, or with a variable in its URI many of them."""
    template = uri_template(uri) if "{" in uri else None
    return Resource(name, uri, template, None, None, (), (), None, a_tool(f"resource:{name}"))


def a_long_catalog(entries: int, page_size: int, *, path: str = "/mcp") -> Catalog:
    """A catalog with that many tools, resources and templates."""
    tools = [a_tool(f"t{number}") for number in range(entries)]
    found = a_catalog(*tools, listen=replace(LISTEN, page_size=page_size))
    resources = [a_resource(f"r{number}", f"r://{number}") for number in range(entries)]
    resources += [a_resource(f"x{number}", f"x{number}://{{id}}") for number in range(entries)]
    named = {item.name: item for item in resources}
    endpoint = replace(found.endpoints[0], path=path, resources=named)
    return replace(found, endpoints=(endpoint,), resources=named)


def page(
    protocol: Protocol, method: str, cursor: object = None, *, version: str = ERAS[0]
) -> Message:
    """The response to one request for a page, over HTTP."""
    params = {} if cursor is None else {"cursor": cursor}
    if version == ERAS[0]:
        [answer] = HttpClient().modern(protocol, modern_message(method, params))
    else:
        [answer] = HttpClient().legacy(protocol, legacy_message(method, params), version)
    return answer


def result(answer: Message) -> Mapping[str, object]:
    """The result of a response that succeeded."""
    found = answer["result"]
    assert isinstance(found, dict)
    return found


def walk(protocol: Protocol, method: str, version: str) -> Iterator[Mapping[str, object]]:
    """Every page, one after the other."""
    found = result(page(protocol, method, version=version))
    yield found
    while "nextCursor" in found:
        assert isinstance(found["nextCursor"], str)
        assert found["nextCursor"]
        found = result(page(protocol, method, found["nextCursor"], version=version))
        yield found


def names(pages: Sequence[Mapping[str, object]], member: str) -> list[str]:
    """The names of all entries, in the order in which they came."""
    entries: list[dict[str, str]] = []
    for found in pages:
        entries += found[member]  # type: ignore[arg-type]  # the schema says that it is a list
    return [entry["name"] for entry in entries]


def first_cursor(protocol: Protocol, method: str = "tools/list") -> str:
    """The cursor of the second page."""
    return str(result(page(protocol, method))["nextCursor"])


@requirement("P-077", "P-078")
@settings(max_examples=15, deadline=None)
@given(
    entries=st.integers(1, 9),
    page_size=st.integers(1, 10),
    method=st.sampled_from(list(LISTS)),
    version=st.sampled_from(ERAS),
)
def test_walk_gives_every_entry_once_and_in_order(
    entries: int, page_size: int, method: str, version: str
) -> None:
    protocol = a_protocol(a_long_catalog(entries, page_size))

    pages = list(walk(protocol, method, version))

    prefix = {"tools/list": "t", "resources/list": "r"}.get(method, "x")
    assert names(pages, LISTS[method]) == [f"{prefix}{number}" for number in range(entries)]
    assert len(pages) == -(-entries // page_size)


@requirement("P-073")
@pytest.mark.parametrize("method", LISTS)
def test_all_pages_say_the_same_of_caches(method: str) -> None:
    pages = list(walk(a_protocol(a_long_catalog(5, 2)), method, ERAS[0]))

    hints = {(found["cacheScope"], found["ttlMs"], found["resultType"]) for found in pages}
    assert (len(pages), hints) == (3, {("public", 60_000, "complete")})


@requirement("P-078")
def test_cursor_is_understood_by_every_replica_with_the_key() -> None:
    here, there = (a_protocol(a_long_catalog(5, 2)) for _ in range(2))

    cursor = first_cursor(here)

    assert page(there, "tools/list", cursor) == page(here, "tools/list", cursor)
    assert names([result(page(there, "tools/list", cursor))], "tools") == ["t2", "t3"]


@requirement("P-078")
def test_cursor_of_an_older_key_goes_on_and_the_next_one_has_the_newest() -> None:
    catalog = a_long_catalog(5, 2)
    older = first_cursor(a_protocol(catalog, keys=[OTHER_KEY]))
    protocol = a_protocol(catalog, keys=[STATE_KEY, OTHER_KEY])

    found = result(page(protocol, "tools/list", older))

    assert names([found], "tools") == ["t2", "t3"]
    assert found == result(page(protocol, "tools/list", first_cursor(protocol)))
    last = result(page(a_protocol(catalog), "tools/list", found["nextCursor"]))
    assert names([last], "tools") == ["t4"]


def test_cursor_goes_on_in_another_version() -> None:
    """The entries are the same, so that a client may change its version between two pages."""
    protocol = a_protocol(a_long_catalog(3, 2))

    found = result(page(protocol, "tools/list", first_cursor(protocol), version="2025-06-18"))

    assert names([found], "tools") == ["t2"]


def foreign_cursors() -> dict[str, object]:
    """Cursors that were not given out for the list of tools, by what is wrong with them."""
    catalog = a_long_catalog(5, 2)
    own = first_cursor(a_protocol(catalog))
    middle = len(own) // 2
    return {
        "of another list": first_cursor(a_protocol(catalog), "resources/list"),
        "of another endpoint": first_cursor(a_protocol(a_long_catalog(5, 2, path="/other"))),
        "of another configuration": first_cursor(a_protocol(replace(catalog, digest="other"))),
        "of another size of pages": first_cursor(a_protocol(a_long_catalog(5, 4))),
        "of another key": first_cursor(a_protocol(catalog, keys=[OTHER_KEY])),
        "mangled": own[:middle] + ("A" if own[middle] != "A" else "B") + own[middle + 1 :],
        "cut": own[:-1],
        "padded": own + "=",
        "empty": "",
        "no ASCII": "größer",
        "a number": 2,
        "a list": [own],
    }


@requirement("P-078")
@pytest.mark.parametrize(("fault", "cursor"), foreign_cursors().items())
@pytest.mark.parametrize("version", ERAS)
def test_cursor_that_was_not_given_out_for_the_list_is_refused(
    fault: str, cursor: object, version: str
) -> None:
    answer = page(a_protocol(a_long_catalog(5, 2)), "tools/list", cursor, version=version)

    message = "The cursor is not one that this server gave out for this list"
    assert answer["error"] == {"code": -32602, "message": message}, fault


def test_list_that_fits_one_page_has_no_cursor(client: Client) -> None:
    protocol = a_protocol(a_long_catalog(2, 2))

    [modern] = client.modern(protocol, modern_message("tools/list"))
    [legacy] = client.legacy(protocol, legacy_message("tools/list"), "2025-11-25")

    assert list(result(modern)) == ["resultType", "ttlMs", "cacheScope", "tools", "_meta"]
    assert list(result(legacy)) == ["tools"]
