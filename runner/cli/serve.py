"""`mcp-run serve`: serves the file over HTTP, or over standard input and output."""

import os
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypedDict, Unpack

import click

from runner.app import Checked, catalog_of, check, make_databases
from runner.catalog.addresses import is_loopback
from runner.catalog.catalog import Catalog, Endpoint
from runner.cli.console import Output
from runner.cli.options import EXIT_FAULTS, file_option, output_options
from runner.cli.project import endpoint_named, read_checked
from runner.cli.words import counted
from runner.codec.json import encode
from runner.compile.duckdb import has_one_writer
from runner.errors import StartError
from runner.live import Project
from runner.run import serve_http, serve_stdio
from runner.serving.certificate import check_certificate
from runner.serving.sockets import address_of, bind

EXAMPLES = """\b
Examples:
  mcp-run serve                         # http://127.0.0.1:8000/mcp
  mcp-run serve --port 9000 --workers 4
  mcp-run serve --reload                # changes are served as they are saved
  mcp-run serve --stdio                 # for clients that start the server themselves
  mcp-run serve --stdio --reload        # clients are told what has changed
  mcp-run serve --stdio --endpoint finder
"""


class Overrides(TypedDict):
    """Options that take the place of fields of `serve`; None: not given."""

    host: str | None
    port: int | None
    workers: int | None


@click.command(epilog=EXAMPLES)
@file_option
@click.option("--stdio", is_flag=True, help="Speak over standard input and output.")
@click.option("--endpoint", help="With --stdio: which of several endpoints; the first otherwise.")
@click.option("--host", help="The address to bind; overrides serve.host.")
@click.option("--port", type=click.IntRange(0, 65535), help="The port; 0 takes a free one.")
@click.option("--workers", type=click.IntRange(1), help="Processes that answer.")
@click.option("--reload", is_flag=True, help="Serve changes of the file and of all it names.")
@output_options("text", "json")
def serve(
    *,
    path: Path,
    stdio: bool,
    endpoint: str | None,
    reload: bool,
    output: Output,
    **overrides: Unpack[Overrides],
) -> int:
    """Serve the tools of the file to MCP clients of every version.

    Every statement is proven on the real databases first; a file with faults is not served.
    The first stop signal lets running calls end, the second does not wait.
    A hangup signal reads the file again, where the server has no terminal; --reload sees changes by
    itself. A change with faults is not served: the version before it goes on.
    With --format json, where the server listens is one line on standard output.
    """
    _refuse_combinations(overrides, output, stdio=stdio, reload=reload, endpoint=endpoint)
    checked = read_checked(path, output, connects=True, makes=True)
    if checked is None:
        return EXIT_FAULTS
    catalog = catalog_of(checked)
    chosen = catalog.endpoints[0] if endpoint is None else endpoint_named(catalog, endpoint)
    make_databases(catalog)
    if stdio:
        alone = partial(_alone, name=endpoint, path=chosen.path)
        return serve_stdio(alone(catalog), _project(path, checked, alone, follows=reload))
    override = partial(_with_overrides, **overrides)
    catalog = override(catalog)
    if catalog.listen.tls is not None:
        check_certificate(catalog.listen.tls)
    sock = bind(catalog.listen.host, catalog.listen.port)
    _greet(catalog, address_of(sock), output)
    return serve_http(catalog, sock, _project(path, checked, override, follows=reload))


def _refuse_combinations(
    overrides: Overrides, output: Output, *, stdio: bool, reload: bool, endpoint: str | None
) -> None:
    is_overridden = any(value is not None for value in overrides.values())
    if stdio and (is_overridden or output.format == "json"):
        raise click.UsageError("--stdio listens nowhere: no --host, --port, --workers, --format")
    if endpoint is not None and not stdio:
        raise click.UsageError("--endpoint goes with --stdio; over HTTP all of them are served")


def _project(
    path: Path, checked: Checked, override: Callable[[Catalog], Catalog], *, follows: bool
) -> Project:
    """How the file is read again, with the options of this command."""

    def load() -> Checked:
        found = check(path, os.environ, connects=True, makes=True)
        return found if found.catalog is None else replace(found, catalog=override(found.catalog))

    return Project(load, checked.inputs, follows)


def _alone(catalog: Catalog, *, name: str | None, path: str) -> Catalog:
    """The catalog with the one endpoint that is served over stdio, always under the same path."""
    if name is None:
        chosen = catalog.endpoints[0]
    else:
        found = [endpoint for endpoint in catalog.endpoints if endpoint.name == name]
        if not found:
            raise StartError(f"no endpoint is named '{name}' any more")
        [chosen] = found
    return replace(catalog, endpoints=(replace(chosen, path=path),))


def _with_overrides(catalog: Catalog, **overrides: Unpack[Overrides]) -> Catalog:
    listen = catalog.listen
    host, port, workers = overrides["host"], overrides["port"], overrides["workers"]
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
    urls = _urls(catalog, address)
    if output.format == "json":
        output.result(encode(_listening(catalog, address, urls)).decode())
        return
    listen = catalog.listen
    count = counted(len(catalog.tools), "tool")
    workers = f", {listen.workers} workers" if listen.workers > 1 else ""
    output.say(f"{catalog.identity.name} {catalog.identity.version}: {count}{workers}")
    width = max(map(len, urls))
    for endpoint, url in zip(catalog.endpoints, urls, strict=True):
        shown = f"{url:{width}}  {_offer(endpoint)}" if endpoint.name else url
        output.say(f"  address  {shown}", bold=True)
    name, url = _command_name(catalog.identity.name), shlex.quote(urls[0])
    output.say(f"  connect  claude mcp add --transport http {name} {url}")
    if listen.workers > 1 and not listen.state_keys:
        output.say("  note     set serve.state_keys before you run several replicas")
    if not is_loopback(listen.host) and catalog.identities.anonymous is not None:
        output.say("  warning  everyone who reaches this address may call every tool", color="red")


def _command_name(name: str) -> str:
    """The name as Claude Code takes it, which has nothing that a shell would read."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-") or "mcp-run"


def _offer(endpoint: Endpoint) -> str:
    numbers = {
        "tool": len(endpoint.tools),
        "resource": len(endpoint.resources),
        "prompt": len(endpoint.prompts),
    }
    offer = [counted(number, word) for word, number in numbers.items() if number]
    return f"{endpoint.name}: {', '.join(offer)}"


def _urls(catalog: Catalog, address: tuple[str, int]) -> list[str]:
    """The address of each endpoint; behind a proxy they all follow that of the first."""
    first, *_ = paths = [endpoint.path for endpoint in catalog.endpoints]
    public = catalog.listen.public_url
    if public is not None and not catalog.endpoints[0].name:
        return [public]
    host, port = address
    shown = f"[{host}]" if ":" in host else host
    scheme = "https" if catalog.listen.tls is not None else "http"
    start = f"{scheme}://{shown}:{port}"
    if public is not None:
        start = public.rstrip("/").removesuffix(first.rstrip("/"))
    return [start + path for path in paths]


def _listening(
    catalog: Catalog, address: tuple[str, int], urls: Sequence[str]
) -> dict[str, object]:
    named = [endpoint.name for endpoint in catalog.endpoints if endpoint.name]
    endpoints = dict(zip(named, urls, strict=True)) if named else {}
    return {
        "name": catalog.identity.name,
        "version": catalog.identity.version,
        "url": urls[0],
        "endpoints": endpoints,
        "host": address[0],
        "port": address[1],
        "tools": len(catalog.tools),
        "workers": catalog.listen.workers,
        "pid": os.getpid(),
    }
