"""A value never becomes structure of an address, and an address is never another machine's.

Guards against path parameters that climb out of the configured path, and against requests to
addresses inside the network: however they are spelled, whatever a name resolves to now or later,
and wherever a redirect points.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runner.bindings.http.client import Outside
from tests.bindings.http.upstream import http
from tests.faults.io.product import (
    Product,
    application_with,
    catalog_in,
    faults_of,
    opened,
    served,
    told,
)
from tests.faults.io.upstream_product import Upstream, api, upstream

JSON = http("200 OK", b"1", Content_Type="application/json")
TOOL = (
    "tools: {one: {description: x, input: {id: string}, http: {api: up, get: '/items/{id}/end'}}}\n"
)
REFUSAL = "id: expected text that is one segment of an address, without '.' or '..' as a part"
SEGMENT = re.compile(r"/v1/items/[A-Za-z0-9._~%-]+/end\Z")


@pytest.fixture(scope="module")
def climbing(folder: Path) -> Iterator[tuple[Product, Upstream]]:
    """A tool with a path parameter, and the API below whose `/v1` it must stay."""
    with upstream(JSON) as up, served(folder, api(f"{up.url}/v1") + TOOL) as product:
        yield product, up


@pytest.mark.parametrize(
    "value",
    [
        *("../x", "..", ".", "%2e%2e/", "%2e%2e", "%252e%252e", "..%2f..", "..\\x", "..;x"),
        *("a/../b", "a\\..\\b", "%2e", "./x", "", "\x00", "a\r\nX: y", "x/%2e%2e/y", ".%2e"),
        "%2E%2E%5C",
    ],
)  # fmt: skip
def test_value_that_climbs_is_refused_and_nothing_is_sent(
    climbing: tuple[Product, Upstream], value: str
) -> None:
    product, up = climbing
    before = len(up.requests)

    assert product.refusal("one", id=value) == REFUSAL
    assert len(up.requests) == before


@pytest.mark.parametrize(
    ("value", "segment"),
    [
        ("a/b", "a%2Fb"),
        ("a%2Fb", "a%252Fb"),
        ("?q=1", "%3Fq%3D1"),
        ("#f", "%23f"),
        ("//host", "%2F%2Fhost"),
        ("http://evil.example", "http%3A%2F%2Fevil.example"),
        ("a\\b", "a%5Cb"),
        ("a;b=c", "a%3Bb%3Dc"),
        ("a b", "a%20b"),
        ("x@y:z", "x%40y%3Az"),
        ("a..b", "a..b"),
        ("%00", "%2500"),
        ("日本", "%E6%97%A5%E6%9C%AC"),
        ("．．", "%EF%BC%8E%EF%BC%8E"),
    ],
)
def test_value_is_one_segment_encoded_once(
    climbing: tuple[Product, Upstream], value: str, segment: str
) -> None:
    product, up = climbing

    assert product.value("one", id=value) == 1
    assert up.lines[-1] == f"GET /v1/items/{segment}/end HTTP/1.1"


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.text(max_size=12)
    | st.lists(st.sampled_from([*"./\\%2eEfF5cC;?#@:a", "..", "%2e", "//"]), max_size=8).map(
        "".join
    )
)
def test_any_value_stays_one_segment_or_is_refused(
    climbing: tuple[Product, Upstream], value: str
) -> None:
    product, up = climbing
    before = len(up.requests)

    result = product.call("one", {"id": value})

    if result.get("isError"):
        assert (result["content"][0]["text"], len(up.requests)) == (REFUSAL, before)
    else:
        assert SEGMENT.match(up.last)


@pytest.mark.parametrize(
    "path", ["/../x", "/a/%2e%2e/x", "/a?b=1", "/a#b", "a", "//evil.example/x", "/a\\b", "/a/.."]
)
def test_path_that_climbs_as_written_is_a_fault_of_the_file(tmp_path: Path, path: str) -> None:
    body = api("https://api.example.com/v1") + (
        f"tools: {{one: {{description: x, http: {{api: up, get: '{path}'}}}}}}\n"
    )
    codes = [item.code for item in faults_of(tmp_path, body) if item.severity == "error"]
    if path == "//evil.example/x":  # below the base, where two slashes are a segment of no letters
        assert codes == []
    else:
        assert codes == ["bad-path"]


INNER = [
    *("127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0x7f.1", "localhost"),
    *("[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "10.0.0.1", "172.16.0.1", "192.168.1.1"),
    *("169.254.169.254", "[fe80::1]", "[fd00::1]", "100.64.0.1", "0.0.0.0", "0", "[::]"),
    *("[64:ff9b::7f00:1]", "[2002:7f00:1::]", "224.0.0.1", "255.255.255.255", "127.0.0.1."),
    *("①②⑦.0.0.1", "127。0。0。1", "LOCALHOST", "a.localhost"),
]


@pytest.mark.parametrize("host", INNER)
def test_inner_address_is_refused_however_it_is_spelled(tmp_path: Path, host: str) -> None:
    """As written it is a fault of the file; where only dialling can tell, the call is refused."""
    body = api(f"http://{host}:1/v1", allow_private="false") + TOOL

    errors = [item for item in faults_of(tmp_path, body) if item.severity == "error"]

    if errors:
        assert [item.code for item in errors] in (["private-address"], ["bad-url"])
    else:
        with served(tmp_path, body) as product:
            assert product.refusal("one", id="x") == "the API's address may not be called"


def looked_up(*answers: Sequence[str]) -> tuple[Outside, list[str]]:
    """A world in which names resolve to one answer after the other, and the names asked for."""
    left, asked = list(answers), list[str]()

    async def resolve(host: str, _port: int) -> Sequence[str]:
        asked.append(host)
        return left.pop(0) if len(left) > 1 else left[0]

    return Outside(resolve=resolve), asked


@contextmanager
def in_world(folder: Path, body: str, outside: Outside) -> Iterator[Product]:
    """The file, served in another world."""
    catalog = catalog_in(folder, body)
    with opened(catalog, application_with(catalog, outside)) as product:
        yield product


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "172.31.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1"),
        *("0.0.0.0", "224.0.0.1", "::1", "fd00::1", "fe80::1", "::ffff:10.0.0.1", "::"),
        *("64:ff9b::a00:1", "2002:a00:1::", "2001:0:4136:e378:8000:63bf:3fff:fdd2"),
    ],
)
def test_public_name_of_an_inner_address_is_refused(tmp_path: Path, address: str) -> None:
    outside, asked = looked_up([address])
    body = api("https://api.example.com/v1", allow_private="false") + TOOL
    with in_world(tmp_path, body, outside) as product:
        assert product.refusal("one", id="x") == "the API's address may not be called"
    assert asked == ["api.example.com"]


def test_name_that_is_changed_after_the_check_is_not_looked_up_again(tmp_path: Path) -> None:
    """The address that was checked is the one that is dialled."""
    outside, asked = looked_up(["127.0.0.1"], ["10.255.255.1"])
    with upstream(JSON) as up:
        body = api(up.url.replace("127.0.0.1", "api.example.com")) + TOOL
        with in_world(tmp_path, body, outside) as product:
            assert product.value("one", id="x") == 1
    assert asked == ["api.example.com"]


def test_name_that_is_changed_before_a_new_connection_is_checked_again(tmp_path: Path) -> None:
    """An API that closes its connection is dialled anew, and so is its name checked anew."""
    outside, asked = looked_up(["127.0.0.1"], ["0.0.0.0"])
    closing = http("200 OK", b"1", Content_Type="application/json", Connection="close")
    with upstream(closing) as up:
        body = api(up.url.replace("127.0.0.1", "api.example.com")) + TOOL
        with in_world(tmp_path, body, outside) as product:
            assert product.value("one", id="x") == 1
            assert product.refusal("one", id="x") == "the API's address may not be called"
    assert len(asked) == 2


@pytest.mark.parametrize(
    "location",
    [
        *("http://169.254.169.254/latest/meta-data", "http://127.0.0.1:1/v1/x", "//127.0.0.1:1/v1"),
        *("http://2130706433/v1/x", "http://[::1]/v1/x", "file:///etc/passwd", "/v2/x", "/v1/../x"),
        *("/v1/%2e%2e/x", "/v1x", "https://HOST/v1/x", "http://user:pw@HOST/v1/x", "gopher://HOST/v1"),
    ],
)  # fmt: skip
def test_redirect_out_of_the_api_is_not_followed(tmp_path: Path, location: str) -> None:
    with upstream(http("200 OK", b"secret")) as other:
        target = location.replace("HOST", other.url.removeprefix("http://"))
        with upstream(http("302 Found", Location=target)) as up:
            with served(tmp_path, api(f"{up.url}/v1") + TOOL) as product:
                said = product.refusal("one", id="x")
            assert len(up.requests) == 1
        assert other.requests == []
    assert said == "the API points to an address outside of it, which is not followed"


def test_inner_address_of_the_environment_is_told_without_it(tmp_path: Path) -> None:
    body = "apis: {up: {url: '${UP}'}}\n" + TOOL
    found = faults_of(tmp_path, body, UP="http://127.0.0.1/?key=hunter2")
    assert [item.code for item in found] == ["bad-url"]
    assert "hunter2" not in repr(found)
    assert told(faults_of(tmp_path, body, UP="http://127.0.0.1/")) == [
        "mcp.yaml:3:18: private-address: "
        "the host is an address of this machine or of a private network"
    ]
