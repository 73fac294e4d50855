"""What is read of a docstring, whatever its style."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.compile.python.docstrings import Docstring, parse_docstring

GOOGLE = """Searches the prompts.

    Best hits first,
    ranked by words.

    Args:
        query: Words to look for.
        limit (int, optional): How many
            at most.
        *rest: More.

    Returns:
        The hits.
    """
NUMPY = """Searches the prompts.

    Best hits first,
    ranked by words.

    Parameters
    ----------
    query : str
        Words to look for.
    limit : int, optional
        How many
        at most.
    rest
        More.

    Returns
    -------
    list
    """
REST = """Searches the prompts.

    Best hits first,
    ranked by words.

    :param query: Words to look for.
    :param int limit: How many
        at most.
    :param rest: More.
    :returns: The hits.
    """


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, REST], ids=["google", "numpy", "rest"])
def test_each_style_gives_description_and_parameters(text: str) -> None:
    assert parse_docstring(text) == Docstring(
        "Searches the prompts.\n\nBest hits first,\nranked by words.",
        {"query": "Words to look for.", "limit": "How many at most.", "rest": "More."},
    )


def test_a_docstring_without_sections_is_the_description() -> None:
    assert parse_docstring("One line.") == Docstring("One line.")


def test_no_docstring_says_nothing() -> None:
    assert parse_docstring(None) == Docstring()


def test_sections_of_other_things_are_left_out() -> None:
    text = "Adds.\n\nExamples:\n    query: no parameter\n\nArgs:\n    a: The first.\n"
    assert parse_docstring(text) == Docstring("Adds.", {"a": "The first."})


def test_a_sentence_that_ends_in_a_colon_is_no_section() -> None:
    text = "Takes these notes:\nfirst, second."
    assert parse_docstring(text) == Docstring(text)


def test_a_colon_inside_a_description_stays() -> None:
    assert parse_docstring("A.\n\nArgs:\n  at: Time: in UTC.").parameters == {"at": "Time: in UTC."}


@given(st.text(alphabet=st.sampled_from("ab:*-() \n\tArgs"), max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert isinstance(parse_docstring(text), Docstring)
