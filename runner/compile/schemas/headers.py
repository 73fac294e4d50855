"""The rules of `x-mcp-header`: which parameters clients repeat as HTTP headers.

A client drops a tool whose annotation is wrong, so that a wrong one is a fault of the file.
Source: MCP 2026-07-28, basic/transports, "Custom headers from tool parameters".
"""

import re
from collections.abc import Callable

from runner.arguments.phrases import found
from runner.catalog.schema import HeaderParameter
from runner.codec.paths import Path
from runner.compile.schemas.subschemas import Place, Schema, walk
from runner.compile.site import Site

KEYWORD = "x-mcp-header"
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+\Z")
_TYPES = ("string", "integer", "boolean")
_SECRET = re.compile(r"passw|secret|token|api.?key|credential|e.?mail|phone", re.IGNORECASE)


def compile_headers(
    schema: Schema, locate: Callable[[Path], Site]
) -> tuple[HeaderParameter, ...] | None:
    """The annotated parameters in order; None where an annotation breaks a rule.

    `locate` gives the place in the file of the annotation of the schema at a path.
    """
    headers: dict[str, HeaderParameter] = {}
    is_sound = True
    for place in walk(schema):
        if KEYWORD not in place.schema:
            continue
        name, site = place.schema[KEYWORD], locate(place.path)
        fault = _fault(name, place)
        if fault is None and str(name).lower() in headers:
            fault = f"expected another name for each header, found '{name}' twice"
        if fault is not None:
            site.error("wrong-header", fault)
            is_sound = False
            continue
        path = tuple(str(step) for step in place.path[1::2])
        if _SECRET.search(path[-1]):
            site.warning(
                "secret-header",
                f"the parameter '{path[-1]}' is repeated in a header, which proxies and logs see",
            )
        headers[str(name).lower()] = HeaderParameter(str(name), path, str(place.schema["type"]))
    return tuple(headers.values()) if is_sound else None


def _fault(name: object, place: Place) -> str | None:
    if not isinstance(name, str) or not _TOKEN.match(name):
        return f"expected a header name of letters, digits and '-', found {found(name)}"
    if not place.path or not place.by_properties:
        return "expected a parameter that is reached through objects alone"
    if place.schema.get("type") not in _TYPES:
        return "expected a parameter of type string, integer or boolean that admits no null"
    return None
