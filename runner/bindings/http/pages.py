"""The pages of an API, fetched one after the other and joined to one list.

Ends where the API says so, or at a cap of pages or bytes; what was cut is said in a note. A next
link is followed only below the API's base, and never twice.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from runner.bindings.http.answer import is_empty, json_of
from runner.bindings.http.client import ApiClient
from runner.bindings.http.urls import encoded
from runner.bindings.http.wire import Answer, Request
from runner.catalog.plans import Paginate
from runner.errors import BindingError, Kind

Fetch = Callable[[Request, int], Awaitable[Answer]]
"""The answer to a request, at most so many bytes of it."""
_LINK = re.compile(r'<([^>]*)>((?:[^<,"]|"[^"]*")*)')
_PARAMETER = re.compile(r';\s*([^\s=;,"]+)\s*=\s*(?:"([^"]*)"|([^\s;,"]+))')


@dataclass(slots=True)
class Pages:
    """The items found so far."""

    items: list[object] = field(default_factory=list)
    count: int = 0
    note: str | None = None


async def fetch_pages(
    first: Request, how: Paginate, *, client: ApiClient, fetch: Fetch, max_bytes: int
) -> Pages:
    """The items of all pages, at most `how.max_pages` of them and `max_bytes` in all.

    Raises:
        BindingError: a page could not be had, or is not the list that it should be.
    """
    pages, left = Pages(), max_bytes
    request: Request | None = _counted(first, how)
    seen: set[str] = set()
    while request is not None and request.target not in seen:
        if pages.count == how.max_pages:
            pages.note = f"only the first {pages.count} pages were fetched; there may be more"
            break
        seen.add(request.target)
        try:
            answer = await fetch(request, left)
        except BindingError as error:
            if error.kind is not Kind.TOO_LARGE or not pages.count:
                raise
            pages.note = f"only the first {pages.count} pages fit into {max_bytes} bytes"
            break
        left -= len(answer.body)
        body = None if is_empty(answer, request.method) else json_of(answer)
        found = _items(body, how)
        pages.items += found
        pages.count += 1
        request = _next(
            request, how, answer=answer, body=body, client=client, has_items=bool(found)
        )
    return pages


def _items(body: object, how: Paginate) -> list[object]:
    found = body if how.items is None else how.items(body)
    if found is None:
        return []
    if not isinstance(found, list):
        raise BindingError(Kind.INVALID, "a page of the API's answer is no list")
    return found


def _counted(request: Request, how: Paginate) -> Request:
    """The first page, numbered 1 unless the query already says from where to count."""
    if how.page is None or any(name == encoded(how.page) for name, _ in request.pairs):
        return request
    return _with(request, how.page, "1")


def _with(request: Request, name: str, value: str) -> Request:
    """The request with that query parameter in place of what it had of that name."""
    kept = tuple(pair for pair in request.pairs if pair[0] != encoded(name))
    return replace(request, pairs=(*kept, (encoded(name), encoded(value))))


def _next(
    request: Request,
    how: Paginate,
    *,
    answer: Answer,
    body: object,
    client: ApiClient,
    has_items: bool,
) -> Request | None:
    """The request of the page after this one, or None at the end."""
    if how.page is not None:
        return _with(request, how.page, _successor(request, how.page)) if has_items else None
    link = _link(how, answer, body)
    if link is None:
        return None
    if how.cursor is not None:
        return _with(request, how.cursor, link)
    return replace(request, url=client.below(answer, link), pairs=())


def _link(how: Paginate, answer: Answer, body: object) -> str | None:
    """The address or cursor of the next page; null, false and empty text are none."""
    found = _linked(answer) if how.by_link else how.next and how.next(body)
    match found:
        case None | False | "":
            return None
        case str():
            return found
        case int() if found is not True:
            return str(found)
        case _:
            raise BindingError(Kind.INVALID, "the API's link to the next page is no text")


def _linked(answer: Answer) -> str | None:
    """The target of the Link header whose relation is `next`. Source: RFC 8288, 3"""
    for target, parameters in _LINK.findall(answer.headers.get("link", "")):
        for name, quoted, bare in _PARAMETER.findall(parameters):
            if name.lower() == "rel" and "next" in (quoted or bare).lower().split():
                return str(target)
    return None


def _successor(request: Request, name: str) -> str:
    current = dict(request.pairs)[encoded(name)]
    if not current.isdecimal():
        raise BindingError(Kind.INVALID, f"{name}: expected a page number", field=name)
    return str(int(current) + 1)
