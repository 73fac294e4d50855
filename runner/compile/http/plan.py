"""`http` of a tool or step → the plan of one request; no address is looked up.

What can be known before a request is made is a fault here: the method, the body, parameters of the
path, headers that are not the file's to set.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar
from urllib.parse import urlsplit

from runner.catalog.expressions import ABSENT, Scope, TreeTemplate
from runner.catalog.plans import HttpPlan, Paginate, Segment
from runner.catalog.sources import Api
from runner.compile.expressions import Names, compile_template
from runner.compile.expressions.limits import Meter
from runner.compile.expressions.values import json_safe
from runner.compile.http.apis import auth_headers, check_retries, checked_url
from runner.compile.http.headers import check_header_name
from runner.compile.http.paths import compile_path
from runner.compile.select import compile_select
from runner.compile.site import Site
from runner.compile.trees import compile_tree
from runner.config.nodes import Scalar
from runner.config.spec.bindings import METHODS, HttpSpec, PaginateSpec
from runner.config.spec.leaves import Tree
from runner.diagnostics import did_you_mean

READING = frozenset({"GET", "HEAD"})
"""Methods of tools that need not say whether they write."""
MAX_PAGES = 1000
_BODIES = ("body", "form", "text")
_LINK = "link"

Path = tuple[str | Segment, ...]
T = TypeVar("T")
R = TypeVar("R")


def compile_http(
    spec: HttpSpec, site: Site, *, names: Names, apis: Mapping[str, Api], max_bytes: int
) -> HttpPlan | None:
    """The plan of the request; None where something keeps it from being made (reported).

    A tool with a whole `url` has its API in `HttpPlan.own_api`; the catalog keeps it with the
    others.
    """
    method = _method(spec)
    target = _target(spec, site, names, apis)
    path = _path(spec, site, names, method)
    api = None if target is None else target[0]
    trees = _Trees(site, names)
    plan = HttpPlan(
        api="" if api is None else api.name,
        method=method.upper(),
        path=(),
        query=trees.mapping(spec.query, "query"),
        headers=trees.headers(spec.headers, auth_headers(None if api is None else api.auth)),
        body=None if spec.body is None else trees.body(spec.body),
        form=_given(spec.form, lambda form: trees.mapping(form, "form")),
        text=_given(spec.text, lambda text: compile_template(text, site / "text", names)),
        select=_given(spec.select, lambda text: compile_select(text, site / "select")),
        response=spec.response,
        arrays=spec.arrays,
        retries=spec.retries,
        max_bytes=max_bytes,
    )
    paginate = _paginate(spec, site / "paginate", method)
    checks = (_check_body(spec, site, method), _check_response(spec, site))
    is_good = all(checks) and check_retries(spec.retries, site / "retries")
    if not is_good or target is None or path is None:
        return None
    api, prefix, is_own = target
    return replace(plan, path=(*prefix, *path), paginate=paginate, own_api=api if is_own else None)


def _given(value: T | None, compiler: Callable[[T], R | None]) -> R | None:
    """What `compiler` makes of a field, or None where the file does not have it."""
    return None if value is None else compiler(value)


def _method(spec: HttpSpec) -> str:
    """The method given; that it is one alone is a rule of the file itself."""
    return next((method for method in METHODS if getattr(spec, method) is not None), "get")


def _target(
    spec: HttpSpec, site: Site, names: Names, apis: Mapping[str, Api]
) -> tuple[Api, Path, bool] | None:
    """The API, the path before the method's, and whether the API is this tool's own."""
    if spec.url is not None:
        return _whole_url(spec.url, site / "url", names)
    if spec.api is None:
        return None
    api = apis.get(spec.api)
    if api is None and site.may_have("apis", spec.api):
        return None
    if api is None:
        known = dict.fromkeys((*site.entries("apis"), *apis))
        (site / "api").error(
            "unknown-api",
            f"no API is named '{spec.api}'",
            hint=did_you_mean(spec.api, known),
            details=(f"known APIs: {', '.join(known) or 'none'}",),
        )
        return None
    return api, (), False


def _whole_url(scalar: Scalar, site: Site, names: Names) -> tuple[Api, Path, bool] | None:
    """An API at the address's origin, shared by tools of that origin, and the path below it."""
    start = scalar.text.find("/", scalar.text.find("://") + 3)
    start = len(scalar.text) if start < 0 else start
    origin = checked_url(scalar.text[:start], site, allow_private=False)
    path = compile_path(scalar, site, names, start=start)
    if origin is None or path is None:
        return None
    origin = urlsplit(origin)._replace(path="").geturl().lower()
    return Api(name=origin, url=origin), _without_slash(path), True


def _without_slash(path: Path) -> Path:
    match path:
        case (*first, str(last)) if last.endswith("/"):
            return (*first, last.rstrip("/"))
        case _:
            return path


def _path(spec: HttpSpec, site: Site, names: Names, method: str) -> Path | None:
    scalar: Scalar | None = getattr(spec, method)
    return () if scalar is None else compile_path(scalar, site / method, names)


class _Trees:
    """Compiles the trees of one request."""

    def __init__(self, site: Site, names: Names) -> None:
        self._site = site
        self._names = names

    def body(self, tree: Tree) -> TreeTemplate | None:
        """The body's tree, which builds what JSON holds without loss; absent stays absent."""
        compiled = compile_tree(tree, self._site / "body", self._names)
        if compiled is None:
            return None

        def build(scope: Scope) -> object:
            value = compiled.build(scope)
            return value if value is ABSENT else json_safe(value, Meter())

        return TreeTemplate(compiled.names, build)

    def mapping(self, trees: Mapping[str, Tree], field: str) -> Mapping[str, TreeTemplate]:
        found = {
            name: compile_tree(tree, self._site / field / name, self._names)
            for name, tree in trees.items()
        }
        return {name: tree for name, tree in found.items() if tree is not None}

    def headers(
        self, trees: Mapping[str, Tree], taken: frozenset[str]
    ) -> Mapping[str, TreeTemplate]:
        for name in trees:
            check_header_name(name, self._site / "headers" / name, taken=taken)
        return self.mapping(trees, "headers")


def _check_body(spec: HttpSpec, site: Site, method: str) -> bool:
    given = [field for field in _BODIES if getattr(spec, field) is not None]
    if given and method.upper() in READING:
        (site / given[0]).error_at_key(
            "body-not-sent",
            f"'{given[0]}' is not sent with {method.upper()}",
            hint="put the values under 'query:', or use post",
        )
        return False
    return True


def _check_response(spec: HttpSpec, site: Site) -> bool:
    if spec.response in ("text", "bytes"):
        for field in ("select", "paginate"):
            if getattr(spec, field) is not None:
                (site / field).error_at_key(
                    "needs-json", f"'{field}' reads JSON, but 'response' is {spec.response}"
                )
                return False
    return True


def _paginate(spec: HttpSpec, site: Site, method: str) -> Paginate | None:
    how = spec.paginate
    if how is None:
        return None
    if method != "get":
        site.error_at_key("paginate-get", f"pages are fetched with get, not with {method}")
    if not 1 <= how.max_pages <= MAX_PAGES:
        (site / "max_pages").error(
            "out-of-range", f"expected 1 to {MAX_PAGES}, found {how.max_pages}"
        )
    _check_counted(spec, how, site)
    is_link = how.next == _LINK
    found = None
    if how.next is not None and not is_link:
        where = site / "next"
        position = where.document.position(where.path)
        found = compile_select(Scalar(how.next, position), where)
    if is_link and how.cursor is not None:
        (site / "cursor").error_at_key(
            "misplaced-field", "'cursor' needs a 'next' that finds a cursor, not the Link header"
        )
    return Paginate(
        by_link=is_link,
        next=found,
        cursor=how.cursor,
        page=how.page,
        items=_given(how.items, lambda text: compile_select(text, site / "items")),
        max_pages=how.max_pages,
    )


def _check_counted(spec: HttpSpec, how: PaginateSpec, site: Site) -> None:
    if how.cursor is not None and how.cursor in spec.query:
        (site / "cursor").error(
            "name-taken", f"'{how.cursor}' is set under 'query:' too; the runner sets it"
        )
