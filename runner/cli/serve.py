"""`mcp-run serve`: serves the file over HTTP, or over standard input and output."""

import os
from dataclasses import replace
from pathlib import Path

import click

from runner.app import make_databases
from runner.catalog.addresses import is_loopback
from runner.catalog.catalog import Catalog
from runner.cli.console import Output
from runner.cli.options import EXIT_FAULTS, file_option, output_options
from runner.cli.project import read_catalog
from runner.cli.words import counted
from runner.codec.json import encode
from runner.compile.duckdb import has_one_writer
from runner.run import serve_http, serve_stdio
from runner.serving.certificate import check_certificate
from runner.serving.sockets import address_of, bind

EXAMPLES = """\b
Examples:
  mcp-run serve                         # http://127.0.0.1:8000/mcp
  mcp-run serve --port 9000 --workers 4
  mcp-run serve --stdio                 # for clients that start the server themselves
"""


@click.command(epilog=EXAMPLES)
@file_option
@click.option("--stdio", is_flag=True, help="Speak over standard input and output.")
@click.option("--host", help="The address to bind; overrides serve.host.")
@click.option("--port", type=click.IntRange(0, 65535), help="The port; 0 takes a free one.")
@click.option("--workers", type=click.IntRange(1), help="Processes that answer.")
@output_options("text", "json")
def serve(
    *,
    path: Path,
    stdio: bool,
    host: str | None,
    port: int | None,
    workers: int | None,
    output: Output,
) -> int:
    """Serve the tools of the file to MCP clients of every version.

    Every statement is proven on the real databases first; a file with faults is not served.
    The first stop signal lets running calls end, the second does not wait.
    With --format json, where the server listens is one line on standard output.
    """
    if stdio and ((host, port, workers) != (None, None, None) or output.format == "json"):
        raise click.UsageError("--stdio listens nowhere: no --host, --port, --workers, --format")
    catalog = read_catalog(path, output, connects=True)
    if catalog is None:
        return EXIT_FAULTS
    make_databases(catalog)
    if stdio:
        return serve_stdio(catalog)
    catalog = _with_overrides(catalog, host=host, port=port, workers=workers)
    if catalog.listen.tls is not None:
        check_certificate(catalog.listen.tls)
    sock = bind(catalog.listen.host, catalog.listen.port)
    _greet(catalog, address_of(sock), output)
    return serve_http(catalog, sock)


def _with_overrides(
    catalog: Catalog, *, host: str | None, port: int | None, workers: int | None
) -> Catalog:
    listen = catalog.listen
    if host is not None and not is_loopback(host) and not listen.allowed_hosts:
        raise click.BadParameter(
            f"'{host}' is not loopback, and the file has no serve.allowed_hosts; "
            "name there the hosts that clients use",
            param_hint="--host",
        )
    chosen = replace(
        listen,
        host=listen.host if host is None else host,
        port=listen.port if port is None else port,
        workers=listen.workers if workers is None else workers,
    )
    for name, database in catalog.databases.items():
        if chosen.workers > 1 and has_one_writer(database):
            raise click.BadParameter(
                f"a tool writes to the DuckDB file of '{name}', which only one process can",
                param_hint="--workers",
            )
    return replace(catalog, listen=chosen)


def _greet(catalog: Catalog, address: tuple[str, int], output: Output) -> None:
    url = _url(catalog, address)
    if output.format == "json":
        output.result(encode(_listening(catalog, address, url)).decode())
        return
    listen = catalog.listen
    count = counted(len(catalog.tools), "tool")
    workers = f", {listen.workers} workers" if listen.workers > 1 else ""
    output.say(f"{catalog.identity.name} {catalog.identity.version}: {count}{workers}")
    output.say(f"  address  {url}", bold=True)
    output.say(f"  connect  claude mcp add --transport http {catalog.identity.name} {url}")
    if listen.workers > 1 and not listen.state_keys:
        output.say("  note     set serve.state_keys before you run several replicas")
    if not is_loopback(listen.host) and catalog.identities.anonymous is not None:
        output.say("  warning  everyone who reaches this address may call every tool", color="red")


def _url(catalog: Catalog, address: tuple[str, int]) -> str:
    host, port = address
    shown = f"[{host}]" if ":" in host else host
    scheme = "https" if catalog.listen.tls is not None else "http"
    return catalog.listen.public_url or f"{scheme}://{shown}:{port}{catalog.endpoints[0].path}"


def _listening(catalog: Catalog, address: tuple[str, int], url: str) -> dict[str, str | int | None]:
    return {
        "name": catalog.identity.name,
        "version": catalog.identity.version,
        "url": url,
        "host": address[0],
        "port": address[1],
        "tools": len(catalog.tools),
        "workers": catalog.listen.workers,
        "pid": os.getpid(),
    }
