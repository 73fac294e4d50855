"""A server with a certificate: HTTP/2 by negotiation, HTTP/1.1 for the rest, and a quiet log."""

import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
import trustme

from tests.run.processes import LIMIT_S, Served, appears, headers, request, serving

TLS = "  tls: {certificate: tls/certificate.pem, key: tls/key.pem}\n"


@pytest.fixture
def trust(lab: Path) -> ssl.SSLContext:
    """What trusts the certificate that the project gets."""
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    folder = lab.with_name("tls")
    folder.mkdir()
    certificate.private_key_pem.write_to_path(str(folder / "key.pem"))
    chain = b"".join(blob.bytes() for blob in certificate.cert_chain_pems)
    (folder / "certificate.pem").write_bytes(chain)
    lab.write_text(lab.read_text("utf-8").replace("serve:\n", "serve:\n" + TLS))
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


@pytest.fixture
def served(lab: Path, trust: ssl.SSLContext) -> Iterator[Served]:
    """A server with the certificate."""
    del trust
    with serving(lab) as served:
        yield served


@pytest.mark.parametrize(("http2", "version"), [(True, "HTTP/2"), (False, "HTTP/1.1")])
def test_version_of_http_is_negotiated(
    served: Served, trust: ssl.SSLContext, *, http2: bool, version: str
) -> None:
    assert served.url == f"https://127.0.0.1:{served.port}/mcp"
    with httpx2.Client(verify=trust, http2=http2, timeout=LIMIT_S) as client:
        answer = client.post(served.url, content=request("process"), headers=headers("process"))
    assert (answer.http_version, answer.status_code) == (version, 200)
    assert answer.json()["result"]["content"][0]["text"] == str(served.process.pid)


def test_many_calls_share_one_connection(served: Served, trust: ssl.SSLContext) -> None:
    with httpx2.Client(verify=trust, http2=True, timeout=LIMIT_S) as client:
        answers = [
            client.post(served.url, content=request("process"), headers=headers("process"))
            for _ in range(50)
        ]
    assert {answer.status_code for answer in answers} == {200}


def test_clients_that_break_off_leave_nothing_in_the_log(
    served: Served, trust: ssl.SSLContext
) -> None:
    address = ("127.0.0.1", served.port)
    with socket.create_connection(address, LIMIT_S) as plain:
        plain.sendall(b"GET / HTTP/1.1\r\n\r\n")
    with pytest.raises(ssl.SSLError):
        ssl.create_default_context().wrap_socket(
            socket.create_connection(address, LIMIT_S), server_hostname="127.0.0.1"
        )
    marker = served.log.with_name("began")
    arguments = {"marker": str(marker), "seconds": 0.5}
    with trust.wrap_socket(
        socket.create_connection(address, LIMIT_S), server_hostname="127.0.0.1"
    ) as secure:
        body = request("wait", arguments)
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers("wait").items())
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n{lines}\r\n"
        )
        secure.sendall(head.encode() + body)
        appears(marker)
    served.process.terminate()
    assert served.process.wait(LIMIT_S) == 0
    assert served.errors() == ""
