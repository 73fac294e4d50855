"""`tools/list` and `tools/call`, the same for both eras.

Source: MCP 2026-07-28, server/tools.
"""

import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime

from runner.catalog.call import CallContext, Log, Report, RequestFacts, drop_log, drop_progress
from runner.catalog.result import CallResult
from runner.catalog.tool import Tool
from runner.protocol.errors import shown
from runner.protocol.headers import check_parameters
from runner.protocol.jsonrpc import Body
from runner.protocol.reports import Monotonic, Reports
from runner.protocol.request import Request, invalid_params, refuse_cursor

CallTool = Callable[[Tool, Mapping[str, object], CallContext], Awaitable[CallResult]]
"""Runs a tool. A failed call is a result with `is_error`; an exception is a bug."""
Clock = Callable[[], datetime]
"""The time in UTC."""


class Tools:
    """The tools of one endpoint."""

    def __init__(
        self,
        tools: Mapping[str, Tool],
        call_tool: CallTool,
        clock: Clock,
        monotonic: Monotonic = time.monotonic,
    ) -> None:
        self._tools = tools
        self._call_tool = call_tool
        self._clock = clock
        self._monotonic = monotonic

    async def list(self, request: Request) -> bytes:
        """All tools, in the order of the file."""
        refuse_cursor(request.params)
        return request.edition.tools

    async def call(self, request: Request) -> Body:
        """The result of one call."""
        tool, arguments = self._read(request.params)
        headers = request.exchange.headers
        if tool.input.headers and headers is not None and request.edition.features.is_modern:
            check_parameters(headers, tool.input.headers, arguments)
        context, reports = self._context(request, tool.name)
        try:
            result = await self._call_tool(tool, arguments, context)
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

    def _context(self, request: Request, name: str) -> tuple[CallContext, Reports | None]:
        meta, emit = request.meta, request.exchange.emit
        facts = RequestFacts(
            request.id,
            tool=name,
            version=request.edition.version,
            client=meta.client,
            capabilities=meta.capabilities,
        )
        if emit is None or (meta.progress_token is None and meta.log_level is None):
            return CallContext(self._clock(), request.exchange.caller, facts), None
        reports = Reports(emit, self._monotonic)
        report: Report = drop_progress
        log: Log = drop_log
        if meta.progress_token is not None:
            has_messages = request.edition.features.progress_messages
            report = reports.progress(meta.progress_token, has_messages=has_messages)
        if meta.log_level is not None:
            log = reports.log(meta.log_level)
        return CallContext(self._clock(), request.exchange.caller, facts, report, log), reports
