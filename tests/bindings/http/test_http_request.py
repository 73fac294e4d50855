"""How a call's values become a request, as httpbin and a raw server see it."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.bindings.http.request import constant_headers, request_of
from runner.bindings.http.urls import Base, encoded, has_dot_segment, is_segment
from runner.catalog.expressions import ABSENT
from runner.catalog.plans import HttpPlan, Segment
from runner.catalog.sources import ApiAuth
from runner.errors import BindingError, Kind
from runner.secret import Secret
from tests.bindings.http.upstream import (
    HTTPBIN,
    api,
    call,
    invoke,
    plan,
    program,
    run,
    text,
    tree,
    trees,
)


@pytest.fixture(scope="module")
def httpbin() -> Iterator[str]:
    with program(HTTPBIN) as url:
        yield url


def echoed(url: str, plan: HttpPlan, **arguments: object) -> dict[str, object]:
    """What httpbin says that it was sent."""
    value = run(invoke(plan, api(url, read_timeout_s=15.0), arguments=arguments)).value
    assert isinstance(value, dict)
    return value


def target(plan: HttpPlan, **arguments: object) -> str:
    """The URL of the request below a base, which is left out."""
    base = Base.of("https://api.example.com/v1")
    made = request_of(plan, call(**arguments), base=base, headers={}).target
    return made.removeprefix(base.url)


def refusal(plan: HttpPlan, **arguments: object) -> BindingError:
    with pytest.raises(BindingError) as caught:
        target(plan, **arguments)
    assert caught.value.kind is Kind.INVALID
    return caught.value


BY_CITY = plan("GET", "/forecast/", Segment("city"), "/days")


@pytest.mark.parametrize(
    ("value", "segment"),
    [
        ("São Paulo", "S%C3%A3o%20Paulo"),
        ("a/b", "a%2Fb"),
        ("?q=1", "%3Fq%3D1"),
        ("#f", "%23f"),
        ("//host", "%2F%2Fhost"),
        ("http://host/x", "http%3A%2F%2Fhost%2Fx"),
        ("a\\b", "a%5Cb"),
        ("100%", "100%25"),
        ("%41", "%2541"),
        ("...", "..."),
        ("{x}", "%7Bx%7D"),
        ("a;b", "a%3Bb"),
        (7, "7"),
        (0.5, "0.5"),
        (True, "true"),
        (Decimal("1E+3"), "1000"),
        (date(2026, 1, 2), "2026-01-02"),
        (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00%3A00%3A00%2B00%3A00"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    ],
)
def test_value_of_the_path_is_one_encoded_segment(value: object, segment: str) -> None:
    assert target(BY_CITY, city=value) == f"/forecast/{segment}/days"


@pytest.mark.parametrize(
    "value",
    [
        "", ".", "..", "../x", "x/..", "..\\x", "%2e%2e/", "%2E%2E", "%252e%252e", "..;a", "a/./b",
        "%25252525252525252e", "a\r\nb", "a\x00", "\x7f", "\x85", "\ud800",
    ],
)  # fmt: skip
def test_value_that_a_server_may_read_as_more_than_a_segment_is_refused(value: str) -> None:
    assert refusal(BY_CITY, city=value).field == "city"


@pytest.mark.parametrize("value", [[1], {"a": 1}, float("nan"), Decimal("Infinity"), b"x"])
def test_value_that_is_no_single_text_is_refused_for_the_path(value: object) -> None:
    message = "city: expected one value: a text, a number, true or false"
    assert str(refusal(BY_CITY, city=value)) == message


def test_absent_value_of_the_path_is_refused() -> None:
    message = "city: a value is needed, for it is part of the address"
    assert str(refusal(BY_CITY)) == message


def test_two_values_cannot_make_dots_together() -> None:
    both = plan("GET", "/x/", Segment("a"), ".", Segment("b"))
    assert target(both, a="1", b="2") == "/x/1.2"
    dots = plan("GET", "/x/.", Segment("a"))
    assert target(dots, a="x") == "/x/.x"
    assert refusal(plan("GET", "/", Segment("a"), "./x"), a=".").field == "a"


@given(st.text(max_size=20))
def test_every_value_is_one_segment_or_refused(value: str) -> None:
    try:
        made = target(BY_CITY, city=value)
    except BindingError:
        assert not is_segment(value) or any("\ud800" <= letter <= "\udfff" for letter in value)
    else:
        assert made.count("/") == 3
        assert made == f"/forecast/{encoded(value)}/days"
        assert not set("?#\\ ") & set(made)


@given(st.text(alphabet="./\\%25eE;a", max_size=12))
def test_dots_are_found_however_they_are_spelt(value: str) -> None:
    if is_segment(value):
        assert not has_dot_segment(encoded(value))


@pytest.mark.parametrize(
    ("arrays", "query"),
    [
        ("repeat", "?tag=a%2Cb&tag=c%26d&q=x%20y"),
        ("comma", "?tag=a%2Cb,c%26d&q=x%20y"),
        ("brackets", "?tag%5B%5D=a%2Cb&tag%5B%5D=c%26d&q=x%20y"),
    ],
)
def test_list_is_written_as_the_api_wants_it(arrays: str, query: str) -> None:
    listed = trees(tag=["a,b", "c&d"], q="x y")
    assert target(plan("GET", "/x", query=listed, arrays=arrays)) == f"/x{query}"


def test_object_is_written_with_brackets_only() -> None:
    nested = trees(f={"a": 1, "b": {"c": [True, None]}})
    made = target(plan("GET", "/x", query=nested, arrays="brackets"))
    assert made == "/x?f%5Ba%5D=1&f%5Bb%5D%5Bc%5D%5B%5D=true"
    assert refusal(plan("GET", "/x", query=nested)).field == "f"


@pytest.mark.parametrize("arrays", ["repeat", "comma", "brackets"])
def test_absent_null_and_empty_values_have_no_key(arrays: str) -> None:
    nothing = trees(a=ABSENT, b=None, c=[], d="")
    assert target(plan("GET", "/x", query=nothing, arrays=arrays)) == "/x?d="


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "a\x00b", "ü", "\x7f", ["a"]])
def test_value_that_is_no_header_is_refused(value: object) -> None:
    assert refusal(plan("GET", "/x", headers=trees(lang=value))).field == "lang"


def test_headers_of_the_tool_win_over_those_of_the_api() -> None:
    upstream = api("https://x.example", headers={"X-A": Secret("1"), "X-B": Secret("2")})
    own = plan("GET", "/x", headers=trees(**{"x-a": 3, "x-c": ABSENT}))
    constant = constant_headers(own, upstream)
    made = request_of(own, call(), base=Base.of(upstream.url), headers=constant)
    assert made.headers == {
        "user-agent": "mcp-run",
        "accept": "application/json, */*;q=0.5",
        "accept-encoding": "gzip, deflate",
        "x-a": "3",
        "x-b": "2",
    }


def test_httpbin_reads_the_query_back(httpbin: str) -> None:
    words = {"q": "a b&c=d/ü+", "n": 1, "flag": False, "list": ["x", "y"]}
    sent = echoed(httpbin, plan("GET", "/anything", query=trees(**words)))
    assert sent["args"] == {"q": "a b&c=d/ü+", "n": "1", "flag": "false", "list": ["x", "y"]}


def test_httpbin_reads_segments_of_the_path_back(httpbin: str) -> None:
    """It compares both segments with the credentials, which travel another way."""
    user, password = "São ?#&=%41\\", "a+b{c};"
    known = api(httpbin, auth=ApiAuth(basic=(Secret(user), Secret(password))))
    by_name = plan("GET", "/basic-auth/", Segment("user"), "/", Segment("password"))
    found = run(invoke(by_name, known, arguments={"user": user, "password": password}))
    assert found.value == {"authenticated": True, "user": user}


def test_json_body_is_read_back(httpbin: str) -> None:
    body = {"title": 'a "quoted" ü', "tags": ["x"], "none": None, "n": 1.5}
    sent = echoed(httpbin, plan("POST", "/anything", body=tree(lambda _scope: body)))
    assert sent["json"] == body


def test_absent_body_is_no_body(httpbin: str) -> None:
    sent = echoed(httpbin, plan("POST", "/anything", body=tree(lambda _scope: ABSENT)))
    assert sent["data"] == ""


def test_form_is_read_back(httpbin: str) -> None:
    sent = echoed(httpbin, plan("PUT", "/anything", form=trees(a="x y&z=1", b=["1", "2"])))
    assert sent["form"] == {"a": "x y&z=1", "b": ["1", "2"]}


def test_text_is_read_back(httpbin: str) -> None:
    sent = echoed(httpbin, plan("PATCH", "/anything", text=text("grüße\n")))
    assert sent["data"] == "grüße\n"
