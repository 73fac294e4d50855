"""Regular expressions in schemas mean the same to every validator, or are refused."""

import re

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.compile.schemas.patterns import PatternError, portable


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?=a)", r"(?<name>a)", r"(?P<n>a)", r"(?i)a", r"\bword", r"\p{L}", r"(a)\1", r"a\Z",
        r"[[:alpha:]]", r"[a&&b]", r"a++", r"a**", r"^*", "{", "a}", "[", "(", ")", "[z-a]", "[]",
        r"\ud83d", "a{5,2}", "a{2000}", r"[\d-z]", r"\e", "\\", "*a", r"[\D]", "[a-[b]]",
    ],
)  # fmt: skip
def test_what_engines_read_differently_is_refused(pattern: str) -> None:
    with pytest.raises(PatternError):
        portable(pattern)


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        (r"^\d+$", "12", True),
        (r"^\d+$", "12\n", False),
        (r"^\d+$", "१२", False),
        (r"^\w$", "é", False),
        (r"^.$", "\u2028", False),
        (r"^\s$", "\ufeff", True),
        (r"^[a-z]{2}(-[A-Z]{2})?$", "de-DE", True),
        (r"^[a-z]{2}(-[A-Z]{2})?$", "DE", False),
        ("b", "abc", True),
    ],
)
def test_a_pattern_has_the_meaning_of_ecma_262(pattern: str, text: str, expected: bool) -> None:
    schema = {"type": "string", "pattern": pattern}
    assert jsonschema_rs.Draft202012Validator(schema).is_valid(text) is expected
    assert bool(re.search(portable(pattern), text)) is expected


def test_a_fault_says_where_and_how_to_mend() -> None:
    with pytest.raises(PatternError) as caught:
        portable(r"^abc\b")
    assert (caught.value.offset, str(caught.value)) == (4, r"'\b' is not portable")
    assert caught.value.hint == "word boundaries differ between engines"


_PIECES = st.sampled_from(
    ["a", "b", "0", "-", "_", ".", r"\d", r"\w", r"\s", r"\D", "[a-c]", "[^0]", "(a|b)", "(?:b)",
     "^", "$", "*", "+", "?", "{2}", "{1,}", "|", r"\.", r"\n", r"\u00e9", "[\\d_]", "é", "]", "(",
     "*?", r"[\s-]", "/", "&", "#", "~", r"\/"]
)  # fmt: skip


@given(
    st.lists(_PIECES, max_size=7).map("".join),
    st.text(alphabet="ab0c_-. \né\u2028&~#/१", max_size=6),
)
def test_both_engines_agree_on_every_admitted_pattern(pattern: str, text: str) -> None:
    """Whatever `portable` lets through compiles in both engines and matches the same texts."""
    try:
        translated = portable(pattern)
    except PatternError:
        return
    validator = jsonschema_rs.Draft202012Validator({"pattern": pattern})
    assert validator.is_valid(text) == bool(re.search(translated, text)), (pattern, translated)
