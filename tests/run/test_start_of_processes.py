"""The start of a server: what it says, and what keeps it from starting."""

import json
import socket
import subprocess
from pathlib import Path

import pytest

from tests.run.processes import COMMAND, end, post, run, serving, text_of

LAZY = """
mcp: 1
server: {{name: two-databases, version: 1.0.0}}
databases:
  there: {{url: "sqlite://"}}
  gone: {{url: "{url}", startup: {startup}, pool: {{wait: 1s}}}}
tools:
  one: {{description: Works., database: there, sql: SELECT 1 AS n}}
  two: {{description: Cannot., database: gone, sql: SELECT 2 AS n}}
"""


def without_server() -> int:
    """A port that nobody listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def two_databases(folder: Path, startup: str) -> Path:
    """A file of two databases, one of which is down."""
    url = f"postgresql://nobody:secret@127.0.0.1:{without_server()}/none"
    file = folder / "mcp.yaml"
    file.write_text(LAZY.format(url=url, startup=startup), encoding="utf-8")
    return file


def test_server_says_where_what_and_how_to_connect(lab: Path) -> None:
    port = without_server()
    process = subprocess.Popen(
        [COMMAND, "serve", "-f", str(lab), "--port", str(port), "--workers", "2"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stderr is not None
        said = [process.stderr.readline().rstrip() for _ in range(3)]
    finally:
        end(process)
    url = f"http://127.0.0.1:{port}/mcp"
    assert said == [
        "run-lab 1.0.0: 9 tools, 2 workers",
        f"  address  {url}",
        f"  connect  claude mcp add --transport http run-lab {url}",
    ]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("My shop; rm -rf ~", "My-shop-rm--rf"),
        ("com.example/shop", "com-example-shop"),
        ("Läden 商店", "L-den"),
        ("商店", "mcp-run"),
    ],
)
def test_command_to_connect_can_be_run_whatever_the_server_is_called(
    tmp_path: Path, name: str, shown: str
) -> None:
    """Claude Code takes letters, digits, `-` and `_`; a shell takes the rest for itself."""
    file = tmp_path / "mcp.yaml"
    text = 'mcp: 1\nserver: {name: "%s", version: 1.0.0}\nserve: {path: "/a&b"}\n'
    file.write_text(text % name + "tools: {a: {description: A., value: 1}}\n", encoding="utf-8")
    port = without_server()
    process = subprocess.Popen(
        [COMMAND, "serve", "-f", str(file), "--port", str(port)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stderr is not None
        said = [process.stderr.readline().rstrip() for _ in range(3)]
    finally:
        end(process)
    url = f"http://127.0.0.1:{port}/a&b"
    assert said == [
        f"{name} 1.0.0: 1 tool",
        f"  address  {url}",
        f"  connect  claude mcp add --transport http {shown} '{url}'",
    ]


def test_server_says_it_to_programs_in_one_line_of_json(lab: Path) -> None:
    port = without_server()
    process = subprocess.Popen(
        [COMMAND, "serve", "-f", str(lab), "--port", str(port), "--format", "json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        said = json.loads(process.stdout.readline())
    finally:
        end(process)
    assert said == {
        "name": "run-lab",
        "version": "1.0.0",
        "url": f"http://127.0.0.1:{port}/mcp",
        "endpoints": {},
        "host": "127.0.0.1",
        "port": port,
        "tools": 9,
        "workers": 1,
        "pid": process.pid,
    }


def test_port_in_use_is_said_with_a_way_out(lab: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = run(lab, "--port", str(port))
    assert (ended.returncode, ended.stdout, ended.stderr) == (
        1, "", f"error: port {port} is in use\n  hint: choose another with --port\n",
    )  # fmt: skip


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_wide_host_on_the_command_line_needs_allowed_hosts(lab: Path, host: str) -> None:
    ended = run(lab, "--host", host)
    assert ended.returncode == 2
    assert (
        f"Invalid value for --host: '{host}' is not loopback, and the file has no "
        "serve.allowed_hosts; name there the hosts that clients use"
    ) in ended.stderr


def test_wide_host_in_the_file_needs_allowed_hosts(lab: Path) -> None:
    lab.write_text(lab.read_text("utf-8").replace("serve:\n", "serve:\n  host: 0.0.0.0\n"))
    ended = run(lab)
    assert ended.returncode == 1
    assert ended.stderr.startswith(
        f"{lab}:5:9: hosts-needed: '0.0.0.0' is not loopback, and 'allowed_hosts' is not set\n"
    )


DUCK = """
mcp: 1
server: {name: duck, version: 1.0.0}
databases:
  shop: {url: "duckdb:///shop.duckdb", create: {schema: schema.sql}}
tools:
  read: {description: Reads., sql: SELECT n FROM t, result: {shape: value}}
"""
WRITE = "  add: {description: Writes., sql: UPDATE t SET n = n + 1, writes: true}\n"


def duck(folder: Path, tools: str = "") -> Path:
    """A file on a DuckDB database that is made by the first to start."""
    (folder / "schema.sql").write_text("CREATE TABLE t (n INT); INSERT INTO t VALUES (7)", "utf-8")
    file = folder / "mcp.yaml"
    file.write_text(DUCK + tools, encoding="utf-8")
    return file


def test_several_workers_read_one_duckdb_file(tmp_path: Path) -> None:
    with serving(duck(tmp_path), "--workers", "2") as served:
        found = {text_of(post(served.port, "read")) for _ in range(20)}
    assert found == {"7"}


def test_several_workers_are_refused_where_a_tool_writes_to_a_duckdb_file(tmp_path: Path) -> None:
    ended = run(duck(tmp_path, WRITE), "--port", "0", "--workers", "2")
    assert ended.returncode == 2
    assert "a tool writes to the DuckDB file of 'shop', which only one process can" in ended.stderr


@pytest.mark.parametrize("option", ["--host=127.0.0.1", "--port=1", "--workers=2", "--format=json"])
def test_stdio_takes_no_option_of_listening(lab: Path, option: str) -> None:
    ended = run(lab, "--stdio", option)
    assert ended.returncode == 2
    assert "--stdio listens nowhere: no --host, --port, --workers, --format" in ended.stderr


def test_required_database_that_is_down_keeps_the_server_from_starting(tmp_path: Path) -> None:
    file = two_databases(tmp_path, "required")
    ended = run(file, "--port", "0")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith(f"{file}:6:15: database-unreachable: database 'gone': ")
    assert "secret" not in ended.stderr
    assert "Traceback" not in ended.stderr


def test_lazy_database_that_is_down_leaves_the_other_tools_working(tmp_path: Path) -> None:
    with serving(two_databases(tmp_path, "lazy")) as served:
        assert text_of(post(served.port, "one")) == '{"rows":[{"n":1}],"truncated":false}'
        refused = post(served.port, "two")
        log = served.errors()
    assert (refused["isError"], text_of(refused)) == (
        True,
        "the database cannot be reached at present",
    )
    assert "secret" not in log
