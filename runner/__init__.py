"""mcp-run: one file becomes an MCP server. Here are the names that an author's code imports.

Plain values and types alone: importing `runner` loads no library and starts nothing.
"""

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
from runner.catalog.injected import Context, Database, Http, Pending, Progress
from runner.errors import ToolError

__all__ = [
    "Annotations",
    "AudioContent",
    "Caller",
    "ContentBlock",
    "Context",
    "Database",
    "EmbeddedResource",
    "Http",
    "ImageContent",
    "Pending",
    "Progress",
    "ResourceLink",
    "TextContent",
    "ToolError",
]
