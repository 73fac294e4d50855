"""The end of a server over HTTP: what runs is answered, and nothing holds the end up."""

import http.client
import os
import signal
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.run.processes import (
    LIMIT_S,
    Answer,
    Served,
    appears,
    exchange,
    post,
    serving,
    stops_listening,
    text_of,
)
from tests.run.test_reload_processes import slow_start

__all__ = ["slow_start"]

ENGINES = ("uvicorn", "hypercorn")
WORKERS = ("1", "2")
WITHOUT_END = "60s"
"""A drain that is longer than any test waits: an end in time is one that does not wait for it."""


def start(pool: ThreadPoolExecutor, served: Served, tool: str, seconds: float) -> Future[Answer]:
    """A call that runs when this returns."""
    marker = served.log.with_name("began")
    arguments = {"marker": str(marker), "seconds": seconds}
    answer = pool.submit(exchange, served.port, tool, arguments)
    appears(marker)
    return answer


@pytest.mark.parametrize(
    ("number", "engine", "workers", "tool"),
    [
        (number, engine, workers, tool)
        for turn, tool in enumerate(["sleep_in_thread", "wait", "block"])
        for at, engine in enumerate(ENGINES)
        for place, workers in enumerate(WORKERS)
        for number in [(signal.SIGTERM, signal.SIGINT)[(turn + at + place) % 2]]
    ],
)
def test_running_call_gets_its_whole_answer(
    lab: Path, *, engine: str, workers: str, number: signal.Signals, tool: str
) -> None:
    """Each tool under each engine and number of workers; the signals take turns, so that each
    meets every one of them: a start takes two seconds."""
    environment = {"ENGINE": engine}
    with (
        serving(lab, "--workers", workers, environment=environment) as served,
        ThreadPoolExecutor() as pool,
    ):
        answer = start(pool, served, tool, 1.0)
        served.process.send_signal(number)
        result = answer.result(LIMIT_S)["result"]
        assert isinstance(result, dict)
        assert text_of(result) == "done"
        assert served.process.wait(LIMIT_S) == 0
        assert served.errors() == ""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("tool", ["sleep_in_thread", "wait"])
def test_call_that_does_not_end_in_time_is_answered_with_an_error(
    lab: Path, *, engine: str, workers: str, tool: str
) -> None:
    environment = {"ENGINE": engine, "DRAIN": "500ms"}
    with (
        serving(lab, "--workers", workers, environment=environment) as served,
        ThreadPoolExecutor() as pool,
    ):
        answer = start(pool, served, tool, 600)
        served.process.terminate()
        assert answer.result(LIMIT_S) == {
            "jsonrpc": "2.0",
            "id": 1,
            "error": {"code": -32603, "message": "The server stops; ask again"},
        }
        assert served.process.wait(LIMIT_S) == 0
        assert served.errors().partition("WARNING ")[2] == (
            "runner.serving: 1 running calls did not end within 0.5 s and were ended\n"
        )


@pytest.mark.parametrize("workers", WORKERS)
def test_server_that_still_opens_what_it_needs_ends_at_once(slow_start: Path, workers: str) -> None:
    environment = {"PYTHONWARNINGS": "always"}
    with serving(slow_start, "--workers", workers, environment=environment) as served:
        appears(slow_start.with_name("began"))
        served.process.terminate()
        assert served.process.wait(LIMIT_S) == 0
        assert served.errors() == ""


@pytest.mark.parametrize("engine", ENGINES)
def test_no_time_to_drain_ends_what_runs_at_once(lab: Path, engine: str) -> None:
    environment = {"ENGINE": engine, "DRAIN": "0s"}
    with serving(lab, environment=environment) as served, ThreadPoolExecutor() as pool:
        answer = start(pool, served, "wait", 600)
        served.process.terminate()
        assert answer.result(LIMIT_S)["error"] == {
            "code": -32603,
            "message": "The server stops; ask again",
        }
        assert served.process.wait(LIMIT_S) == 0
        assert served.errors().partition("WARNING ")[2] == (
            "runner.serving: 1 running calls did not end within 0 s and were ended\n"
        )


@pytest.mark.parametrize("workers", WORKERS)
def test_tool_that_blocks_the_loop_is_ended_by_the_deadline(lab: Path, workers: str) -> None:
    environment = {"DRAIN": "100ms"}
    with (
        serving(lab, "--workers", workers, environment=environment) as served,
        ThreadPoolExecutor() as pool,
    ):
        answer = start(pool, served, "block", 600)
        served.process.terminate()
        assert isinstance(answer.exception(LIMIT_S), http.client.HTTPException | OSError)
        assert served.process.wait(LIMIT_S) == 1
        assert "what runs does not end; ending without it" in served.errors()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("tool", ["sleep_in_thread", "wait", "block"])
def test_second_signal_does_not_wait(lab: Path, *, engine: str, workers: str, tool: str) -> None:
    environment = {"ENGINE": engine, "DRAIN": WITHOUT_END}
    with (
        serving(lab, "--workers", workers, environment=environment) as served,
        ThreadPoolExecutor() as pool,
    ):
        answer = start(pool, served, tool, 600)
        served.process.send_signal(signal.SIGTERM)
        served.process.send_signal(signal.SIGINT)
        assert served.process.wait(LIMIT_S) == 1
        assert isinstance(answer.exception(LIMIT_S), http.client.HTTPException | OSError)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("workers", WORKERS)
def test_nobody_is_kept_waiting_who_comes_after_the_signal(
    lab: Path, engine: str, workers: str
) -> None:
    with (
        serving(lab, "--workers", workers, environment={"ENGINE": engine}) as served,
        ThreadPoolExecutor() as pool,
    ):
        answer = start(pool, served, "wait", 3.0)
        served.process.terminate()
        stops_listening(served.port)
        assert not answer.done()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_to_the_whole_group_still_lets_calls_end(lab: Path, number: signal.Signals) -> None:
    """Terminals send SIGINT to every process of the group, service managers SIGTERM."""
    with (
        serving(lab, "--workers", "2", has_own_group=True) as served,
        ThreadPoolExecutor() as pool,
    ):
        answer = start(pool, served, "wait", 1.0)
        os.killpg(served.process.pid, number)
        assert "result" in answer.result(LIMIT_S)
        assert served.process.wait(LIMIT_S) == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_idle_connection_does_not_hold_up_the_end(lab: Path, engine: str) -> None:
    with serving(lab, environment={"ENGINE": engine, "DRAIN": "60s"}) as served:
        post(served.port, "process")
        connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=LIMIT_S)
        connection.request("GET", "/")
        connection.getresponse().read()
        served.process.terminate()
        assert served.process.wait(10) == 0
        connection.close()


def test_thread_that_a_tool_left_does_not_hold_up_the_end(lab: Path) -> None:
    with serving(lab, environment={"DRAIN": "60s"}) as served:
        assert text_of(post(served.port, "leave_thread")) == "left"
        served.process.terminate()
        assert served.process.wait(10) == 0
        assert "threads of a tool still run; ending without them" in served.errors()


def test_signal_to_a_process_that_a_tool_forked_is_not_the_servers(lab: Path) -> None:
    with serving(lab) as served:
        assert text_of(post(served.port, "fork_and_terminate")) == str(-signal.SIGTERM)
        assert text_of(post(served.port, "process")) == str(served.process.pid)
