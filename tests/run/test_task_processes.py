"""Tasks whose process is killed or stopped: another one does the work again, where that is asked.

The tests wait for no lease: they put the heartbeats of the killed process back in the database.
"""

import json
import os
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path

import psycopg
import pytest

from tests.run.processes import (
    META,
    Answer,
    Served,
    appears,
    headers,
    posted,
    serving,
    text_of,
    within_limit,
)
from tests.tasks.stores import store_address

FILE = """mcp: 1
server: {{name: tasks, version: 1.0.0}}
serve: {{drain: 100ms}}
tasks: {{store: "{store}", resume: true}}
tools:
  work: {{description: Works., writes: false, task: always, timeout: 1m, python: "code:work"}}
  once: {{description: Works., writes: true, task: always, timeout: 1m, python: "code:work"}}
"""
CODE = '''
import asyncio
import os
from pathlib import Path

HERE = Path(__file__).parent


async def work() -> str:
    """Hangs until somebody allows it to end."""
    HERE.joinpath(f"began-{os.getpid()}").touch()
    while not HERE.joinpath("free").exists():
        await asyncio.sleep(0.02)
    return str(os.getpid())
'''


@pytest.fixture
def store(tmp_path: Path) -> Iterator[str]:
    with store_address("postgresql", tmp_path) as address:
        yield address


@pytest.fixture
def file(tmp_path: Path, store: str) -> Path:
    (tmp_path / "code.py").write_text(CODE, encoding="utf-8")
    file = tmp_path / "mcp.yaml"
    file.write_text(FILE.format(store=store), encoding="utf-8")
    return file


def ask(served: Served, method: str, name: str, params: Mapping[str, object]) -> Answer:
    """The result of a request of a client that can follow tasks."""
    extensions: Answer = {"extensions": {"io.modelcontextprotocol/tasks": {}}}
    meta = {**META, "io.modelcontextprotocol/clientCapabilities": extensions}
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
    pairs = {**headers(name), "Mcp-Method": method}
    result = posted(served.port, json.dumps(message).encode(), pairs, "/mcp")["result"]
    assert isinstance(result, dict)
    return result


def begin(served: Served, tool: str) -> str:
    return str(ask(served, "tools/call", tool, {"name": tool})["taskId"])


def get(served: Served, task: str) -> Answer:
    return ask(served, "tasks/get", task, {"taskId": task})


def works(file: Path, served: Served) -> None:
    appears(file.with_name(f"began-{served.process.pid}"))


def age(store: str) -> None:
    """A minute passes for every lease and heartbeat."""
    with psycopg.connect(store) as connection:
        connection.execute("UPDATE mcp_run_tasks SET lease = lease - 60000")
        connection.execute(
            "UPDATE procrastinate_workers SET last_heartbeat = last_heartbeat - interval '1 minute'"
        )


def ended(served: Served, task: str) -> Answer:
    within_limit(lambda: get(served, task)["status"] in ("completed", "failed"))
    return get(served, task)


def test_work_of_a_killed_process_is_done_by_another_one(file: Path, store: str) -> None:
    """Where it may be repeated; what may not fails, as everything does without `resume`."""
    with serving(file) as one:
        kept, lost = begin(one, "work"), begin(one, "once")
        works(file, one)
        with serving(file) as two:
            os.kill(one.process.pid, signal.SIGKILL)
            one.process.wait()
            age(store)
            works(file, two)
            file.with_name("free").touch()
            done, failed = ended(two, kept), get(two, lost)
            pid = two.process.pid
    assert done["status"] == "completed", done
    assert text_of(done["result"]) == str(pid)  # type: ignore[arg-type]  # an object
    message = "The worker that ran the task is gone, and its work with it."
    assert (failed["status"], failed["statusMessage"]) == ("failed", message)


def test_stopped_process_leaves_its_work_to_another_one(file: Path) -> None:
    with serving(file) as one:
        kept, lost = begin(one, "work"), begin(one, "once")
        works(file, one)
        one.process.terminate()
        assert one.process.wait(20) == 0
        assert "Traceback" not in one.errors()
    with serving(file) as two:
        works(file, two)
        file.with_name("free").touch()
        statuses = {ended(two, kept)["status"], get(two, lost)["status"]}
        message = get(two, lost)["statusMessage"]
    assert statuses == {"completed", "failed"}
    assert message == "The server was stopped before the task came to its end."
