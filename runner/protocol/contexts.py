"""What a request brings to whatever is run for it: its time, its caller, where its reports go."""

from runner.catalog.asking import Ask
from runner.catalog.call import CallContext, Log, Report, RequestFacts, drop_log, drop_progress
from runner.protocol.backend import Backend
from runner.protocol.reports import Reports
from runner.protocol.request import Request


def open_context(
    request: Request, name: str, backend: Backend, ask: Ask
) -> tuple[CallContext, Reports | None]:
    """The context of a call of `name`, and its reports, which are closed before the answer."""
    meta, emit = request.meta, request.exchange.emit
    facts = RequestFacts(
        request.id,
        tool=name,
        version=request.edition.version,
        client=meta.client,
        capabilities=meta.capabilities,
        trace=meta.trace,
    )
    if emit is None or (meta.progress_token is None and meta.log_level is None):
        return CallContext(backend.clock(), request.exchange.caller, facts, ask=ask), None
    reports = Reports(emit, backend.monotonic)
    report: Report = drop_progress
    log: Log = drop_log
    if meta.progress_token is not None:
        has_messages = request.edition.features.progress_messages
        report = reports.progress(meta.progress_token, has_messages=has_messages)
    if meta.log_level is not None:
        log = reports.log(meta.log_level)
    caller = request.exchange.caller
    return CallContext(backend.clock(), caller, facts, report, log, ask), reports
