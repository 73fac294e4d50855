"""A path as written → literal parts, encoded, and the parameters that fill single segments.

A literal cannot climb, query or leave: what a reader of the file would misread is a fault at its
character.
"""

import re
from urllib.parse import quote

from runner.catalog.plans import Segment
from runner.compile.expressions import Names
from runner.compile.site import Site
from runner.config.nodes import Scalar
from runner.diagnostics import did_you_mean

_PIECES = re.compile(r"\{([^{}]*)\}")
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SAFE = "/%:@!$&'()*+,;=~-._"
_UNFIT = re.compile(r"[\x00-\x20\x7f\\?#{}]")
_REASONS = {
    "?": ("a query does not stand in the path", "put it under 'query:'"),
    "#": ("a fragment is never sent", "leave it out, or write %23"),
    "\\": ("a back-slash does not stand in a path", "write /"),
    "{": ("a brace without its partner", "write {name} for one segment, %7B for a brace"),
    "}": ("a brace without its partner", "write {name} for one segment, %7D for a brace"),
}


def compile_path(
    scalar: Scalar, site: Site, names: Names, *, start: int = 0
) -> tuple[str | Segment, ...] | None:
    """The parts of the path that begins at `start` of the text; None where it has faults.

    The parts joined begin with `/` or are empty; no part of the text itself is a query, a dot
    segment or an unknown parameter.
    """
    text = scalar.text[start:]
    parts: list[str | Segment] = []
    is_good = _is_rooted(text, scalar, site, start=start)
    end = 0
    for found in (*_PIECES.finditer(text), None):
        literal = text[end : len(text) if found is None else found.start()]
        is_good &= _is_literal(literal, scalar, site, start=start + end)
        if literal:
            parts.append(quote(_STRAY_PERCENT.sub("%25", literal), safe=_SAFE))
        if found is not None:
            end = found.end()
            is_good &= _is_known(found[1], scalar, site, names=names, start=start + found.start())
            parts.append(Segment(found[1]))
    return tuple(parts) if is_good else None


def _is_rooted(text: str, scalar: Scalar, site: Site, *, start: int) -> bool:
    if text and not text.startswith("/"):
        site.error(
            "bad-path", "expected a path that begins with '/'", hint=f"write /{text.lstrip('./')}"
        )
        return False
    offset = start
    for segment in _PIECES.sub(lambda found: "x" * len(found[0]), text).split("/"):
        if segment.lower().replace("%2e", ".") in (".", ".."):
            site.error(
                "bad-path",
                f"'{segment}' does not stand in a path: every request stays below the API's url",
                at=scalar.at(offset),
            )
            return False
        offset += len(segment) + 1
    return True


def _is_literal(literal: str, scalar: Scalar, site: Site, *, start: int) -> bool:
    unfit = _UNFIT.search(literal)
    if unfit is None:
        return True
    message, hint = _REASONS.get(
        unfit[0], ("a space or a control character does not stand in a path", "write %20")
    )
    site.error("bad-path", message, hint=hint, at=scalar.at(start + unfit.start()))
    return False


def _is_known(name: str, scalar: Scalar, site: Site, *, names: Names, start: int) -> bool:
    if name in names.parameters:
        return True
    close = did_you_mean(name, sorted(names.parameters))
    site.error(
        "unknown-parameter",
        f"'{{{name}}}' is no parameter of this tool",
        hint=close or "declare it under 'input:' or 'bind:'",
        at=scalar.at(start),
    )
    return False
