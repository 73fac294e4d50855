"""URIs of resources: exact ones, and templates whose variables are read out of a URI.

The two forms of RFC 6570 that can be read back without doubt: `{name}` is one segment, `{+name}` a
path. A URI is matched as it was sent; what a variable holds is percent-decoded once, after that.
"""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote_to_bytes

_EXPRESSION: Final = re.compile(r"\{([^{}]*)\}")
_VARIABLE: Final = re.compile(r"(\+?)([A-Za-z_][A-Za-z0-9_]*)")
# What may stand in a URI (RFC 3986): another text is none, and could not be given back as one.
_SEGMENT: Final = r"([A-Za-z0-9\-._~%:]+)"
_PATH: Final = r"([A-Za-z0-9\-._~%:/@!$&'()*+,;=]+)"
_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class UriTemplate:
    """A template as listed, and how a URI is read by it."""

    text: str
    variables: tuple[str, ...]
    pattern: re.Pattern[str]

    def read(self, uri: str) -> dict[str, str] | None:
        """The variables that `uri` holds, decoded; None: it is no URI of this template."""
        found = self.pattern.fullmatch(uri)
        if found is None or _PERCENT.search(uri):
            return None
        try:
            values = [unquote_to_bytes(value).decode() for value in found.groups()]
        except UnicodeDecodeError:
            return None
        return dict(zip(self.variables, values, strict=True))


class UriTemplateError(ValueError):
    """The text is no template that can be read back; the message says why."""


def uri_template(text: str) -> UriTemplate:
    """The template that `text` writes.

    Raises:
        UriTemplateError: an expression is of another form, or two of them could not be told apart.
    """
    parts: list[str] = []
    variables: list[str] = []
    paths = 0
    at = 0
    for found in _EXPRESSION.finditer(text):
        literal = text[at : found.start()]
        variable = _VARIABLE.fullmatch(found[1])
        if variable is None:
            raise UriTemplateError(f"expected {{name}} or {{+name}}, found {found[0]}")
        if variables and not literal:
            raise UriTemplateError(f"nothing stands between {{{variables[-1]}}} and {found[0]}")
        if variable[2] in variables:
            raise UriTemplateError(f"{found[0]} stands there twice")
        paths += bool(variable[1])
        if paths > 1:
            raise UriTemplateError("a template has one {+name} at most")
        variables.append(variable[2])
        parts += (re.escape(literal), _PATH if variable[1] else _SEGMENT)
        at = found.end()
    rest = text[at:]
    if "{" in rest or "}" in rest:
        raise UriTemplateError("a brace is left open")
    return UriTemplate(text, tuple(variables), re.compile("".join(parts) + re.escape(rest)))
