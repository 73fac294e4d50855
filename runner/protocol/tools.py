"""`tools/list` and `tools/call`, the same for both eras.

Source: MCP 2026-07-28, server/tools.
"""

from collections.abc import Mapping
from functools import partial

from runner.catalog.asking import Ask
from runner.catalog.tool import Tool
from runner.protocol.backend import Backend
from runner.protocol.contexts import open_context
from runner.protocol.edition import TOOLS
from runner.protocol.errors import Code, ProtocolError, shown
from runner.protocol.headers import check_parameters
from runner.protocol.jsonrpc import Body
from runner.protocol.request import Handler, Request, answer_list, invalid_params
from runner.protocol.rounds import in_rounds
from runner.protocol.tasks import TaskMethods, declares_tasks, require_tasks


class Tools:
    """The tools of one endpoint."""

    def __init__(
        self, tools: Mapping[str, Tool], backend: Backend, tasks: TaskMethods | None = None
    ) -> None:
        self._tools = tools
        self._backend = backend
        self._tasks = tasks

    def methods(self) -> Mapping[str, Handler]:
        """What answers, by method."""
        return {TOOLS: answer_list, "tools/call": self.call}

    async def call(self, request: Request) -> Body:
        """The result of one call."""
        tool, arguments = self._read(request.params)
        headers = request.exchange.headers
        if tool.input.headers and headers is not None and request.edition.features.is_modern:
            check_parameters(headers, tool.input.headers, arguments)
        if tool.task is not None and self._goes_on(request, tool):
            assert self._tasks is not None  # `_goes_on` looked
            return await self._tasks.begin(request, tool, arguments)
        return await in_rounds(request, self._backend, partial(self._run, request, tool, arguments))

    def _goes_on(self, request: Request, tool: Tool) -> bool:
        """The call becomes a task.

        Raises:
            ProtocolError: it must, and the client cannot follow one.
        """
        if self._tasks is not None and request.edition.features.is_modern:
            if tool.task == "always":
                require_tasks(request, shown(tool.name))
            return declares_tasks(request)
        if tool.task == "always":
            message = f"{shown(tool.name)} runs as a task, which this client cannot follow"
            raise ProtocolError(Code.INTERNAL_ERROR, message)
        return False

    async def _run(
        self, request: Request, tool: Tool, arguments: Mapping[str, object], ask: Ask
    ) -> Body:
        context, reports = open_context(request, tool.name, self._backend, ask)
        try:
            result = await self._backend.call_tool(tool, arguments, context)
        finally:
            if reports is not None:
                reports.close()
        return request.edition.call_result(tool.name, result)

    def _read(self, params: Mapping[str, object]) -> tuple[Tool, Mapping[str, object]]:
        name = params.get("name")
        if not isinstance(name, str):
            raise invalid_params("params.name is a string: the name of a tool")
        arguments = params.get("arguments")
        if arguments is None:
            arguments = {}
        elif not isinstance(arguments, dict):
            raise invalid_params("params.arguments is an object")
        tool = self._tools.get(name)
        if tool is None:
            raise invalid_params(f"No tool is named {shown(name)}")
        return tool, arguments
