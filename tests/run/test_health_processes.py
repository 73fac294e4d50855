"""`mcp-run health` against servers that live, that serve an older version, and that are dead."""

import http.client
import http.server
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import trustme

from tests.cli.command import Ended, here
from tests.run.processes import Served, end, headers, request, serving, within_limit
from tests.run.test_reload_processes import HEAD, file, write

__all__ = ["file"]


def health(*arguments: str, folder: Path) -> Ended:
    """How the command ends."""
    return here("health", *arguments, folder=folder)


def test_server_is_healthy_until_its_listener_is_gone(file: Path) -> None:
    folder = file.parent
    with serving(file) as served:
        assert health(served.url, folder=folder) == Ended(0, "", f"{served.url} is ready\n")
        end(served.process)
        fault = f"{served.url} is not healthy: nobody listens there\n"
        assert health(served.url, folder=folder) == Ended(1, "", fault)


def test_file_says_where_its_server_listens(file: Path) -> None:
    original = file.read_text()
    file.write_text(original + "serve: {path: /tools}\n")
    with serving(file) as served:
        file.write_text(original + f"serve: {{port: {served.port}, path: /tools}}\n")
        assert health(folder=file.parent) == Ended(0, "", f"{served.url} is ready\n")


def test_endpoint_that_is_not_there_is_not_healthy(file: Path) -> None:
    with serving(file) as served:
        url = served.url.replace("/mcp", "/other")
        fault = f"{url} is not healthy: no endpoint answers at /other\n"
        assert health(url, folder=file.parent) == Ended(1, "", fault)


def test_broken_change_is_seen_from_outside_and_its_mending_too(file: Path) -> None:
    """The version before it is served on, which is ready and not the newest."""
    with serving(file, "--reload") as served:
        file.write_text("mcp: 1\n")
        within_limit(lambda: not newest(served))
        older = f"{served.url} is ready, but serves an older version than its files say\n"
        assert health(served.url, folder=file.parent) == Ended(0, "", older)
        write(file, "two")
        within_limit(lambda: newest(served))


def test_database_that_is_down_is_named_and_its_server_is_ready(file: Path) -> None:
    file.write_text(
        HEAD + 'databases: {away: {url: "postgresql://a@127.0.0.1:1/x", startup: lazy}}\n'
        "tools: {ask: {description: Asks., sql: SELECT 1 AS n}}\n"
    )
    with serving(file) as served:
        ready = f"{served.url} is ready\n"
        unused = "database 'away' was not needed yet\n"
        assert health(served.url, "-v", folder=file.parent) == Ended(0, "", ready + unused)
        assert tool_error(served, "ask")
        told = health(served.url, folder=file.parent)
        asked = health(served.url, "--format", "json", folder=file.parent)
    found = json.loads(asked.out)["databases"]
    assert found == {"away": {"state": "down", "failedAt": found["away"]["failedAt"]}}
    down = f"database 'away' could not be reached at {found['away']['failedAt']}\n"
    assert told == Ended(0, "", ready + down)


def tool_error(served: Served, tool: str) -> bool:
    """Whether a call ends as a tool error."""
    with closing(http.client.HTTPConnection("127.0.0.1", served.port, timeout=30)) as connection:
        connection.request("POST", "/mcp", request(tool, {}), headers(tool))
        return bool(json.loads(connection.getresponse().read())["result"]["isError"])


def newest(served: Served) -> bool:
    """What readiness says of the version."""
    with closing(http.client.HTTPConnection("127.0.0.1", served.port, timeout=5)) as connection:
        connection.request("GET", "/readyz", headers={"Host": "10.0.0.7"})
        response = connection.getresponse()
        assert response.status == 200
        return bool(json.loads(response.read())["newest"])


class Stranger(http.server.BaseHTTPRequestHandler):
    """Another server, which knows no method and says so to its clients alone."""

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@pytest.fixture
def stranger() -> Iterator[str]:
    """The address of a server that is another one."""
    server = http.server.HTTPServer(("127.0.0.1", 0), Stranger)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/mcp"
    server.shutdown()
    thread.join()
    server.server_close()


def test_another_server_on_the_port_is_not_healthy(stranger: str, tmp_path: Path) -> None:
    fault = "what answers there is no mcp-run"
    expected = Ended(1, "", f"{stranger} is not healthy: {fault}\n")
    assert health(stranger, folder=tmp_path) == expected
    asked = health(stranger, "--format", "json", folder=tmp_path)
    assert json.loads(asked.out) == {
        "url": stranger,
        "ready": False,
        "fault": fault,
    }


def test_server_that_does_not_answer_is_not_healthy(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/mcp"
        ended = health(url, "--timeout", "0.1", folder=tmp_path)
    assert ended == Ended(1, "", f"{url} is not healthy: no answer within 0.1 s\n")


def test_certificate_of_the_file_is_trusted_and_no_other(file: Path) -> None:
    for name in ("own", "other"):
        certificate = trustme.CA().issue_cert("prompts.example.com")
        certificate.private_key_pem.write_to_path(str(file.with_name(f"{name}-key.pem")))
        chain = b"".join(blob.bytes() for blob in certificate.cert_chain_pems)
        file.with_name(f"{name}.pem").write_bytes(chain)
    original = file.read_text()

    def write_tls(port: int, name: str) -> None:
        tls = f"{{certificate: {name}.pem, key: {name}-key.pem}}"
        file.write_text(original + f"serve: {{port: {port}, tls: {tls}}}\n")

    write_tls(8000, "own")
    with serving(file) as served:
        write_tls(served.port, "own")
        assert health(folder=file.parent) == Ended(0, "", f"{served.url} is ready\n")
        write_tls(served.port, "other")
        ended = health(folder=file.parent)
    fault = f"{served.url} is not healthy: TLS: certificate verify failed\n"
    assert ended == Ended(1, "", fault)


@pytest.mark.parametrize("wrong", ["ftp://x", "127.0.0.1:8000", "http://", "http://x:99999"])
def test_what_is_no_address_is_a_usage_error(tmp_path: Path, wrong: str) -> None:
    ended = health(wrong, folder=tmp_path)
    assert (ended.status, ended.out) == (2, "")
    assert f"'{wrong}'" in ended.err


def test_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "mcp.yaml").write_text("mcp: 1\nserve: {port: x}\n")
    ended = health(folder=tmp_path)
    assert ended.status == 1
    assert "mcp.yaml:2:15: wrong-type" in ended.err
