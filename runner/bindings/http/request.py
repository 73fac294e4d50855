"""A request made of a plan and a call's values.

Every value is encoded for its place or refused; none becomes structure. The refusal names the
field, for the model to correct itself.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from math import isfinite
from uuid import UUID

import httpx2

from runner.bindings.http.urls import Base, encoded, is_segment
from runner.bindings.http.wire import ACCEPTED_ENCODINGS, Request
from runner.catalog.call import Call
from runner.catalog.expressions import ABSENT, TreeTemplate
from runner.catalog.plans import HttpPlan, Segment
from runner.catalog.sources import Api
from runner.codec.json import encode
from runner.errors import BindingError, Kind

_ACCEPT = {
    "json": "application/json",
    "text": "text/*, */*;q=0.5",
    "bytes": "*/*",
    None: "application/json, */*;q=0.5",
}
_HEADER_VALUE = re.compile(r"[\x20-\x7e\t]*\Z")


def constant_headers(plan: HttpPlan, api: Api) -> Mapping[str, str]:
    """The headers of a plan that no call changes, by lower-case name."""
    return {
        "user-agent": "mcp-run",
        "accept": _ACCEPT[plan.response],
        **{name.lower(): value.reveal() for name, value in api.headers.items()},
        "accept-encoding": ACCEPTED_ENCODINGS,
    }


def request_of(plan: HttpPlan, call: Call, *, base: Base, headers: Mapping[str, str]) -> Request:
    """The request that `plan` makes of `call`, below `base`; without credentials.

    `headers` are those of `constant_headers`.

    Raises:
        BindingError: a value does not fit its place.
        ExpressionError: a template cannot be evaluated.
    """
    url = base.url + "".join(_part(part, call) for part in plan.path)
    if not base.holds(httpx2.URL(url)):
        raise BindingError(Kind.INVALID, "the values do not make an address of the API")
    content, content_type = _content(plan, call)
    return Request(
        plan.method,
        url,
        tuple(_pairs(plan.query, plan, call)),
        {
            **call.context.request.trace,
            **({} if content_type is None else {"content-type": content_type}),
            **headers,
            **dict(_headers(plan.headers, call)),
        },
        content,
    )


def _part(part: str | Segment, call: Call) -> str:
    if isinstance(part, str):
        return part
    name = part.parameter
    value = call.arguments.get(name, call.scope.get(name))
    if value is None or value is ABSENT:
        raise _misfit(name, "a value is needed, for it is part of the address")
    text = written(name, value)
    if not is_segment(text):
        raise _misfit(
            name, "expected text that is one segment of an address, without '.' or '..' as a part"
        )
    return encoded(text)


def written(field: str, value: object) -> str:
    """One value as the text that stands in an address, a form or a header.

    Raises:
        BindingError: it is no single value, or no text that can be sent.
    """
    match value:
        case bool():
            text = "true" if value else "false"
        case str():
            text = value
        case float() if isfinite(value):
            text = repr(value)
        case Decimal() if value.is_finite():
            text = format(value, "f")
        case int() | UUID():
            text = str(value)
        case datetime() | date():
            text = value.isoformat()
        case _:
            raise _misfit(field, "expected one value: a text, a number, true or false")
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise _misfit(field, "expected text without halves of surrogate pairs")
    return text


def _pairs(
    trees: Mapping[str, TreeTemplate], plan: HttpPlan, call: Call
) -> Iterator[tuple[str, str]]:
    """Names and values, encoded; what is absent, null or an empty list has no pair."""
    for name, tree in trees.items():
        value = tree.build(call.scope)
        match value, plan.arrays:
            case (None, _) | ([], _):
                continue
            case _ if value is ABSENT:
                continue
            case list(), "comma":
                yield encoded(name), ",".join(encoded(written(name, item)) for item in value)
            case list() | dict(), "brackets":
                yield from _bracketed(name, value)
            case list(), _:
                for item in value:
                    yield encoded(name), encoded(written(name, item))
            case _:
                yield encoded(name), encoded(written(name, value))


def _bracketed(name: str, value: object) -> Iterator[tuple[str, str]]:
    """`name[]` for a list's elements, `name[key]` for an object's members, nested as they are."""
    match value:
        case list():
            for item in value:
                yield from _bracketed(f"{name}[]", item)
        case dict():
            for key, item in value.items():
                yield from _bracketed(f"{name}[{key}]", item)
        case None:
            return
        case _:
            yield encoded(name), encoded(written(name, value))


def _headers(trees: Mapping[str, TreeTemplate], call: Call) -> Iterator[tuple[str, str]]:
    for name, tree in trees.items():
        value = tree.build(call.scope)
        if value is None or value is ABSENT:
            continue
        text = written(name, value).strip(" \t")
        if not _HEADER_VALUE.match(text):
            raise _misfit(
                name, "expected ASCII text without line breaks, for it is sent as a header"
            )
        yield name.lower(), text


def _content(plan: HttpPlan, call: Call) -> tuple[bytes | None, str | None]:
    """The body and its content type."""
    if plan.body is not None:
        value = plan.body.build(call.scope)
        return (None, None) if value is ABSENT else (encode(value), "application/json")
    if plan.form is not None:
        form = "&".join(f"{name}={value}" for name, value in _pairs(plan.form, plan, call))
        return form.encode("ascii"), "application/x-www-form-urlencoded"
    if plan.text is not None:
        text = written("text", plan.text.render(call.scope))
        return text.encode(), "text/plain; charset=utf-8"
    return None, None


def _misfit(field: str, expected: str) -> BindingError:
    return BindingError(Kind.INVALID, f"{field}: {expected}", field=field)
