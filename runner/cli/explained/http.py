"""An HTTP plan explained: the request as it would be sent, credentials masked."""

from collections.abc import Mapping

from runner.bindings.http.client import IDEMPOTENT
from runner.bindings.http.request import constant_headers, request_of
from runner.bindings.http.urls import Base
from runner.catalog.plans import HttpPlan, Paginate
from runner.catalog.sources import Api
from runner.cli.explained.shown import MASK, Exact, Shown, Situation, seconds
from runner.codec.json import JsonFault, decode


def explain_http(plan: HttpPlan, situation: Situation) -> Shown:
    """The request; what an earlier step gives makes it unknown before it runs.

    Raises:
        CallError: a value does not fit its place.
    """
    api = situation.catalog.apis[plan.api]
    shown: Shown = {"api": plan.api, "method": plan.method}
    if situation.later:
        shown |= {"url": api.url, "depends on": sorted(situation.later)}
    else:
        shown |= _request(plan, api, situation)
    if plan.paginate is not None:
        shown["pages"] = _pages(plan.paginate)
    retries = api.retries if plan.retries is None else plan.retries
    shown["budgets"] = {
        "connect": seconds(api.connect_timeout_s),
        "read": seconds(api.read_timeout_s),
        "total": seconds(api.total_timeout_s),
        "retries": retries if plan.method in IDEMPOTENT else 0,
        "bytes": plan.max_bytes,
    }
    return shown


def _request(plan: HttpPlan, api: Api, situation: Situation) -> Shown:
    secret = {name.lower() for name in api.headers}
    headers = {
        name: MASK if name in secret else value
        for name, value in constant_headers(plan, api).items()
    }
    request = request_of(plan, situation.call, base=Base.of(api.url), headers=headers)
    shown: Shown = {
        "url": request.target,
        "headers": {**request.headers, **_credentials(api)},
    }
    if request.content is not None:
        shown["body"] = _body(request.content)
    return shown


def _credentials(api: Api) -> Mapping[str, str]:
    """The headers of `auth`, their values masked."""
    auth = api.auth
    if auth is None:
        return {}
    if auth.header is not None:
        return {auth.header[0].lower(): MASK}
    if auth.basic is not None:
        return {"authorization": f"Basic {MASK}"}
    if auth.client_credentials is not None:
        return {"authorization": f"Bearer {MASK} (from {auth.client_credentials.token_url})"}
    if auth.forwards_caller:
        return {"authorization": f"Bearer {MASK} (the caller's)"}
    return {"authorization": f"Bearer {MASK}"}


def _body(content: bytes) -> Exact:
    try:
        return Exact(decode(content))
    except JsonFault:
        return Exact(content.decode(errors="replace"))


def _pages(paginate: Paginate) -> str:
    if paginate.by_link:
        how = "the next link"
    elif paginate.page is not None:
        how = f"'{paginate.page}' counted up"
    else:
        how = f"'{paginate.cursor}'" if paginate.cursor is not None else "the next address"
    return f"at most {paginate.max_pages}, by {how}"
