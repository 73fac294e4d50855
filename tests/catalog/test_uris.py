"""What a template reads of a text: the variables of a URI, and nothing of what is none."""

import string

import pytest

from runner.catalog.uris import uri_template
from tests.requirements import requirement

PLAIN = string.ascii_letters + string.digits + "-._~:"


@requirement("P-112")
@pytest.mark.parametrize("letter", [*' "<>\\^`{|}', "ü", "\x00", "\n", "\u2028"], ids=repr)
def test_text_that_is_no_uri_is_not_read(letter: str) -> None:
    """What is read is given back as a URI, which it would not be."""
    for text in ("city://{name}", "city://{+name}"):
        assert uri_template(text).read(f"city://a{letter}b") is None


def test_segment_holds_what_an_expansion_leaves_as_it_is() -> None:
    assert uri_template("city://{name}").read(f"city://{PLAIN}") == {"name": PLAIN}


def test_path_holds_what_is_reserved_too() -> None:
    path = f"/{PLAIN}@!$&'()*+,;="
    assert uri_template("city://{+name}").read(f"city://{path}") == {"name": path}
    assert uri_template("city://{+name}").read("city://a?b") is None


def test_what_a_variable_holds_is_decoded_once() -> None:
    assert uri_template("city://{name}").read("city://%C3%BC%2525") == {"name": "ü%25"}
