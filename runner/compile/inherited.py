"""`defaults` merged, key by key, into a tool that does not say otherwise."""

from collections.abc import Mapping
from typing import Protocol

from runner.config.nodes import Scalar
from runner.config.spec.root import DefaultsSection
from runner.config.spec.tools import ResultSpec, ToolSpec


def with_defaults(tool: ToolSpec, defaults: DefaultsSection) -> ToolSpec:
    """The tool with what `defaults` says where the tool says nothing."""
    said = tool.model_fields_set
    update: dict[str, object] = {"bind": merged_binds(tool, defaults)}
    if "timeout" not in said and defaults.timeout is not None:
        update["timeout"] = defaults.timeout
    if "database" not in said and tool.sql is not None and defaults.database is not None:
        update["database"] = defaults.database
    if defaults.tags and "tags" not in said:
        update["tags"] = defaults.tags
    if defaults.result is not None:
        update["result"] = _merged_result(tool.result, defaults.result)
    return tool.model_copy(update=update)


class WithBinds(Protocol):
    """A tool, a resource or a prompt: something that has hidden parameters."""

    @property
    def bind(self) -> Mapping[str, Scalar] | None:
        """The hidden parameters as written."""


def is_dropped(name: str, tool: WithBinds, defaults: DefaultsSection) -> bool:
    """It says `bind: {name: null}`: it means to do without that default."""
    own = (tool.bind or {}).get(name)
    return own is not None and own.value is None and name in (defaults.bind or {})


def merged_binds(tool: WithBinds, defaults: DefaultsSection) -> Mapping[str, Scalar] | None:
    """The hidden parameters, those of `defaults` first; None where there are none."""
    merged = {**(defaults.bind or {}), **(tool.bind or {})}
    kept = {name: value for name, value in merged.items() if not is_dropped(name, tool, defaults)}
    return kept or None


def _merged_result(own: ResultSpec | None, default: ResultSpec) -> ResultSpec:
    if own is None:
        return default
    update = {name: getattr(own, name) for name in own.model_fields_set}
    return default.model_copy(update=update)
