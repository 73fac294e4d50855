"""`mcp-run health`: asks a running server whether it is ready, for containers and people.

It asks the listener that clients use, at the endpoint's path too: a process that lives behind a
dead port is not healthy.
"""

import http.client
import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import click

from runner.catalog.catalog import READY
from runner.cli.console import Output
from runner.cli.options import EXIT_FAULTS, file_option, output_options
from runner.cli.reports import count_line, render_text, shown_from_here
from runner.codec.json import Json, JsonFault, decode, encode
from runner.config.files import Disk
from runner.config.load import load

EXAMPLES = """\b
Examples:
  mcp-run health                                  # where mcp.yaml says that it listens
  mcp-run health http://127.0.0.1:9000/mcp        # where serve said that it listens
  mcp-run health --format json
"""
_MAX_BODY_BYTES: Final = 256 * 1024
_EVERYWHERE: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}


@dataclass(frozen=True, slots=True)
class Address:
    """The endpoint that is asked."""

    scheme: str
    host: str
    port: int
    path: str
    certificate: str | None = None
    """The server's own, where the file tells it: nothing else is trusted then."""

    def connect(self, timeout_s: float) -> http.client.HTTPConnection:
        """A connection, not yet open."""
        if self.scheme == "http":
            return http.client.HTTPConnection(self.host, self.port, timeout=timeout_s)
        context = ssl.create_default_context(cafile=self.certificate)
        # The file's certificate names what clients call; the probe calls the machine itself.
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        context.check_hostname = self.certificate is None
        return http.client.HTTPSConnection(self.host, self.port, timeout=timeout_s, context=context)

    @property
    def text(self) -> str:
        """As it is shown."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}{self.path}"


@click.command(epilog=EXAMPLES)
@click.argument("url", required=False)
@file_option
@click.option(
    "--timeout", "timeout_s", type=click.FloatRange(0.1, 300), default=5.0, show_default=True,
    help="Seconds to wait for each answer.",
)  # fmt: skip
@output_options("text", "json")
def health(*, url: str | None, path: Path, timeout_s: float, output: Output) -> int:
    """Ask a running server whether it is ready.

    URL is the address of an endpoint, as serve says it; without one, where the file says that it
    listens. The exit status is 0 if it is ready for calls, 1 if not. A server whose files were
    changed to something that cannot be served goes on with the version before: it is ready, and
    is not the newest. Databases that the process could not connect to last are named; it is ready
    for the calls of the others.
    """
    address = _address_of(url) if url is not None else _address_in(path, output)
    if address is None:
        return EXIT_FAULTS
    try:
        answer = _ask(address, timeout_s)
    except UnhealthyError as error:
        if output.format == "json":
            shown = {"url": address.text, "ready": False, "fault": str(error)}
            output.result(encode(shown).decode())
        output.fail(f"{address.text} is not healthy: {error}")
        return EXIT_FAULTS
    is_newest, databases = answer.get("newest") is True, _databases(answer)
    if output.format == "json":
        shown = {"url": address.text, "ready": True, "newest": is_newest, "databases": databases}
        output.result(encode(shown).decode())
    older = "" if is_newest else ", but serves an older version than its files say"
    output.say(f"{address.text} is ready{older}")
    for name, found in databases.items():
        if found.get("state") == "down":
            output.say(f"database '{name}' could not be reached at {found.get('failedAt')}")
        elif output.verbose:
            output.say(_seen(name, found))
    return 0


def _databases(answer: Mapping[str, Json]) -> Mapping[str, Mapping[str, Json]]:
    """How the databases were reached last, by name; nothing from a server that does not tell."""
    found = answer.get("databases")
    if not isinstance(found, dict):
        return {}
    return {name: item for name, item in found.items() if isinstance(item, dict)}


def _seen(name: str, found: Mapping[str, Json]) -> str:
    words = {"up": "was reached", "unused": "was not needed yet"}
    failed = found.get("failedAt")
    earlier = "" if failed is None else f"; a connection failed at {failed}"
    return f"database '{name}' {words.get(str(found.get('state')), 'is not known')}{earlier}"


def _address_of(url: str) -> Address:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise click.BadParameter(f"'{url}' is no address", param_hint="URL") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise click.BadParameter(
            f"expected an address such as http://127.0.0.1:8000/mcp, found '{url}'",
            param_hint="URL",
        )
    default = http.client.HTTP_PORT if parts.scheme == "http" else http.client.HTTPS_PORT
    return Address(parts.scheme, parts.hostname, port or default, parts.path or "/mcp")


def _address_in(path: Path, output: Output) -> Address | None:
    """Where the file says that it listens; None after its faults were told."""
    loaded = load(path.absolute(), os.environ, Disk())
    if loaded.spec is None:
        output.fail(render_text(shown_from_here(loaded.diagnostics, path)))
        output.fail(f"{path}: {count_line(loaded.diagnostics)}")
        return None
    serve = loaded.spec.serve
    paths = [endpoint.path for endpoint in loaded.spec.endpoints.values()] or [serve.path]
    host = _EVERYWHERE.get(serve.host, serve.host)
    if serve.tls is None:
        return Address("http", host, serve.port, paths[0])
    certificate = str(loaded.folder / serve.tls.certificate)
    return Address("https", host, serve.port, paths[0], certificate)


class UnhealthyError(Exception):
    """What is wrong, in words."""


def _ask(address: Address, timeout_s: float) -> dict[str, Json]:
    """What a server that is ready says of itself.

    Raises:
        UnhealthyError: it is not ready, or does not answer.
    """
    try:
        return _answer(address, timeout_s)
    except TimeoutError as error:
        raise UnhealthyError(f"no answer within {timeout_s:g} s") from error
    except ssl.SSLError as error:
        why = (error.reason or "failed").lower().replace("_", " ")
        raise UnhealthyError(f"TLS: {why}") from error
    except ConnectionRefusedError as error:
        raise UnhealthyError("nobody listens there") from error
    except (OSError, http.client.HTTPException) as error:
        why = getattr(error, "strerror", None) or "the connection broke"
        raise UnhealthyError(why.lower()) from error


def _answer(address: Address, timeout_s: float) -> dict[str, Json]:
    status, body = _got(address, READY, timeout_s)
    answer = _read(body)
    if answer is None:
        raise UnhealthyError("what answers there is no mcp-run")
    if status != HTTPStatus.OK:
        raise UnhealthyError("it is not ready")
    # An endpoint takes POST alone, and says so before it asks who calls.
    status, _ = _got(address, address.path, timeout_s)
    if status != HTTPStatus.METHOD_NOT_ALLOWED:
        raise UnhealthyError(f"no endpoint answers at {address.path}")
    return answer


def _got(address: Address, path: str, timeout_s: float) -> tuple[int, bytes]:
    connection = address.connect(timeout_s)
    try:
        connection.request("GET", path, headers={"Accept": "application/json"})
        response = connection.getresponse()
        return response.status, response.read(_MAX_BODY_BYTES)
    finally:
        connection.close()


def _read(body: bytes) -> dict[str, Json] | None:
    try:
        found = decode(body)
    except JsonFault:
        return None
    return found if isinstance(found, dict) and "ready" in found else None
