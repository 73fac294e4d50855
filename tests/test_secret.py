"""A secret is never seen by accident."""

import pickle

import orjson
import pytest

from runner.secret import Secret


@pytest.mark.parametrize("show", [str, repr, "{}".format, "{!r}".format, lambda s: f"{[s]}"])
def test_secret_never_shows_its_text(show: object) -> None:
    assert callable(show)
    assert "hunter2" not in show(Secret("hunter2"))


def test_secret_gives_its_text_to_who_asks_by_name() -> None:
    assert Secret("hunter2").reveal() == "hunter2"


def test_secret_is_neither_pickled_nor_written_as_json() -> None:
    with pytest.raises(TypeError):
        pickle.dumps(Secret("hunter2"))
    with pytest.raises(TypeError):
        orjson.dumps(Secret("hunter2"))


def test_secrets_of_the_same_text_are_equal_and_share_a_hash() -> None:
    assert Secret("a") == Secret("a") != Secret("b")
    assert len({Secret("a"), Secret("a")}) == 1
