"""Over TLS: HTTP/2, and a certificate that is checked for the name, not the dialled address."""

import ssl
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from runner.bindings.http.client import Outside
from runner.errors import BindingError
from tests.bindings.http.upstream import api, invoke, plan, program, run

HYPERCORN = """
import asyncio, socket, sys
from hypercorn.asyncio import serve
from hypercorn.config import Config

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        return
    body = ('{"version": "%s"}' % scope["http_version"]).encode()
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})

listening = socket.create_server(("127.0.0.1", 0))
config = Config()
config.certfile = config.keyfile = sys.argv[1]
config.bind = ["fd://%d" % listening.fileno()]
config.accesslog = config.errorlog = None
print(listening.getsockname()[1], flush=True)
asyncio.run(serve(app, config))
"""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of api.example.com that it has signed itself, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "api.example.com")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName("api.example.com")]), critical=False
        )
        .sign(key, hashes.SHA256())
    )
    path: Path = tmp_path_factory.mktemp("tls") / "pair.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return path


@pytest.fixture(scope="module")
def port(certificate: Path) -> Iterator[str]:
    with program(HYPERCORN, str(certificate)) as url:
        yield url.rpartition(":")[2]


async def resolve(_host: str, _port: int) -> Sequence[str]:
    return ["127.0.0.1"]


def test_http_2_is_spoken_over_tls_to_the_checked_address(certificate: Path, port: str) -> None:
    outside = Outside(resolve=resolve, tls=ssl.create_default_context(cafile=str(certificate)))
    upstream = api(f"https://api.example.com:{port}")
    assert run(invoke(plan("GET", "/"), upstream, outside)).value == {"version": "2"}


@pytest.mark.parametrize("host", ["other.example.com", "127.0.0.1"])
def test_certificate_of_another_name_is_refused(certificate: Path, port: str, host: str) -> None:
    outside = Outside(resolve=resolve, tls=ssl.create_default_context(cafile=str(certificate)))
    with pytest.raises(BindingError, match="the API cannot be reached"):
        run(invoke(plan("GET", "/"), api(f"https://{host}:{port}"), outside))


def test_certificate_that_the_system_does_not_know_is_refused(port: str) -> None:
    upstream = api(f"https://api.example.com:{port}")
    with pytest.raises(BindingError, match="the API cannot be reached"):
        run(invoke(plan("GET", "/"), upstream, Outside(resolve=resolve)))
