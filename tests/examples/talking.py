"""The official SDK's client, driven from plain functions."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.types import (
    BlobResourceContents,
    CallToolResult,
    PromptMessage,
    PromptReference,
    ResourceTemplateReference,
    TextContent,
    TextResourceContents,
    Tool,
)

from tests.run.processes import COMMAND

MODERN: Final = "2026-07-28"
LEGACY: Final = "legacy"
ROOT: Final = Path(__file__).parents[2]

Row = dict[str, object]


class Talk:
    """A connected client; `era` is what it was told to speak."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self._portal = portal
        self._client = client

    def tools(self) -> dict[str, Tool]:
        """Every tool listed, by name."""
        listed = self._portal.call(self._client.list_tools).tools
        return {tool.name: tool for tool in listed}

    def ask(self, tool: str, **arguments: object) -> CallToolResult:
        """The result as it came."""
        result: CallToolResult = self._portal.call(self._client.call_tool, tool, arguments)
        return result

    def give(self, tool: str, **arguments: object) -> Row:
        """The structured content of a call that must succeed, an object."""
        result = self.ask(tool, **arguments)
        assert not result.is_error, texts(result)
        assert isinstance(result.structured_content, dict)
        return result.structured_content

    def rows(self, tool: str, **arguments: object) -> list[Row]:
        """The rows of a call that must succeed."""
        rows = self.give(tool, **arguments)["rows"]
        assert isinstance(rows, list)
        return rows

    def read(self, uri: str) -> list[TextResourceContents | BlobResourceContents]:
        """What a resource holds."""
        return self._portal.call(self._client.read_resource, uri).contents

    def prompt(self, name: str, **arguments: str) -> list[PromptMessage]:
        """The messages of a prompt."""
        return self._portal.call(self._client.get_prompt, name, arguments).messages

    def suggested(
        self, ref: PromptReference | ResourceTemplateReference, name: str, value: str
    ) -> list[str]:
        """What is suggested for an argument of which `value` was typed."""
        argument = {"name": name, "value": value}
        return self._portal.call(self._client.complete, ref, argument).completion.values

    def refusal(self, tool: str, **arguments: object) -> str:
        """The text of a call that must end as a tool error."""
        result = self.ask(tool, **arguments)
        assert result.is_error, result.structured_content
        return "\n".join(texts(result))


def texts(result: CallToolResult) -> list[str]:
    """The text of each block."""
    return [block.text for block in result.content if isinstance(block, TextContent)]


@contextmanager
def talking(target: str | StdioServerParameters, mode: str) -> Iterator[Talk]:
    """A client of `target`, an address or a command, that speaks `mode`."""
    client = Client(target, mode=mode, read_timeout_seconds=30)
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(client) as connected,
    ):
        yield Talk(portal, connected)


def over_stdio(file: Path, **environment: str) -> StdioServerParameters:
    """The command that serves `file` over standard input and output."""
    return StdioServerParameters(
        command=COMMAND,
        args=["serve", "--stdio", "-f", str(file)],
        env={**os.environ, **environment},
    )
