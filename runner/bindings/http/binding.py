"""The live runner of an HTTP plan: a request, its answer or its pages, the part that counts.

Cancelling the call cancels the request upstream. The caller's token is not known here, so that it
cannot be forwarded.
"""

from datetime import datetime
from typing import ClassVar

from runner.bindings.http.answer import is_empty, outcome_of, refuse_failure
from runner.bindings.http.client import ApiClient, retry_after_s
from runner.bindings.http.pages import fetch_pages
from runner.bindings.http.request import constant_headers, request_of
from runner.bindings.http.wire import Answer, Request
from runner.catalog.call import Call, Outcome
from runner.catalog.plans import HttpPlan, Paginate


class HttpBinding:
    """Runs one plan with the client of its API."""

    keeps_time: ClassVar[bool] = False

    def __init__(self, plan: HttpPlan, client: ApiClient) -> None:
        self._plan = plan
        self._client = client
        self._headers = constant_headers(plan, client.api)

    async def invoke(self, call: Call) -> Outcome:
        """The selected part of the API's answer; null where the answer has no body.

        Raises:
            BindingError: a value does not fit its place, or the API failed.
            ExpressionError: a template cannot be evaluated.
        """
        plan = self._plan
        request = request_of(plan, call, base=self._client.base, headers=self._headers)
        if plan.paginate is not None:
            return await self._all_pages(request, plan.paginate, call)
        answer = await self._fetch(request, plan.max_bytes, call.context.now)
        if is_empty(answer, plan.method):
            return Outcome(value=None)
        # What is selected from or has to be JSON is read as JSON, whatever type it claims.
        form = plan.response or ("json" if plan.select is not None else None)
        outcome = outcome_of(answer, form, tool=call.tool)
        if plan.select is not None and outcome.is_structured:
            outcome.value = plan.select(outcome.value)
        return outcome

    async def _all_pages(self, first: Request, how: Paginate, call: Call) -> Outcome:
        async def fetch(request: Request, max_bytes: int) -> Answer:
            return await self._fetch(request, max_bytes, call.context.now)

        pages = await fetch_pages(
            first, how, client=self._client, fetch=fetch, max_bytes=self._plan.max_bytes
        )
        select = self._plan.select
        value = pages.items if select is None else select(pages.items)
        return Outcome(value=value, note=pages.note)

    async def _fetch(self, request: Request, max_bytes: int, now: datetime) -> Answer:
        answer = await self._client.exchange(
            request, retries=self._plan.retries, max_bytes=max_bytes, now=now
        )
        refuse_failure(answer, retry_after_s(answer, now))
        return answer
