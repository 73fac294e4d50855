"""A resource as compiled: what is listed, which URIs are its own, what is run to read it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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


def find(resources: Mapping[str, Resource], uri: str) -> tuple[Resource, Mapping[str, str]] | None:
    """The resource of a URI as it was sent, or of the first template that reads it.

    With it the variables that the template finds.
    """
    for resource in resources.values():
        if resource.template is None and resource.uri == uri:
            return resource, {}
    for resource in resources.values():
        variables = None if resource.template is None else resource.template.read(uri)
        if variables is not None:
            return resource, variables
    return None


@dataclass(frozen=True, slots=True)
class Contents:
    """What a resource holds: `text`, or raw bytes as `blob`."""

    uri: str
    mime: str | None
    text: str | None = None
    blob: bytes | None = None
    meta: Mapping[str, object] | None = None
