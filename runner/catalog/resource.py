"""A resource as compiled: what is listed, which URIs are its own, what is run to read it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from runner.catalog.completion import Completion
from runner.catalog.tool import Icon, Tool
from runner.catalog.uris import UriTemplate


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource, or with `template` all those whose URIs it reads."""

    name: str
    uri: str
    """The URI, or the template as listed."""
    template: UriTemplate | None
    title: str | None
    description: str | None
    icons: Sequence[Icon]
    tags: Sequence[str]
    mime: str | None
    """The media type of all its contents; None where each has its own."""
    tool: Tool
    """What is run: its arguments are the template's variables. Never listed among the tools."""
    size: int | None = None
    """In bytes, where it is known before it is read."""
    complete: Mapping[str, Completion] = field(default_factory=dict)
    """By variable of the template."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a resource holds: `text`, or raw bytes as `blob`."""

    uri: str
    mime: str | None
    text: str | None = None
    blob: bytes | None = None
    meta: Mapping[str, object] | None = None


class ResourceIndex:
    """Which resource a URI is of."""

    def __init__(self, resources: Iterable[Resource]) -> None:
        listed = list(resources)
        self._exact = {item.uri: item for item in listed if item.template is None}
        self._templates = [(item.template, item) for item in listed if item.template is not None]

    def find(self, uri: str) -> tuple[Resource, Mapping[str, str]] | None:
        """The resource of a URI as it was sent, or of the first template that reads it, with the
        variables that it reads."""
        exact = self._exact.get(uri)
        if exact is not None:
            return exact, {}
        for template, resource in self._templates:
            variables = template.read(uri)
            if variables is not None:
                return resource, variables
        return None
