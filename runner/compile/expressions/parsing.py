"""From the text of an expression or template to Jinja's nodes, each with its exact place.

Jinja's parser knows lines only. Its tokens are given the offset in the text as their line number,
so that `node.lineno - 1` is an offset, and every fault has a column. Jinja's words are translated.
"""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from jinja2 import nodes
from jinja2.exceptions import TemplateSyntaxError
from jinja2.lexer import TOKEN_EOF, Token, TokenStream
from jinja2.parser import Parser

from runner.compile.expressions.limits import MAX_SOURCE_CHARACTERS
from runner.compile.expressions.sandbox import SANDBOX
from runner.compile.site import Site
from runner.config.nodes import Scalar

_LEXER_PLACE = re.compile(r"unexpected char (?P<char>.+) at (?P<place>\d+)\Z", re.DOTALL)
_DOLLAR = re.compile(r"\$(?P<name>[A-Za-z_][\w.]*)?")
_TOKENS = {
    "end of print statement": "'}}'",
    "end of statement block": "'%}'",
    "begin of statement block": "'{%'",
    "begin of print statement": "'{{'",
    "end of template": "the end",
    "template data / text": "text",
    "name": "a name",
    "string": "a text",
    "integer": "a number",
    "comment": "a comment",
}
_SENTENCE = re.compile(r"[\w ,.!?;:-]+\Z")


def parse_expression(scalar: Scalar, site: Site) -> nodes.Expr | None:
    """The node of one expression, or None after a fault was reported."""
    parser = _parser(scalar, site, state="variable")
    if parser is None:
        return None
    try:
        with quiet():
            node = parser.parse_expression()
    except TemplateSyntaxError as error:
        _report(scalar, site, error.message or "", error.lineno - 1, is_template=False)
        return None
    except RecursionError:
        too_deep(scalar, site)
        return None
    if not parser.stream.eos:
        found = parser.stream.current
        message = f"expected token 'end of template', got {found.value!r}"
        _report(scalar, site, message, found.lineno - 1, is_template=False)
        return None
    return node


def parse_template(scalar: Scalar, site: Site) -> nodes.Template | None:
    """The nodes of one template, or None after a fault was reported."""
    parser = _parser(scalar, site, state=None)
    if parser is None:
        return None
    try:
        with quiet():
            return parser.parse()
    except TemplateSyntaxError as error:
        _report(scalar, site, error.message or "", error.lineno - 1, is_template=True)
    except RecursionError:
        too_deep(scalar, site)
    return None


@contextmanager
def quiet() -> Iterator[None]:
    """Around Jinja's and Python's parsers, which warn of code that no author wrote."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def too_deep(scalar: Scalar, site: Site) -> None:
    """Reports an expression that is nested deeper than it can be compiled."""
    site.error("expression-too-large", "the expression is nested too deep", at=scalar.position)


def _parser(scalar: Scalar, site: Site, *, state: str | None) -> Parser | None:
    source = scalar.text
    if len(source) > MAX_SOURCE_CHARACTERS:
        message = f"expected at most {MAX_SOURCE_CHARACTERS} characters, found {len(source)}"
        site.error("expression-too-large", message, at=scalar.position)
        return None
    try:
        with quiet():
            raw = list(_placed(source, state))
            tokens = list(SANDBOX.lexer.wrap(raw))
    except TemplateSyntaxError as error:
        _report_characters(scalar, site, error, is_template=state is None)
        return None
    except (ValueError, SyntaxError):  # a number of thousands of digits
        site.error("expression-syntax", "a number has too many digits", at=scalar.position)
        return None
    parser = Parser(SANDBOX, "", state=state)
    parser.stream = TokenStream([*tokens, Token(len(source) + 1, TOKEN_EOF, "")], None, None)
    return parser


def _placed(source: str, state: str | None) -> Iterator[tuple[int, str, str]]:
    cursor = 0
    text = source.replace("\r\n", "\n").replace("\r", "\n")
    for _, kind, value in SANDBOX.lexer.tokeniter(source, None, state=state):
        cursor = max(text.find(value, cursor), cursor)
        yield cursor + 1, kind, value
        cursor += len(value)


def _report_characters(
    scalar: Scalar, site: Site, error: TemplateSyntaxError, *, is_template: bool
) -> None:
    message = error.message or ""
    place = _LEXER_PLACE.match(message)
    if place is None:
        offset = sum(len(line) + 1 for line in scalar.text.split("\n")[: error.lineno - 1])
        offset = error.lineno - 1 if "identifier" in message else min(offset, len(scalar.text))
        _report(scalar, site, message, offset, is_template=is_template)
        return
    offset = int(place["place"])
    dollar = _DOLLAR.match(scalar.text, offset)
    if dollar:
        name = dollar["name"] or "name"
        site.error(
            "reference-in-expression",
            f"'{dollar[0]}' is a reference of trees; in an expression a name stands alone",
            hint=f"write {name}",
            at=scalar.at(offset),
        )
        return
    opened = place["char"] in ("'\"'", '"\'"')
    message = "a text is not closed" if opened else f"unexpected {place['char']}"
    _report(scalar, site, message, offset, is_template=is_template)


def _report(scalar: Scalar, site: Site, message: str, offset: int, *, is_template: bool) -> None:
    hint = None
    if not is_template and scalar.text.lstrip().startswith("{{"):
        hint = "an expression is written without {{ }}"
    elif not is_template and _SENTENCE.match(scalar.text):
        hint = f"""a text needs quotes of its own: "'{scalar.text}'\""""
    site.error(
        "template-syntax" if is_template else "expression-syntax",
        _translated(message),
        hint=hint,
        at=scalar.at(max(offset, 0)),
    )


def _named(token: str) -> str:
    return _TOKENS.get(token, f"'{token}'")


def _translated(message: str) -> str:
    """Jinja's message in our words: expected before found."""
    for pattern, words in _MESSAGES:
        found = pattern.match(message)
        if found:
            return words.format(*(_named(group) for group in found.groups()))
    return message if message == "a text is not closed" else "this is no expression"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.DOTALL)


_MESSAGES: tuple[tuple[re.Pattern[str], str], ...] = (
    (_pattern(r"expected token '(.+?)', got '(.+)'\Z"), "expected {0}, found {1}"),
    (_pattern(r"unexpected end of template, expected '(.+)'"), "expected {0}, found the end"),
    (_pattern(r"unexpected '(.+)', expected '(.+)'\Z"), "expected {1}, found {0}"),
    (_pattern(r"Encountered unknown tag '(.+?)'"), "there is no statement {0}"),
    (
        _pattern(r"Unexpected end of template.*innermost block that needs .* is '(.+?)'"),
        "expected the end of {0}, found the end",
    ),
    (_pattern(r"Unexpected end of template"), "a statement is not closed"),
    (_pattern(r"Expected an expression, got '(.+)'\Z"), "expected an expression, found {0}"),
    (_pattern(r"Missing end of (\w+) (?:tag|directive)"), "{0} is not closed"),
    (_pattern(r"unexpected '?end of template'?"), "expected an expression, found the end"),
    (_pattern(r"unexpected ['\"](.+)['\"]\Z"), "unexpected {0}"),
    (_pattern(r"Invalid character in identifier"), "a name holds a character that none may hold"),
    (_pattern(r"can't assign to '(.+)'"), "expected a name to set, found {0}"),
)
