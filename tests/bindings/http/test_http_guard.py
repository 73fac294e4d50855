"""Which addresses are dialled, whatever the look-up, the spelling or a redirect says."""

from collections.abc import Sequence

import pytest

from runner.bindings.http.client import Outside
from runner.bindings.http.guard import Resolve
from runner.errors import BindingError, Kind
from tests.bindings.http.upstream import answering, api, http, invoke, plan, raw_server, run
from tests.requirements import requirement


def resolving(*answers: Sequence[str]) -> tuple[Resolve, list[str]]:
    """A look-up that gives one answer after the other, and the hosts that it was asked for."""
    left, asked = list(answers), []

    async def resolve(host: str, _port: int) -> Sequence[str]:
        asked.append(host)
        return left.pop(0) if len(left) > 1 else left[0]

    return resolve, asked


def refusal(url: str, *addresses: str, allow_private: bool = False) -> BindingError:
    resolve, _ = resolving(addresses)

    async def work() -> BindingError:
        with pytest.raises(BindingError) as caught:
            await invoke(
                plan("GET", "/x"),
                api(url, allow_private=allow_private, connect_timeout_s=0.2),
                Outside(resolve=resolve),
            )
        return caught.value

    return run(work())


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.0.0.1",
        "169.254.169.254",
        "0.0.0.0",
        "224.0.0.1",
        "::1",
        "fd00::1",
        "fe80::1%2",
        "::ffff:127.0.0.1",
        "64:ff9b::a00:1",
        "2002:7f00:1::",
    ],
)
@requirement("P-214")
def test_name_that_leads_to_an_inner_address_is_refused(address: str) -> None:
    error = refusal("http://api.example.com", address)
    assert (error.kind, str(error)) == (Kind.UNAVAILABLE, "the API's address may not be called")
    assert error.reason == "the host has an address that is not public"


def test_one_inner_address_among_public_ones_refuses_the_host() -> None:
    error = refusal("http://api.example.com", "93.184.215.14", "127.0.0.1")
    assert str(error) == "the API's address may not be called"


@pytest.mark.parametrize("host", ["2130706433", "0x7f.1", "127.1"])
def test_number_in_place_of_a_name_is_never_looked_up(host: str) -> None:
    resolve, asked = resolving(["127.0.0.1"])

    async def work() -> None:
        with pytest.raises(BindingError):
            await invoke(plan("GET", "/x"), api(f"http://{host}"), Outside(resolve=resolve))

    run(work())
    assert asked == []


@pytest.mark.parametrize("address", ["0.0.0.0", "224.0.0.1", "255.255.255.255", "::"])
def test_private_addresses_allowed_are_still_no_broadcast(address: str) -> None:
    error = refusal("http://api.example.com", address, allow_private=True)
    assert error.reason == "the host has an address that is not public"


def test_checked_address_is_the_one_that_is_dialled() -> None:
    """A second look-up would find the inner address: DNS may change after the check."""
    resolve, asked = resolving(["127.0.0.1"], ["10.255.255.1"])

    async def work() -> object:
        async with raw_server(answering(http("200 OK", b"1"))) as url:
            named = url.replace("127.0.0.1", "api.example.com")
            return (await invoke(plan("GET", "/x"), api(named), Outside(resolve=resolve))).value

    assert run(work()) == 1
    assert asked == ["api.example.com"]


def test_next_address_is_dialled_where_the_first_is_dead() -> None:
    resolve, _ = resolving(["127.0.0.2", "127.0.0.1"])

    async def work() -> object:
        async with raw_server(answering(http("200 OK", b"1"))) as url:
            named = url.replace("127.0.0.1", "api.example.com")
            return (await invoke(plan("GET", "/x"), api(named), Outside(resolve=resolve))).value

    assert run(work()) == 1


def test_unknown_name_is_unreachable() -> None:
    async def resolve(_host: str, _port: int) -> Sequence[str]:
        raise OSError("unknown name")

    async def work() -> BindingError:
        with pytest.raises(BindingError) as caught:
            await invoke(plan("GET", "/x"), api("http://x.invalid"), Outside(resolve=resolve))
        return caught.value

    assert str(run(work())) == "the API cannot be reached"


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest/meta-data",
        "http://127.0.0.1:1/v1/x",
        "//evil.example/v1/x",
        "https://HOST/v1/x",
        "http://user@HOST/v1/x",
        "file:///etc/passwd",
        "/v2/x",
        "/v1/../admin",
        "/v1/%2e%2e/admin",
        "/v1/..%2fadmin",
        "/v1x",
        "http://[bad",
    ],
)
@requirement("P-214")
def test_redirect_that_leaves_the_base_is_not_followed(location: str) -> None:
    requests: list[bytes] = []

    async def work() -> BindingError:
        first = http("302 Found", Location=location)
        async with raw_server(answering(first, http("200 OK", b"1"), requests=requests)) as url:
            first_at = location.replace("HOST", url.removeprefix("http://"))
            handler = answering(
                http("302 Found", Location=first_at), http("200 OK", b"1"), requests=requests
            )
            async with raw_server(handler) as other:
                with pytest.raises(BindingError) as caught:
                    await invoke(plan("GET", "/x"), api(f"{other}/v1"))
            return caught.value

    error = run(work())
    assert str(error) == "the API points to an address outside of it, which is not followed"
    assert len(requests) == 1


def test_redirects_below_the_base_are_followed_with_the_credentials() -> None:
    requests: list[bytes] = []

    async def work() -> object:
        handler = answering(
            http("307 Temporary Redirect", Location="y?a=1#part"),
            http("200 OK", b"1"),
            requests=requests,
        )
        async with raw_server(handler) as url:
            return (await invoke(plan("GET", "/x"), api(f"{url}/v1"))).value

    assert run(work()) == 1
    assert [request.split(b"\r\n")[0] for request in requests] == [
        b"GET /v1/x HTTP/1.1",
        b"GET /v1/y?a=1 HTTP/1.1",
    ]


def test_redirects_end_after_five() -> None:
    requests: list[bytes] = []

    async def work() -> BindingError:
        handler = answering(http("302 Found", Location="/x"), requests=requests)
        async with raw_server(handler) as url:
            with pytest.raises(BindingError) as caught:
                await invoke(plan("GET", "/x"), api(url))
            return caught.value

    assert str(run(work())) == "the API redirects without end"
    assert len(requests) == 6


def test_post_is_not_repeated_at_a_redirect() -> None:
    async def work() -> BindingError:
        async with raw_server(answering(http("303 See Other", Location="/y"))) as url:
            with pytest.raises(BindingError) as caught:
                await invoke(plan("POST", "/x"), api(url))
            return caught.value

    error = run(work())
    assert str(error) == (
        "the API answered with status 303 (See Other), a redirect that is not followed"
    )
    assert error.status == 303
