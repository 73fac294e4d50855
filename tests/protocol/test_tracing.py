"""The trace of a request: what is well-formed goes on to upstream, what is not goes nowhere."""

from pathlib import Path

import pytest

from runner.bindings.http.request import constant_headers, request_of
from runner.bindings.http.urls import Base
from runner.catalog.call import Call, CallContext, RequestFacts
from runner.protocol.tracing import MAX_BAGGAGE, MAX_STATE, read_trace
from runner.secret import Secret
from tests.bindings.http.upstream import api, plan
from tests.bindings.sql.lab import NOW
from tests.offers.whole import serve
from tests.requirements import requirement

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
WHOLE = {
    "traceparent": PARENT,
    "tracestate": "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE",
    "baggage": "userId=Am%C3%A9lie;secret, region = eu ;p=1",
}


@pytest.mark.parametrize(
    "wrong",
    [
        7,
        None,
        "",
        PARENT.upper(),
        PARENT[:-1],
        PARENT + "-more",
        "ff" + PARENT[2:],
        "00-" + "0" * 32 + "-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-" + "0" * 16 + "-01",
        PARENT + "\r\nX-Evil: 1",
        PARENT + "\n",
    ],
)
def test_malformed_parent_is_dropped_with_its_state(wrong: object) -> None:
    meta = {**WHOLE, "traceparent": wrong}
    assert read_trace(meta) == {"baggage": WHOLE["baggage"]}


@pytest.mark.parametrize(
    "wrong",
    [
        ["a=b"],
        "",
        " , ",
        "no member",
        "A=b",
        "a=b\r\nX-Evil: 1",
        "a=ü",
        "a=" + "x" * MAX_STATE,
        ",".join(f"k{n}=v" for n in range(33)),
    ],
)
def test_malformed_state_is_dropped_alone(wrong: object) -> None:
    meta = {"traceparent": PARENT, "tracestate": wrong}
    assert read_trace(meta) == {"traceparent": PARENT}


@pytest.mark.parametrize(
    "wrong",
    [
        {"a": "b"},
        "",
        "a",
        "a b=c",
        'a="b"',
        "a=b\nX-Evil: 1",
        "a=ü",
        "a=" + "x" * MAX_BAGGAGE,
        ",".join(f"k{n}=v" for n in range(181)),
    ],
)
def test_malformed_baggage_is_dropped(wrong: object) -> None:
    assert read_trace({"baggage": wrong}) == {}


def test_later_version_of_a_parent_may_say_more() -> None:
    later = "01" + PARENT[2:] + "-more"
    assert read_trace({"traceparent": later}) == {"traceparent": later}


def test_hostile_length_costs_no_time() -> None:
    """The patterns are linear: what goes wrong at the end is not tried in other ways."""
    assert read_trace({"baggage": "a=b" + ";c=d " * 1600 + "é"}) == {}


@requirement("P-080")
def test_upstream_is_told_the_trace_of_the_request() -> None:
    upstream = api("https://x.example", headers={"Baggage": Secret("of=the-author")})
    own = plan("GET", "/x")
    call = Call("t", {}, CallContext(NOW, request=RequestFacts(trace=WHOLE)), {}, 1.0)
    made = request_of(
        own, call, base=Base.of(upstream.url), headers=constant_headers(own, upstream)
    )
    assert made.headers == {
        "traceparent": WHOLE["traceparent"],
        "tracestate": WHOLE["tracestate"],
        "baggage": "of=the-author",
        "user-agent": "mcp-run",
        "accept": "application/json, */*;q=0.5",
        "accept-encoding": "gzip, deflate",
    }


@requirement("P-080")
def test_trace_of_a_request_is_read_and_a_malformed_one_is_no_error(tmp_path: Path) -> None:
    tool = "tools: {t: {description: Tells., bind: {t: request.trace}, value: {trace: $t}}}\n"
    with serve(tmp_path, tool) as whole:
        for meta, seen in [(WHOLE, WHOLE), ({"traceparent": "x", "baggage": 1}, {}), ({}, {})]:
            result = whole.result("tools/call", {"name": "t", "arguments": {}}, meta=meta)
            assert result["structuredContent"] == {"trace": seen}
