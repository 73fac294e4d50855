"""A server, or the network before it, that says nothing: each call ends, and others go on."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from runner.catalog.call import Outcome
from runner.errors import BindingError, Kind
from tests.bindings.sql.lab import Lab, call, database_of, open_lab
from tests.bindings.sql.proxy import Proxy, proxied

ENGINES = ("postgresql", "mariadb")
"""The others have no server."""
BOUND_S = 6.0


@pytest.fixture(params=ENGINES)
def stalled(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Lab, Proxy]]:
    """A database behind a proxy, with two connections for all calls."""
    with (
        database_of(request.param, tmp_path, pool_size=2) as source,
        proxied(replace(source, pool_size=2)) as (behind, proxy),
        open_lab(behind) as lab,
    ):
        try:
            yield lab, proxy
        finally:
            proxy.flow()


async def told(waited: "asyncio.Future[Outcome]") -> object:
    """The value of a call, or the kind of its error."""
    try:
        return (await waited).value
    except BindingError as error:
        return error.kind


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "not yet open"])
def test_calls_to_a_server_that_says_nothing_end_soon_after_their_limit(
    stalled: tuple[Lab, Proxy], is_open: bool
) -> None:
    lab, proxy = stalled
    binding = lab.binding(lab.plan("SELECT 7 AS n", shape="value"))

    async def ask() -> list[object]:
        tasks = [asyncio.ensure_future(told(binding.invoke(call({}, 0.3)))) for _ in range(2)]  # type: ignore[arg-type]  # a coroutine can be awaited too
        return await asyncio.gather(*tasks)

    if is_open:
        assert lab.run(ask()) == [7, 7]
    proxy.withhold()
    begin = time.monotonic()
    assert lab.run(ask()) == [Kind.TIMEOUT if is_open else Kind.UNAVAILABLE] * 2
    assert time.monotonic() - begin < BOUND_S

    proxy.flow()
    assert lab.invoke(lab.plan("SELECT 8 AS n", shape="value")).value == 8


def test_cancel_of_a_call_to_a_server_that_says_nothing_ends(
    stalled: tuple[Lab, Proxy],
) -> None:
    lab, proxy = stalled
    binding = lab.binding(lab.plan("SELECT 7 AS n", shape="value"))
    assert lab.run(binding.invoke(call({}))).value == 7
    proxy.withhold()

    async def cancel() -> float:
        task = asyncio.ensure_future(binding.invoke(call({}, 60.0)))
        await asyncio.sleep(0)
        begin = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - begin

    assert lab.run(cancel()) < BOUND_S


def test_write_whose_session_opens_too_late_is_not_made(stalled: tuple[Lab, Proxy]) -> None:
    lab, proxy = stalled
    lab.execute("CREATE TABLE t (n int)")
    for thread in lab.database._readers._threads:  # the next call needs a new connection
        if thread.session is not None:
            thread.session.opened_at -= 10_000
    proxy.withhold()
    assert lab.fails(lab.plan("INSERT INTO t VALUES (1)"), timeout_s=0.2).kind is Kind.UNAVAILABLE
    proxy.flow()
    assert lab.rows("SELECT count(*) AS n FROM t") == [{"n": 0}]


def test_connection_that_was_given_up_is_replaced(stalled: tuple[Lab, Proxy]) -> None:
    lab, proxy = stalled
    own = "pg_backend_pid()" if lab.is_postgres else "connection_id()"
    plan = lab.plan(f"SELECT {own} AS c", shape="value")
    before = lab.invoke(plan).value
    proxy.withhold()
    assert lab.fails(plan, timeout_s=0.2).kind is Kind.TIMEOUT
    proxy.flow()
    assert lab.invoke(plan).value != before
