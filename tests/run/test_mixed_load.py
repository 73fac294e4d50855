"""Four workers under everything at once: it never matters which of them answers."""

import shutil
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.fuzz.served import FOLDER
from tests.requirements import requirement
from tests.run.mixed import FLOWS, Client, next_message, text_of
from tests.run.processes import LIMIT_S, appears, exchange, serving

REQUESTS = 500
CLIENTS = 8


@pytest.fixture
def file(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("*.pyc"))
    return folder / "mixed.yaml"


@requirement("P-028", "P-078", "P-128", "P-162")
def test_no_request_fails_for_the_worker_that_takes_it(file: Path) -> None:
    def work(port: int) -> tuple[int, set[object]]:
        client, seen = Client(port), set()
        while client.requests < REQUESTS / CLIENTS:
            for flow in FLOWS:
                flow(client)
            seen.add(text_of(client.result("tools/call", {"name": "process"})))
        return client.requests, seen

    with serving(file, "--workers", "4") as served, ThreadPoolExecutor(CLIENTS) as pool:
        done = list(pool.map(work, [served.port] * CLIENTS))
        served.process.terminate()
        assert served.process.wait(LIMIT_S) == 0
        assert served.errors() == ""
    assert sum(requests for requests, _ in done) >= REQUESTS
    assert len(set.union(*(seen for _, seen in done))) > 1


@requirement("P-133")
def test_stop_ends_a_stream_with_its_result_and_lets_a_call_end(lab: Path) -> None:
    with (
        serving(lab, "--workers", "4") as served,
        Client(served.port).listening(toolsListChanged=True) as stream,
        ThreadPoolExecutor() as pool,
    ):
        assert next_message(stream)["method"] == "notifications/subscriptions/acknowledged"
        marker = lab.with_name("began")
        call = pool.submit(exchange, served.port, "wait", {"marker": str(marker), "seconds": 1.0})
        appears(marker)
        served.process.terminate()
        ended = next_message(stream)
        assert stream.read() == b"\n"
        assert isinstance(ended["result"], dict)
        assert ended["result"]["resultType"] == "complete"
        answer = call.result(LIMIT_S)["result"]
        assert isinstance(answer, dict)
        assert text_of(answer) == "done"
        assert served.process.wait(LIMIT_S) == 0
        assert served.errors() == ""


def test_second_stop_waits_for_neither_a_stream_nor_a_call(lab: Path) -> None:
    with (
        serving(lab, "--workers", "4", environment={"DRAIN": "60s"}) as served,
        Client(served.port).listening(toolsListChanged=True) as stream,
        ThreadPoolExecutor() as pool,
    ):
        next_message(stream)
        marker = lab.with_name("began")
        call = pool.submit(exchange, served.port, "wait", {"marker": str(marker), "seconds": 600})
        appears(marker)
        served.process.send_signal(signal.SIGTERM)
        next_message(stream)
        served.process.send_signal(signal.SIGTERM)
        assert served.process.wait(LIMIT_S) == 1
        assert call.exception(LIMIT_S) is not None
