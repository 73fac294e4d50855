"""What the file may describe but this version does not have: one table, refused at the key.

Knows names of fields alone. A feature becomes available when its line is deleted here.
"""

from collections.abc import Iterator
from dataclasses import replace

from runner.codec.paths import Path
from runner.config.nodes import Mapping_
from runner.config.places import name_of, places
from runner.diagnostics import Diagnostic

NOT_AVAILABLE = (
    "skills",
    "apps",
    "rates",
    "rate_store",
    "audit",
    "telemetry",
    "context",
    "auth.issuers",
    "auth.resource",
    "auth.metadata_path",
    "auth.metadata_url",
    "auth.tokens",
    "auth.clients",
    "databases.*.session",
    "defaults.access",
    "defaults.rates",
    "defaults.cache",
    "defaults.result.columns.*.access",
    "defaults.result.columns.*.mask",
    "endpoints.*.skills",
    "endpoints.*.access",
    "tools.*.rates",
    "tools.*.cache",
    "tools.*.access",
    "tools.*.ui",
    "tools.*.input.*.complete",
    "prompts.*.access",
    "resources.*.access",
    "resources.*.result.columns.*.access",
    "resources.*.result.columns.*.mask",
    "resources.*.result.page",
    "tools.*.result.columns.*.access",
    "tools.*.result.columns.*.mask",
)
"""Patterns of fields, as `runner.config.places` reads them."""
NEVER = {
    "tools.*.input.*.complete": "the protocol completes arguments of prompts and variables of "
    "resources, and has no method for those of tools",
}
"""Fields of the table that no version will have, and why."""


def unavailable(root: Mapping_) -> Iterator[tuple[Path, Diagnostic]]:
    """The path and the fault of each field of the table that the file uses."""
    for pattern in NOT_AVAILABLE:
        for found in places(root, pattern):
            name, why = name_of(found.path), NEVER.get(pattern)
            message = f"'{name}' is not available in this version"
            fault = Diagnostic(found.position, "not-available", message, (), "remove it for now")
            if why is not None:
                fault = replace(
                    fault, message=f"'{name}' means nothing", details=(why,), hint="remove it"
                )
            yield found.path, fault


def is_available(path: Path) -> bool:
    """The table has no line for the field at `path`."""
    return not any(_matches(pattern.split("."), path) for pattern in NOT_AVAILABLE)


def _matches(pattern: list[str], path: Path) -> bool:
    return len(pattern) == len(path) and all(
        step in ("*", part) for step, part in zip(pattern, path, strict=True)
    )
