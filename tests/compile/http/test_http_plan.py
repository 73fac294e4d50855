"""`http` as written → `HttpPlan`, and what is refused."""

from collections.abc import Mapping

import pytest

from runner.catalog.expressions import ABSENT, TreeTemplate
from runner.catalog.plans import HttpPlan, Segment
from runner.catalog.sources import Api, ApiAuth
from runner.compile.expressions import Names
from runner.compile.http.plan import compile_http
from runner.config.spec.bindings import HttpSpec
from runner.secret import Secret
from tests.compile.written import told, written

NAMES = Names(frozenset({"city", "days", "page"}))
APIS = {
    "weather": Api("weather", "https://api.example.com/v1", ApiAuth(bearer=Secret("t"))),
    "keyed": Api("keyed", "https://k.example", ApiAuth(header=("X-Key", Secret("k")))),
}

CLIMBS = "does not stand in a path: every request stays below the API's url"


def compiled(text: str) -> tuple[HttpPlan | None, list[str]]:
    spec, site = written(text, HttpSpec)
    return compile_http(spec, site, names=NAMES, apis=APIS, max_bytes=1000), told(site)


def good(text: str) -> HttpPlan:
    plan, found = compiled(text)
    assert found == []
    assert plan is not None
    return plan


def faults(text: str) -> list[str]:
    found = compiled(text)[1]
    assert found
    return found


def built(trees: Mapping[str, TreeTemplate], **scope: object) -> dict[str, object]:
    return {name: tree.build(scope) for name, tree in trees.items()}


def test_request_with_everything_is_read() -> None:
    plan = good("""
api: weather
get: /forecast/{city}/at-{days}.json
query: {days: $days, text: "{{ city }}!", n: 3}
headers: {Accept-Language: de}
select: "days[].max"
response: json
arrays: comma
retries: 1
""")
    assert (plan.api, plan.method, plan.own_api) == ("weather", "GET", None)
    assert plan.path == ("/forecast/", Segment("city"), "/at-", Segment("days"), ".json")
    assert built(plan.query, days=2, city="Ulm") == {"days": 2, "text": "Ulm!", "n": 3}
    assert built(plan.headers) == {"Accept-Language": "de"}
    assert plan.select is not None
    assert plan.select({"days": [{"max": 1}]}) == [1]
    assert (plan.response, plan.arrays, plan.retries) == ("json", "comma", 1)
    assert plan.max_bytes == 1000


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_body_is_a_tree_of_what_json_holds(method: str) -> None:
    plan = good(f"{{api: weather, {method}: /x, body: {{city: $city, n: [$days]}}}}")
    assert plan.method == method.upper()
    assert plan.body is not None
    assert plan.body.build({"city": "Ulm", "days": 2**60}) == {"city": "Ulm", "n": [str(2**60)]}


def test_body_of_an_absent_parameter_stays_absent() -> None:
    plan = good("{api: weather, post: /x, body: $city}")
    assert plan.body is not None
    assert plan.body.build({"city": None, "sent": lambda _name: False}) is ABSENT


def test_form_and_text_are_read() -> None:
    form = good("{api: weather, post: /x, form: {a: $city}}").form
    assert form is not None
    assert built(form, city="Ulm") == {"a": "Ulm"}
    text = good('{api: weather, post: /x, text: "Hello {{ city }}"}').text
    assert text is not None
    assert text.render({"city": "Ulm"}) == "Hello Ulm"


@pytest.mark.parametrize(
    ("written_url", "path", "origin", "expected"),
    [
        (
            "https://Api.example.com/v1/{city}",
            "",
            "https://api.example.com",
            ("/v1/", Segment("city")),
        ),
        ("https://x.example:8443", "/a", "https://x.example:8443", ("/a",)),
        ("https://x.example/v1/", "/a", "https://x.example", ("/v1", "/a")),
    ],
)
def test_whole_url_is_an_api_of_its_origin(
    written_url: str, path: str, origin: str, expected: tuple[object, ...]
) -> None:
    plan = good(f'{{url: "{written_url}", get: "{path}"}}')
    assert (plan.api, plan.own_api, plan.path) == (origin, Api(origin, origin), expected)


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        (
            "https://u:p@x.example/",
            "1:7 bad-url: the address holds a user or a password; "
            "'auth: {basic: …}' is the place for them",
        ),
        (
            "http://127.0.0.1/x",
            "1:7 private-address: the host is an address of this machine or of a private network",
        ),
        ("https://x.example/a?key=1", "1:27 bad-path: a query does not stand in the path"),
        (
            "https://{city}.example/",
            "1:7 bad-url: the address has braces; the path of a tool is the place for parameters",
        ),
        (
            "https://x.example/{town}",
            "1:26 unknown-parameter: '{town}' is no parameter of this tool",
        ),
    ],
)
def test_whole_url_with_a_fault_is_refused(url: str, fault: str) -> None:
    assert faults(f'{{url: "{url}", get: ""}}') == [fault]


@pytest.mark.parametrize(
    ("path", "column", "fault"),
    [
        ("forecast", 21, "bad-path: expected a path that begins with '/'"),
        ("/a?days=1", 24, "bad-path: a query does not stand in the path"),
        ("/a#top", 24, "bad-path: a fragment is never sent"),
        ("/a\\\\b", 24, "bad-path: a back-slash does not stand in a path"),
        ("/a b", 24, "bad-path: a space or a control character does not stand in a path"),
        ("/{citi}", 23, "unknown-parameter: '{citi}' is no parameter of this tool"),
        ("/{{ city }}", 23, "bad-path: a brace without its partner"),
        ("/a}", 24, "bad-path: a brace without its partner"),
        ("/a/../b", 25, f"bad-path: '..' {CLIMBS}"),
        ("/%2e%2E/b", 23, f"bad-path: '%2e%2E' {CLIMBS}"),
    ],
)
def test_path_with_a_fault_is_refused_at_its_character(path: str, column: int, fault: str) -> None:
    assert faults(f'{{api: weather, get: "{path}"}}')[0] == f"1:{column} {fault}"


def test_literal_text_of_a_path_is_encoded_once() -> None:
    assert good('{api: weather, get: "/größe/a%20b/100%/~x"}').path == (
        "/gr%C3%B6%C3%9Fe/a%20b/100%25/~x",
    )


def test_unknown_api_is_told_with_the_closest_one() -> None:
    spec, site = written("{api: wether, get: /x}", HttpSpec)
    assert compile_http(spec, site, names=NAMES, apis=APIS, max_bytes=1) is None
    (fault,) = site.faults.sorted()
    assert (fault.code, fault.message, fault.hint, fault.details) == (
        "unknown-api",
        "no API is named 'wether'",
        "did you mean 'weather'?",
        ("known APIs: weather, keyed",),
    )


@pytest.mark.parametrize("method", ["get", "head"])
@pytest.mark.parametrize("body", ["body: {a: 1}", "form: {a: 1}", "text: a"])
def test_reading_method_has_no_body(method: str, body: str) -> None:
    field = body.partition(":")[0]
    found = faults(f"{{api: weather, {method}: /x, {body}}}")
    assert found[0].partition(" ")[2] == (
        f"body-not-sent: '{field}' is not sent with {method.upper()}"
    )


@pytest.mark.parametrize(
    ("api", "header", "message"),
    [
        ("weather", "Authorization", "'Authorization' is set by the API's 'auth'"),
        ("keyed", "x-key", "'x-key' is set by the API's 'auth'"),
        ("keyed", "Connection", "'Connection' is set by the runner itself"),
        ("keyed", "host", "'host' is set by the runner itself"),
        ("keyed", '"X Y"', "'X Y' is no name of a header"),
    ],
)
def test_header_that_is_not_the_tool_s_is_refused(api: str, header: str, message: str) -> None:
    found = faults(f"{{api: {api}, get: /x, headers: {{{header}: a}}}}")
    assert found[0].partition(" ")[2] == f"bad-header: {message}"


@pytest.mark.parametrize("field", ['select: "a"', "paginate: {next: link}"])
@pytest.mark.parametrize("response", ["text", "bytes"])
def test_selection_needs_json(field: str, response: str) -> None:
    found = faults(f"{{api: weather, get: /x, response: {response}, {field}}}")
    name = field.partition(":")[0]
    assert found[0].endswith(f"needs-json: '{name}' reads JSON, but 'response' is {response}")


def test_pages_by_link_by_path_and_by_number_are_read() -> None:
    by_link = good("{api: weather, get: /x, paginate: {next: link, max_pages: 3}}").paginate
    assert by_link is not None
    assert (by_link.by_link, by_link.next, by_link.max_pages) == (True, None, 3)
    by_path = good(
        "{api: weather, get: /x, paginate: {next: meta.next, cursor: c, items: data}}"
    ).paginate
    assert by_path is not None
    assert by_path.next is not None
    assert by_path.items is not None
    assert by_path.next({"meta": {"next": "n"}}) == "n"
    assert by_path.items({"data": [1]}) == [1]
    assert (by_path.by_link, by_path.cursor, by_path.max_pages) == (False, "c", 10)
    by_number = good("{api: weather, get: /x, paginate: {page: p}}").paginate
    assert by_number is not None
    assert (by_number.page, by_number.next) == ("p", None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "post: /x, paginate: {next: link}",
            "paginate-get: pages are fetched with get, not with post",
        ),
        (
            "get: /x, paginate: {next: link, max_pages: 0}",
            "out-of-range: expected 1 to 1000, found 0",
        ),
        (
            "get: /x, query: {c: 1}, paginate: {next: n, cursor: c}",
            "name-taken: 'c' is set under 'query:' too; the runner sets it",
        ),
        (
            "get: /x, paginate: {next: link, cursor: c}",
            "misplaced-field: 'cursor' needs a 'next' that finds a cursor, not the Link header",
        ),
        ("get: /x, retries: -1", "out-of-range: expected 0 to 10, found -1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(text: str, message: str) -> None:
    assert faults(f"{{api: weather, {text}}}")[0].partition(" ")[2] == message


def test_faults_of_trees_and_selections_are_told_with_the_others() -> None:
    found = faults('{api: nope, get: "/{x}", query: {a: $b}, select: "a[", paginate: {next: "]"}}')
    assert len(found) == 5
