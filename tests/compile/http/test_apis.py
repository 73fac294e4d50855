"""`apis` as written → `Api`, and what is refused."""

import pytest

from runner.catalog.sources import Api, ApiAuth, ClientCredentials
from runner.compile.http.apis import compile_api
from runner.config.spec.sources import ApiSpec
from runner.secret import Secret
from tests.compile.written import told, written


def compiled(text: str) -> tuple[Api | None, list[str]]:
    spec, site = written(text, ApiSpec)
    return compile_api("weather", spec, site), told(site)


def faults(text: str) -> list[str]:
    api, found = compiled(text)
    assert api is None
    return found


def test_api_with_everything_is_read() -> None:
    api, found = compiled("""
url: https://api.example.com/v1/
auth: {bearer: t0k}
timeout: {connect: 1s, read: 2s, total: 3s}
headers: {User-Agent: prompt-library}
retries: 4
allow_private: true
""")
    assert found == []
    assert api == Api(
        name="weather",
        url="https://api.example.com/v1",
        auth=ApiAuth(bearer=Secret("t0k")),
        connect_timeout_s=1.0,
        read_timeout_s=2.0,
        total_timeout_s=3.0,
        headers={"User-Agent": Secret("prompt-library")},
        retries=4,
        allow_private=True,
    )


@pytest.mark.parametrize(
    ("auth", "expected"),
    [
        (
            "basic: {username: u, password: p}",
            ApiAuth(basic=(Secret("u"), Secret("p"))),
        ),
        ("header: {name: X-Key, value: k}", ApiAuth(header=("X-Key", Secret("k")))),
        (
            "client_credentials: {token_url: https://a.example/t, client_id: i, "
            "client_secret: s, scopes: [r, w]}",
            ApiAuth(
                client_credentials=ClientCredentials(
                    "https://a.example/t", Secret("i"), Secret("s"), ("r", "w")
                )
            ),
        ),
    ],
    ids=["basic", "header", "client-credentials"],
)
def test_each_authentication_is_read(auth: str, expected: ApiAuth) -> None:
    api, found = compiled(f"url: https://api.example.com\nauth: {{{auth}}}")
    assert found == []
    assert api is not None
    assert api.auth == expected


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("ftp://x.example", "expected an http or https address"),
        ("api.example.com/v1", "expected an http or https address"),
        ("https://", "expected an http or https address"),
        ("https://x.example:99999", "expected an http or https address"),
        ("https://1.2.3.256", "expected an http or https address"),
        ("https://[::1", "expected an http or https address"),
        (
            "https://u:s3cret@x.example",
            "the address holds a user or a password; 'auth: {basic: …}' is the place for them",
        ),
        (
            "https://x.example/?key=s3cret",
            "the address has a query or a fragment; 'query:' of a tool is the place for it",
        ),
        (
            "https://x.example/{tenant}",
            "the address has braces; the path of a tool is the place for parameters",
        ),
        ("https://x.example/a/../b", "the address has '.' or '..' as a segment"),
        ("https://x.example/%2E%2e/b", "the address has '.' or '..' as a segment"),
        (
            "https://x.example\\\\@y.example",
            "the address has a space, a back-slash or a control character",
        ),
    ],
)
def test_address_that_is_no_base_is_refused_without_repeating_it(url: str, message: str) -> None:
    assert faults(f'url: "{url}"') == [f"1:6 bad-url: {message}"]


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "10.0.0.1", "[::1]", "[fd00::1]", "169.254.169.254"]
)
def test_inner_address_needs_to_be_allowed(host: str) -> None:
    message = "the host is an address of this machine or of a private network"
    assert faults(f'url: "http://{host}:8000"') == [f"1:6 private-address: {message}"]
    assert compiled(f'{{url: "http://{host}:8000", allow_private: true}}')[1] == []


@pytest.mark.parametrize("host", ["2130706433", "0x7f.1", "127.1", "0.0.0.0", "224.0.0.1"])
def test_number_or_broadcast_in_place_of_a_host_is_never_allowed(host: str) -> None:
    found = faults(f'{{url: "http://{host}", allow_private: true}}')
    assert found == ["1:7 private-address: the host is no address that may be called"]


def test_credentials_over_plain_http_are_a_warning() -> None:
    api, found = compiled("url: http://api.example.com\nauth: {bearer: t}")
    assert api is not None
    assert found == ["1:6 unencrypted: the API's credentials are sent without encryption"]


def test_token_of_the_caller_cannot_be_forwarded_in_this_version() -> None:
    assert faults("url: https://x.example\nauth: {forward: caller}") == [
        "2:17 not-available: 'forward' is not available in this version"
    ]


def test_every_fault_is_told_at_once() -> None:
    assert faults("""url: ftp://x
auth: {header: {name: "X Key", value: "a\\nb"}}
headers: {Host: x, Content-Length: 1, X-A: "ü", Transfer-Encoding: chunked}
timeout: {connect: 0s, total: 0s}
retries: 11""") == [
        "1:6 bad-url: expected an http or https address",
        "2:17 bad-header: 'X Key' is no name of a header",
        "2:39 bad-header: expected ASCII text without line breaks and without spaces around it",
        "3:11 bad-header: 'Host' is set by the runner itself",
        "3:20 bad-header: 'Content-Length' is set by the runner itself",
        "3:44 bad-header: expected ASCII text without line breaks and without spaces around it",
        "3:49 bad-header: 'Transfer-Encoding' is set by the runner itself",
        "4:20 out-of-range: expected more than 0",
        "4:31 out-of-range: expected more than 0",
        "5:10 out-of-range: expected 0 to 10, found 11",
    ]


@pytest.mark.parametrize(
    ("auth", "header"),
    [("bearer: t", "Authorization"), ("header: {name: x-key, value: k}", "X-Key")],
)
def test_header_that_the_authentication_sets_is_not_set_again(auth: str, header: str) -> None:
    text = f"url: https://x.example\nauth: {{{auth}}}\nheaders: {{{header}: x}}"
    assert faults(text) == [f"3:11 bad-header: '{header}' is set by the API's 'auth'"]


def test_token_endpoint_is_checked_like_the_api() -> None:
    assert faults("""url: https://x.example
auth:
  client_credentials: {token_url: "http://127.0.0.1/t", client_id: i, client_secret: s}
""") == ["3:35 private-address: the host is an address of this machine or of a private network"]
