"""`server`, `serve`, `budgets`, `auth` and `callers`, compiled: what they become."""

import pytest

from runner.catalog.caller import ANONYMOUS, Caller
from runner.catalog.catalog import Budgets, Identity, Listen
from tests.compile.whole import faults, served


def test_short_file_gets_safe_defaults() -> None:
    catalog = served("")
    assert catalog.identity == Identity("probe", "1.0.0")
    assert catalog.listen == Listen(
        host="127.0.0.1",
        port=8000,
        public_url=None,
        allowed_origins=(),
        allowed_hosts=(),
        trusted_proxies=(),
        workers=1,
        engine="uvicorn",
        tls=None,
        drain_s=10.0,
        legacy=True,
    )
    assert catalog.budgets == Budgets(
        request_body_bytes=1024**2,
        response_body_bytes=1024**2,
        input_elements=10_000,
        rows=1000,
        timeout_s=30.0,
        concurrency=64,
    )
    assert (catalog.identities.anonymous, catalog.identities.stdio) == (ANONYMOUS, ANONYMOUS)


def test_tls_chooses_the_engine_that_speaks_it() -> None:
    catalog = served("serve: {tls: {certificate: c.pem, key: k.pem}}\n")
    assert catalog.listen.engine == "hypercorn"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("serve: {port: 65536}", "1:15 out-of-range: expected a port up to 65535, found 65536"),
        ("serve: {workers: 0}", "1:18 out-of-range: expected at least 1, found 0"),
        ("serve: {state_keys: [short]}",
         "1:22 weak-key: expected a key of at least 16 characters"),
        ("serve: {path: mcp}", "1:15 bad-path: expected a path such as /mcp, found 'mcp'"),
        ("serve: {host: 0.0.0.0}",
         "1:15 hosts-needed: '0.0.0.0' is not loopback, and 'allowed_hosts' is not set"),
        ("serve: {public_url: 'ftp://a'}", "1:21 bad-url: expected an http or https address"),
        ("serve: {allowed_origins: ['https://a/b']}",
         "1:27 bad-origin: expected scheme, host and port alone, found 'https://a/b'"),
        ("serve: {trusted_proxies: [ten]}",
         "1:27 bad-network: expected a network such as 10.0.0.0/8, found 'ten'"),
        ("serve: {engine: uvicorn, tls: {certificate: c, key: k}}",
         "1:17 conflicting-fields: 'uvicorn' is used for plain HTTP only, but 'tls' is configured"),
        ("budgets: {rows: 0}", "1:17 out-of-range: expected more than 0"),
        ("auth: {stdio: {caller: dmo}}\ncallers: {demo: {user_id: d}}",
         "1:24 unknown-caller: no caller is named 'dmo'"),
        ("serve: {host: 0.0.0.0, allowed_hosts: [a.example]}\n"
         "auth: {anonymous: {caller: demo}}\ncallers: {demo: {user_id: d}}",
         "2:28 anonymous-identity-in-public: everyone would be 'demo' beyond loopback"),
    ],
)  # fmt: skip
def test_setting_that_makes_no_sense_is_refused_at_its_place(text: str, expected: str) -> None:
    assert faults(text + "\n") == [expected]


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "localhost", "'::1'", "'[::1]'"])
def test_loopback_needs_no_allowed_hosts(host: str) -> None:
    assert faults(f"serve: {{host: {host}}}\n") == []


def test_wide_bind_with_hosts_and_a_public_demo_is_served() -> None:
    catalog = served(
        "serve: {host: 0.0.0.0, allowed_hosts: [a.example]}\n"
        "auth: {anonymous: {caller: demo, public: true}}\n"
        "callers: {demo: {user_id: d, scopes: [read], claims: {plan: pro}}}\n"
    )
    assert catalog.identities.anonymous == Caller(
        user_id="d",
        scopes=frozenset({"read"}),
        claims={"sub": "d", "email": None, "plan": "pro"},
        authenticated=True,
    )


def test_auth_without_anonymous_callers_refuses_them() -> None:
    catalog = served("auth: {stdio: {caller: demo}}\ncallers: {demo: {user_id: d}}\n")
    assert catalog.identities.anonymous is None
    assert catalog.identities.stdio == catalog.identities.callers["demo"]


def test_icon_that_clients_must_not_load_is_refused() -> None:
    text = "tools: {t: {description: A probe., value: 1, icons: [{src: 'http://a/b.png'}]}}\n"
    assert faults(text) == ["1:60 bad-icon: expected an https or data address"]
