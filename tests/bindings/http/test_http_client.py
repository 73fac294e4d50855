"""Credentials, retries and what is not kept between calls."""

import asyncio
import base64
import re

import pytest

from runner.bindings.http import HttpBinding, open_api
from runner.bindings.http.client import Outside
from runner.catalog.sources import Api, ApiAuth, ClientCredentials
from runner.errors import BindingError, Kind
from runner.secret import Secret
from tests.bindings.http.upstream import (
    answering,
    api,
    call,
    http,
    invoke,
    plan,
    raw_server,
    run,
    trees,
)

OK = http("200 OK", b"1")
BUSY = http("503 Service Unavailable")


def header(request: bytes, name: str) -> str | None:
    found = re.search(rf"(?im)^{name}: *(.*)\r$", request.decode())
    return found and found[1]


class Waits:
    """Keeps how long a client wanted to wait; returns at once."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def outside(waits: Waits) -> Outside:
    return Outside(jitter=lambda: 0.5, wait=waits)


def exchange(
    *answers: bytes, method: str = "GET", retries: int = 2, total_s: float = 15.0
) -> tuple[object, int, list[float]]:
    """The value or error of one call, the number of requests, the pauses between them."""
    requests: list[bytes] = []
    waits = Waits()

    async def work() -> object:
        async with raw_server(answering(*answers, requests=requests)) as url:
            upstream = api(url, retries=retries, total_timeout_s=total_s)
            try:
                return (await invoke(plan(method, "/x"), upstream, outside(waits))).value
            except BindingError as error:
                return str(error)

    return run(work()), len(requests), [round(pause, 3) for pause in waits.seconds]


def test_failure_that_may_pass_is_tried_again_after_growing_pauses() -> None:
    assert exchange(BUSY, BUSY, OK) == (1, 3, [0.15, 0.3])


def test_last_failure_is_the_answer_when_the_retries_are_used_up() -> None:
    message = "the API answered with status 503 (Service Unavailable)"
    assert exchange(BUSY, retries=1) == (message, 2, [0.15])


@pytest.mark.parametrize("status", ["500 Internal Server Error", "404 Not Found", "501 No"])
def test_failure_that_stays_is_not_tried_again(status: str) -> None:
    assert exchange(http(status), OK)[1] == 1


@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_request_that_may_have_an_effect_is_never_repeated(method: str) -> None:
    assert exchange(BUSY, OK, method=method)[1:] == (1, [])


@pytest.mark.parametrize("method", ["PUT", "DELETE", "HEAD"])
def test_idempotent_request_is_repeated(method: str) -> None:
    assert exchange(
        BUSY.replace(b"Content-Length: 0\r\n", b"Content-Length: 0\r\n"),
        http("204 No Content"),
        method=method,
    ) == (None, 2, [0.15])


def test_retry_after_in_seconds_is_kept_to() -> None:
    limited = http("429 Too Many Requests", Retry_After="3")
    assert exchange(limited, OK) == (1, 2, [3.0])


def test_retry_after_as_a_date_counts_from_the_server_s_own_clock() -> None:
    limited = http(
        "429 Too Many Requests",
        Date="Thu, 01 Jan 2015 00:00:00 GMT",
        Retry_After="Thu, 01 Jan 2015 00:00:05 GMT",
    )
    assert exchange(limited, OK) == (1, 2, [5.0])


def test_retry_after_as_a_date_alone_counts_from_the_request() -> None:
    limited = http("429 Too Many Requests", Retry_After="Thu, 01 Jan 2026 00:00:07 GMT")
    assert exchange(limited, OK) == (1, 2, [7.0])


def test_wait_beyond_the_total_time_is_told_instead_of_waited_for() -> None:
    limited = http("429 Too Many Requests", Retry_After="60")
    message = "the API answered with status 429 (Too Many Requests); it asks to wait 60 s"
    assert exchange(limited, OK) == (message, 1, [])


def test_retry_after_that_cannot_be_read_is_no_wish() -> None:
    limited = http("429 Too Many Requests", Retry_After="soon")
    assert exchange(limited, OK) == (1, 2, [0.15])


def test_plan_overrides_the_retries_of_the_api() -> None:
    requests: list[bytes] = []

    async def work() -> None:
        async with raw_server(answering(BUSY, requests=requests)) as url:
            with pytest.raises(BindingError):
                await invoke(plan("GET", "/x", retries=0), api(url, retries=5))

    run(work())
    assert len(requests) == 1


@pytest.mark.parametrize(
    ("auth", "name", "value"),
    [
        (ApiAuth(bearer=Secret("t0k")), "authorization", "Bearer t0k"),
        (
            ApiAuth(basic=(Secret("ä"), Secret("b:c"))),
            "authorization",
            "Basic " + base64.b64encode("ä:b:c".encode()).decode(),
        ),
        (ApiAuth(header=("X-Key", Secret("k3y"))), "x-key", "k3y"),
    ],
    ids=["bearer", "basic", "header"],
)
def test_credentials_go_as_headers_and_win_over_all_others(
    auth: ApiAuth, name: str, value: str
) -> None:
    requests: list[bytes] = []

    async def work() -> None:
        async with raw_server(answering(OK, requests=requests)) as url:
            upstream = api(url, auth=auth, headers={name: Secret("other")})
            await invoke(plan("GET", "/x", headers=trees(**{name: "mine"})), upstream)

    run(work())
    assert header(requests[0], name) == value


def test_nothing_of_a_failed_exchange_is_in_its_error() -> None:
    body = b'{"password": "hunter2", "url": "http://inner.example/x?key=k3y"}'

    async def work() -> BindingError:
        answer = http("500 Internal Server Error", body, Content_Type="application/json")
        async with raw_server(answering(answer)) as url:
            upstream = api(url, auth=ApiAuth(bearer=Secret("t0k")))
            with pytest.raises(BindingError) as caught:
                await invoke(plan("GET", "/secret-path"), upstream)
            return caught.value

    error = run(work())
    assert str(error) == "the API answered with status 500 (Internal Server Error)"
    assert (error.kind, error.status, error.reason) == (Kind.STATUS, 500, None)
    assert error.response == {"password": "hunter2", "url": "http://inner.example/x?key=k3y"}


def test_cookie_of_one_answer_is_not_sent_with_the_next_request() -> None:
    requests: list[bytes] = []

    async def work() -> None:
        answer = http("200 OK", b"1", Set_Cookie="session=1; Path=/")
        async with (
            raw_server(answering(answer, requests=requests)) as url,
            open_api(api(url)) as client,
        ):
            for _ in range(2):
                await HttpBinding(plan("GET", "/x"), client).invoke(call())

    run(work())
    assert [header(request, "cookie") for request in requests] == [None, None]


def test_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    assert exchange(OK)[0] == 1


def credentials(url: str) -> ApiAuth:
    return ApiAuth(
        client_credentials=ClientCredentials(
            f"{url}/token", Secret("id:1"), Secret("s3cret/"), ("read", "write")
        )
    )


def token(name: str, **more: object) -> bytes:
    fields = "".join(f',"{key}":{value}' for key, value in more.items())
    return http("200 OK", f'{{"access_token":"{name}"{fields}}}'.encode())


async def authorised_calls(
    tokens: list[bytes], answers: list[bytes], count: int
) -> tuple[list[bytes], list[bytes]]:
    """The requests to the token endpoint and to the API in `count` calls."""
    asked: list[bytes] = []
    requests: list[bytes] = []
    async with (
        raw_server(answering(*tokens, requests=asked)) as token_url,
        raw_server(answering(*answers, requests=requests)) as url,
    ):
        upstream: Api = api(url, auth=credentials(token_url))
        async with open_api(upstream) as client:
            binding = HttpBinding(plan("POST", "/x"), client)
            for _ in range(count):
                await binding.invoke(call())
    return asked, requests


def test_token_is_fetched_once_and_kept() -> None:
    asked, requests = run(authorised_calls([token("a", expires_in=3600)], [OK], 3))
    assert len(asked) == 1
    assert header(asked[0], "authorization") == (
        "Basic " + base64.b64encode(b"id%3A1:s3cret%2F").decode()
    )
    assert asked[0].endswith(b"grant_type=client_credentials&scope=read+write")
    assert [header(request, "authorization") for request in requests] == ["Bearer a"] * 3


def test_token_that_has_ended_is_replaced() -> None:
    asked, _ = run(authorised_calls([token("a", expires_in=0)], [OK], 3))
    assert len(asked) == 3


def test_refused_token_is_renewed_once() -> None:
    refused = http("401 Unauthorized")
    _, requests = run(authorised_calls([token("a"), token("b")], [refused, OK], 2))
    assert [header(request, "authorization") for request in requests] == [
        "Bearer a",
        "Bearer b",
        "Bearer b",
    ]


def test_second_refusal_is_the_answer() -> None:
    with pytest.raises(BindingError, match="status 401"):
        run(authorised_calls([token("a")], [http("401 Unauthorized")], 1))


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (http("400 Bad Request", b'{"error":"s3cret"}'), "the token endpoint answered 400"),
        (http("200 OK", b"<html>"), "the token endpoint's answer is no JSON"),
        (http("200 OK", b"[]"), "the token endpoint's answer has no access token"),
        (
            http("200 OK", b'{"access_token":"a b\\r\\n"}'),
            "the token endpoint's answer has no access token",
        ),
        (http("200 OK", b" " * 70_000), "the API's answer is larger than 65536 bytes"),
    ],
)
def test_no_token_is_no_access_and_the_reason_is_the_operator_s(answer: bytes, reason: str) -> None:
    with pytest.raises(BindingError) as caught:
        run(authorised_calls([answer], [OK], 1))
    assert str(caught.value) == "the server got no access to the API"
    assert caught.value.reason == reason


def test_calls_at_the_same_time_share_one_fetch_of_the_token() -> None:
    asked: list[bytes] = []

    async def work() -> None:
        async with (
            raw_server(answering(token("a"), requests=asked)) as token_url,
            raw_server(answering(OK)) as url,
            open_api(api(url, auth=credentials(token_url))) as client,
            asyncio.TaskGroup() as group,
        ):
            for _ in range(5):
                group.create_task(HttpBinding(plan("GET", "/x"), client).invoke(call()))

    run(work())
    assert len(asked) == 1
