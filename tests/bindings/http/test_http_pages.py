"""Pages of Datasette, and of servers that make them endless or lead astray."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from runner.catalog.call import Outcome
from runner.catalog.plans import Paginate
from runner.errors import BindingError
from tests.bindings.http.upstream import (
    DATASETTE,
    answering,
    api,
    http,
    invoke,
    plan,
    program,
    raw_server,
    run,
    trees,
)


@pytest.fixture(scope="module")
def datasette(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A table of 35 rows, ten a page."""
    path: Path = tmp_path_factory.mktemp("datasette") / "shop.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT)")
        database.executemany(
            "INSERT INTO items VALUES (?, ?)", [(i, f"item {i}") for i in range(1, 36)]
        )
        database.commit()
    with program(DATASETTE, str(path)) as url:
        yield url


def member(name: str) -> object:
    """A compiled selection of one member, made by hand."""

    def select(value: object) -> object:
        return value.get(name) if isinstance(value, dict) else None

    return select


def pages_of(url: str, path: str, how: Paginate, **fields: object) -> Outcome:
    upstream = api(url, read_timeout_s=15.0)
    return run(invoke(plan("GET", path, paginate=how, **fields), upstream))


ROWS = Paginate(next=member("next_url"), items=member("rows"))  # type: ignore[arg-type]  # made by hand
NUMBERS = [[i, f"item {i}"] for i in range(1, 36)]


def test_datasette_s_pages_are_joined_by_their_next_url(datasette: str) -> None:
    found = pages_of(datasette, "/shop/items.json", ROWS)
    assert found == Outcome(value=NUMBERS)


def test_datasette_s_pages_are_joined_by_their_cursor(datasette: str) -> None:
    how = Paginate(next=member("next"), cursor="_next", items=member("rows"))  # type: ignore[arg-type]  # made by hand
    assert pages_of(datasette, "/shop/items.json", how) == Outcome(value=NUMBERS)


def test_datasette_s_pages_are_joined_by_the_link_header(datasette: str) -> None:
    shape = trees(_shape="array", _size="7")
    found = pages_of(datasette, "/shop/items.json", Paginate(by_link=True), query=shape)
    assert found.value == [{"id": i, "name": f"item {i}"} for i in range(1, 36)]


def test_pages_beyond_the_cap_are_left_out_and_it_is_said(datasette: str) -> None:
    how = Paginate(next=ROWS.next, items=ROWS.items, max_pages=2)
    assert pages_of(datasette, "/shop/items.json", how) == Outcome(
        value=NUMBERS[:20], note="only the first 2 pages were fetched; there may be more"
    )


def test_bytes_beyond_the_cap_are_left_out_and_it_is_said(datasette: str) -> None:
    found = pages_of(datasette, "/shop/items.json", ROWS, max_bytes=2500)
    assert isinstance(found.value, list)
    assert found.value == NUMBERS[: len(found.value)]
    assert 0 < len(found.value) < 35
    assert str(found.note).endswith("fit into 2500 bytes")


def test_selection_sees_the_joined_list(datasette: str) -> None:
    count = pages_of(datasette, "/shop/items.json", ROWS, select=lambda items: len(list(items)))
    assert count.value == 35


def raw_pages(how: Paginate, *answers: bytes, **fields: object) -> tuple[Outcome, list[bytes]]:
    requests: list[bytes] = []

    async def work() -> Outcome:
        async with raw_server(answering(*answers, requests=requests)) as url:
            return await invoke(plan("GET", "/v1", paginate=how, **fields), api(f"{url}"))

    found = run(work())
    return found, [request.split()[1] for request in requests]


def test_numbered_pages_end_at_the_first_empty_one() -> None:
    found, asked = raw_pages(
        Paginate(page="p"), http("200 OK", b"[1]"), http("200 OK", b"[2]"), http("200 OK", b"[]")
    )
    assert found == Outcome(value=[1, 2])
    assert asked == [b"/v1?p=1", b"/v1?p=2", b"/v1?p=3"]


def test_numbered_pages_begin_where_the_query_says() -> None:
    empty = http("200 OK", b"")
    _, asked = raw_pages(Paginate(page="p"), http("200 OK", b"[1]"), empty, query=trees(p=0, q="x"))
    assert asked == [b"/v1?p=0&q=x", b"/v1?q=x&p=1"]


def test_page_that_is_no_number_is_refused() -> None:
    with pytest.raises(BindingError, match="p: expected a page number"):
        raw_pages(Paginate(page="p"), http("200 OK", b"[1]"), query=trees(p="x"))


def test_link_to_a_page_already_seen_ends_the_pages() -> None:
    again = http("200 OK", b"[1]", Link='</v1?p=2>; rel="next"')
    found, asked = raw_pages(Paginate(by_link=True), again)
    assert found == Outcome(value=[1, 1])
    assert asked == [b"/v1", b"/v1?p=2"]


@pytest.mark.parametrize(
    ("link", "asked"),
    [
        ('<a;b?x=1,2>; title="a, <b>; rel=next"; rel=prev, </v1;c>; rel="last NEXT"', b"/v1;c"),
        ("</v1?x=1;y=2>;rel=next", b"/v1?x=1;y=2"),
    ],
)
def test_link_header_is_read_with_its_quotes(link: str, asked: bytes) -> None:
    _, paths = raw_pages(
        Paginate(by_link=True), http("200 OK", b"[1]", Link=link), http("200 OK", b"[]")
    )
    assert paths == [b"/v1", asked]


@pytest.mark.parametrize(
    "link", ["http://169.254.169.254/", "//evil.example/v1", "https://127.0.0.1/v1"]
)
def test_next_page_elsewhere_is_not_fetched(link: str) -> None:
    with pytest.raises(BindingError, match="outside of it, which is not followed"):
        raw_pages(Paginate(by_link=True), http("200 OK", b"[1]", Link=f"<{link}>; rel=next"))


def test_page_that_is_no_list_is_an_error() -> None:
    with pytest.raises(BindingError, match="a page of the API's answer is no list"):
        raw_pages(Paginate(by_link=True), http("200 OK", b'{"a": 1}'))


def test_failure_of_a_later_page_is_the_failure_of_the_call() -> None:
    with pytest.raises(BindingError, match="status 500"):
        raw_pages(Paginate(page="p"), http("200 OK", b"[1]"), http("500 No"))


@pytest.mark.parametrize("found", [None, False, ""])
def test_nothing_found_ends_the_pages(found: object) -> None:
    how = Paginate(next=lambda _body: found)
    assert raw_pages(how, http("200 OK", b"[1]"))[0] == Outcome(value=[1])


def test_number_is_a_cursor() -> None:
    cursors = [7, None]
    how = Paginate(next=lambda _body: cursors.pop(0), cursor="after")
    assert raw_pages(how, http("200 OK", b"[1]"))[1] == [b"/v1", b"/v1?after=7"]


@pytest.mark.parametrize("found", [True, ["x"], {"a": 1}, 1.5])
def test_next_page_that_is_no_text_is_an_error(found: object) -> None:
    with pytest.raises(BindingError, match="link to the next page is no text"):
        raw_pages(Paginate(next=lambda _body: found), http("200 OK", b"[1]"))
