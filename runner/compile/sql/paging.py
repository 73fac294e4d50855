"""`result.page`: that the size is the LIMIT, and ORDER BY and the cursor agree with the key."""

from collections.abc import Mapping, Sequence

from runner.catalog.schema import Parameter
from runner.catalog.sql import Bound, Page
from runner.compile.site import Site
from runner.compile.sql.parts import flat
from runner.compile.sql.statement import Compiled
from runner.compile.sql.tail import is_descending, order_columns
from runner.config.spec.tools import ResultSpec
from runner.diagnostics import did_you_mean

CURSOR = Parameter("cursor", "string", required=False)
"""What a paged tool takes besides its own parameters: where the last page ended, sealed."""


def page_parameters(result: ResultSpec | None) -> Mapping[str, Parameter]:
    """The parameters that paging adds to the input, by name: `cursor`, or none."""
    return {CURSOR.name: CURSOR} if result is not None and result.page is not None else {}


def compile_page(
    result: ResultSpec | None,
    compiled: Compiled | None,
    *,
    parameters: Mapping[str, Parameter],
    site: Site,
) -> Page | None:
    """The paging of the statement that gives the result; `site` is the tool's `result.page`."""
    if result is None or result.page is None:
        return None
    page = Page(result.page.size, tuple(result.page.key))
    if (result.shape or "rows") != "rows":
        site.error("page-shape", f"only 'rows' has pages, found shape '{result.shape}'")
    if "offset" in parameters and not page.key:
        site.error("name-taken", "'offset' is the page's own, but a parameter has that name")
    is_known = _check_size(page, parameters, site)
    if compiled is not None:
        if is_known:
            _check_limit(page, compiled, site)
        _check_key(page, compiled, site)
    return page


def _check_limit(page: Page, compiled: Compiled, site: Site) -> None:
    limit = compiled.statement.limit
    if not isinstance(limit, Bound) or limit.path != (page.size,):
        site.error(
            "page-size",
            f"expected the statement to end in 'LIMIT :{page.size}', found no such limit",
            hint="the page's size is the parameter that limits the rows",
        )


def _check_size(page: Page, parameters: Mapping[str, Parameter], site: Site) -> bool:
    if page.size not in parameters:
        (site / "size").error(
            "unknown-parameter",
            f"'{page.size}' is no parameter of this tool",
            hint=did_you_mean(page.size, parameters),
        )
    return page.size in parameters


def _check_key(page: Page, compiled: Compiled, site: Site) -> None:
    used = [part.path for part in flat(compiled.statement.parts) if isinstance(part, Bound)]
    if not page.key:
        if ("offset",) not in used:
            site.error(
                "page-offset",
                "expected ':offset' in the statement, since the page has no key",
                hint="write 'LIMIT :size OFFSET :offset', or name the key columns",
            )
        return
    missing = [f":cursor.{name}" for name in page.key if ("cursor", name) not in used]
    if missing:
        site.error(
            "page-cursor",
            f"expected {', '.join(missing)} in the statement, found no use",
            hint=f"write '{_condition(page.key, compiled)}'",
        )
    _check_order(page.key, order_columns(compiled.tokens), site)


def _condition(key: Sequence[str], compiled: Compiled) -> str:
    """What goes on behind the cursor's row, in the direction of the order."""
    sign = "<" if is_descending(compiled.tokens) else ">"
    if len(key) == 1:
        return f"[[ AND {key[0]} {sign} :cursor.{key[0]} ]]"
    cursor = ", ".join(f":cursor.{name}" for name in key)
    return f"[[ AND ({', '.join(key)}) {sign} ({cursor}) ]]"


def _check_order(key: Sequence[str], order: Sequence[str | None], site: Site) -> None:
    if [name.lower() for name in key] == list(order):
        return
    found = ", ".join(name or "an expression" for name in order)
    (site / "key").error(
        "page-order",
        f"expected ORDER BY {', '.join(key)}, found {found or 'no ORDER BY'}",
        hint="the cursor goes on where the order does, so both name the same columns",
    )
