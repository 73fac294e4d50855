"""What the commands share: a file read and proven, or all its faults told; tools and callers by
name."""

import os
from pathlib import Path

import click

from runner.app import Checked, catalog_of, check
from runner.auth.identity import stdio_caller
from runner.catalog.caller import Caller
from runner.catalog.catalog import Catalog, Endpoint
from runner.catalog.tool import Tool
from runner.cli.console import Output
from runner.cli.reports import count_line, render_text, shown_from_here
from runner.codec.json import JsonFault, decode
from runner.diagnostics import did_you_mean
from runner.errors import ConfigurationError
from runner.transport.descriptors import stray_output_aside


def read_catalog(path: Path, output: Output, *, connects: bool) -> Catalog | None:
    """The catalog of the file; None after every fault was told. Warnings are told if verbose."""
    checked = read_checked(path, output, connects=connects, makes=False)
    return None if checked is None else catalog_of(checked)


def read_checked(path: Path, output: Output, *, connects: bool, makes: bool) -> Checked | None:
    """The file as it was proven; None after every fault was told, as for `read_catalog`.

    `makes` as for `check`.
    """
    with stray_output_aside():
        checked = check(path, os.environ, connects=connects, makes=makes)
    try:
        catalog_of(checked)
    except ConfigurationError as error:
        output.fail(render_text(shown_from_here(error.diagnostics, path)))
        output.fail(f"{path}: {count_line(error.diagnostics)}")
        return None
    if checked.diagnostics and output.verbose:
        output.say(render_text(shown_from_here(checked.diagnostics, path)))
    return checked


def tool_named(catalog: Catalog, name: str) -> Tool:
    """The tool of that name.

    Raises:
        click.BadParameter: there is none.
    """
    if name not in catalog.tools:
        hint = _other_kind(catalog, name) or did_you_mean(name, catalog.tools)
        raise click.BadParameter(f"no tool is named '{name}'" + (f"; {hint}" if hint else ""))
    return catalog.tools[name]


def _other_kind(catalog: Catalog, name: str) -> str | None:
    """What the file has of that name instead."""
    kinds = {"a resource": catalog.resources, "a prompt": catalog.prompts}
    found = next((kind for kind, named in kinds.items() if name in named), None)
    return None if found is None else f"it is {found}, which clients ask for"


def endpoint_named(catalog: Catalog, name: str) -> Endpoint:
    """The endpoint of that name.

    Raises:
        click.BadParameter: there is none.
    """
    named = {endpoint.name: endpoint for endpoint in catalog.endpoints if endpoint.name}
    if name in named:
        return named[name]
    if not named:
        raise click.BadParameter("the file has no endpoints", param_hint="--endpoint")
    hint = did_you_mean(name, named)
    raise click.BadParameter(
        f"no endpoint is named '{name}'; known endpoints: {', '.join(named)}"
        + (f"; {hint}" if hint else ""),
        param_hint="--endpoint",
    )


def caller_named(catalog: Catalog, name: str | None) -> Caller:
    """The caller of `--as`: a name of `callers`, or a JSON file of claims; without it, stdio's.

    Raises:
        click.BadParameter: there is none.
    """
    if name is None:
        return stdio_caller(catalog.identities)
    if name in catalog.identities.callers:
        return catalog.identities.callers[name]
    if name.endswith(".json"):
        return _caller_of_claims(Path(name))
    known = ", ".join(catalog.identities.callers) or "none"
    hint = did_you_mean(name, catalog.identities.callers)
    raise click.BadParameter(
        f"no caller is named '{name}'; known callers: {known}" + (f"; {hint}" if hint else "")
    )


def _caller_of_claims(path: Path) -> Caller:
    try:
        claims = decode(path.read_bytes())
    except FileNotFoundError as error:
        raise click.BadParameter(f"there is no file '{path}' of claims") from error
    except (OSError, JsonFault) as error:
        raise click.BadParameter(f"'{path}' is no readable JSON file of claims") from error
    if not isinstance(claims, dict) or not isinstance(claims.get("sub"), str):
        raise click.BadParameter(f"'{path}' has no claim 'sub'")
    scope = claims.get("scope")
    return Caller(
        user_id=claims["sub"],
        email=claims.get("email") if isinstance(claims.get("email"), str) else None,
        client_id=claims.get("client_id") if isinstance(claims.get("client_id"), str) else None,
        scopes=frozenset(scope.split()) if isinstance(scope, str) else frozenset(),
        issuer=claims.get("iss") if isinstance(claims.get("iss"), str) else None,
        claims=claims,
        authenticated=True,
    )
