"""From the file's words to an answer of a real server, through everything between."""

from collections.abc import Iterator

import pytest

from runner.compile.expressions import Names
from runner.compile.http.plan import compile_http
from runner.config.spec.bindings import HttpSpec
from tests.bindings.http.upstream import HTTPBIN, api, invoke, program, run
from tests.compile.written import written


@pytest.fixture(scope="module")
def httpbin() -> Iterator[str]:
    with program(HTTPBIN) as url:
        yield url


@pytest.mark.parametrize("city", ["Ulm", "a/b?c#d", "%41"])
def test_values_of_a_call_arrive_where_the_file_puts_them(httpbin: str, city: str) -> None:
    text = """
api: upstream
post: /anything/{city}
query: {days: $days, text: "in {{ days }} days"}
headers: {X-City: "{{ city }}"}
body: {city: $city, list: [$days]}
select: "{args: args, json: json, header: headers.\\"X-City\\"}"
"""
    spec, site = written(text, HttpSpec)
    upstream = api(httpbin, read_timeout_s=15.0)
    names = Names(frozenset({"city", "days"}))
    plan = compile_http(spec, site, names=names, apis={"upstream": upstream}, max_bytes=10_000)
    assert plan is not None
    found = run(invoke(plan, upstream, arguments={"city": city, "days": 2}))
    assert found.value == {
        "args": {"days": "2", "text": "in 2 days"},
        "json": {"city": city, "list": [2]},
        "header": city,
    }
