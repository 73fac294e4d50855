"""The APIs of a catalog, open: one client each, and what tools and functions get of it."""

import contextlib
from collections.abc import AsyncIterator, Mapping

from runner.bindings.http.binding import HttpBinding
from runner.bindings.http.client import ApiClient, open_api
from runner.bindings.python.services import Access, HttpRequest
from runner.catalog.call import Binding, Call
from runner.catalog.expressions import Scope, TreeTemplate
from runner.catalog.plans import HttpPlan
from runner.catalog.sources import Api

_NO_SCOPE: Scope = {}


class OpenApi:
    """An API with its client; a `runner.bindings.python.services.HttpSource` too."""

    def __init__(self, client: ApiClient, *, max_bytes: int) -> None:
        self._client = client
        self._max_bytes = max_bytes

    def binding(self, plan: HttpPlan) -> Binding:
        """The live runner of a plan of this API."""
        return HttpBinding(plan, self._client)

    async def request(self, request: HttpRequest, access: Access) -> object:
        """The decoded body of the answer to a function's request; null where it has none."""
        plan = HttpPlan(
            api=self._client.api.name,
            method=request.method,
            path=(request.path,),
            query={name: _constant(value) for name, value in request.query.items()},
            headers={name: _constant(value) for name, value in request.headers.items()},
            body=None if request.body is None else _constant(request.body),
            max_bytes=self._max_bytes,
        )
        call = Call(access.tool, {}, access.context, _NO_SCOPE, access.timeout_s)
        return (await HttpBinding(plan, self._client).invoke(call)).value


@contextlib.asynccontextmanager
async def open_apis(
    apis: Mapping[str, Api], *, max_bytes: int
) -> AsyncIterator[Mapping[str, OpenApi]]:
    """The APIs by name, open until the context ends; nothing is dialled before it is needed.

    `max_bytes` bounds the answers that functions get.
    """
    async with contextlib.AsyncExitStack() as stack:
        yield {
            name: OpenApi(await stack.enter_async_context(open_api(api)), max_bytes=max_bytes)
            for name, api in apis.items()
        }


def _constant(value: object) -> TreeTemplate:
    return TreeTemplate(frozenset(), lambda _scope: value)
