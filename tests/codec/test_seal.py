"""Seals: only what this server wrote, for this purpose, is opened."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.codec.seal import Seal, SealError

OLD, NEW = b"o" * 32, b"n" * 32
VALUE = {"after": [1, "x", None]}


def test_a_sealed_value_comes_back() -> None:
    seal = Seal([NEW])
    assert seal.open(seal.close(VALUE, purpose=b"p"), purpose=b"p") == VALUE


def test_an_older_key_opens_and_the_newest_seals() -> None:
    sealed = Seal([OLD]).close(VALUE, purpose=b"p")
    assert Seal([NEW, OLD]).open(sealed, purpose=b"p") == VALUE
    with pytest.raises(SealError):
        Seal([OLD]).open(Seal([NEW, OLD]).close(VALUE, purpose=b"p"), purpose=b"p")


@pytest.mark.parametrize(("keys", "purpose"), [([OLD], b"p"), ([NEW], b"other")])
def test_another_key_or_purpose_does_not_open(keys: list[bytes], purpose: bytes) -> None:
    sealed = Seal([NEW]).close(VALUE, purpose=b"p")
    with pytest.raises(SealError):
        Seal(keys).open(sealed, purpose=purpose)


@given(st.data())
def test_no_changed_text_opens(data: st.DataObject) -> None:
    seal = Seal([NEW])
    sealed = seal.close(VALUE, purpose=b"p")
    position = data.draw(st.integers(0, len(sealed) - 1))
    other = data.draw(st.characters().filter(lambda c: c != sealed[position]))
    with pytest.raises(SealError):
        seal.open(sealed[:position] + other + sealed[position + 1 :], purpose=b"p")


@given(st.text())
def test_no_text_of_a_client_opens(text: str) -> None:
    with pytest.raises(SealError):
        Seal([NEW]).open(text, purpose=b"p")


def test_a_seal_needs_a_key() -> None:
    with pytest.raises(ValueError, match="needs a key"):
        Seal([])
