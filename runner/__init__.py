"""mcp-run: one file becomes an MCP server. Here are the names that an author's code imports.

Plain values and types alone: importing `runner` loads no library and starts nothing.
"""

from runner.catalog.asking import Form, Link, Roots, Sample
from runner.catalog.caller import Caller
from runner.catalog.content import (
    Annotations,
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
)
from runner.catalog.injected import Context, Database, Elicited, Http, Pending, Progress
from runner.errors import ClientCannotError, ToolError

__all__ = [
    "Annotations",
    "AudioContent",
    "Caller",
    "ClientCannotError",
    "ContentBlock",
    "Context",
    "Database",
    "Elicited",
    "EmbeddedResource",
    "Form",
    "Http",
    "ImageContent",
    "Link",
    "Pending",
    "Progress",
    "ResourceLink",
    "Roots",
    "Sample",
    "TextContent",
    "ToolError",
]
