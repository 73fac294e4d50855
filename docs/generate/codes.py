"""The codes of diagnostics as Markdown, each with an anchor of its own name."""

from collections.abc import Iterator

from runner.codes import SECTIONS


def codes_as_markdown() -> str:
    """A heading a group, and below it each code: what it means, how to mend it."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    for group, codes in SECTIONS.items():
        yield from (f"## {group}", "")
        for code, text in codes.items():
            meaning, separator, mending = text.partition(". ")
            yield from (f"### {code}", "", meaning + separator.strip())
            yield from (sentence for sentence in _sentences(mending))
            yield ""


def _sentences(text: str) -> Iterator[str]:
    """One sentence a line, as in every page."""
    while text:
        sentence, separator, text = text.partition(". ")
        yield sentence + separator.strip()
