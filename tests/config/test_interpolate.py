"""`runner.config.interpolate`: what comes from outside, put into one scalar."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import PydanticCustomError
from sqlalchemy.engine import make_url

from runner.config.interpolate import Interpolator, ReferenceFault
from runner.config.nodes import Scalar
from runner.diagnostics import Position

PASSWORD = "p@ss:w/rd#%?&é \"'"
ENVIRONMENT = {"NAME": "value", "EMPTY": "", "PW": PASSWORD, "TRAP": "${NAME} $${ $NAME"}


def no_files(path: str) -> str:
    raise FileNotFoundError(path)


def scalar(text: str) -> Scalar:
    return Scalar(text, Position("mcp.yaml", 3, 5), plain=True)


def filled(text: str, **environment: str) -> str:
    """The text with every reference replaced."""
    return Interpolator({**ENVIRONMENT, **environment}, no_files)(scalar(text)).text


def faults(text: str) -> list[ReferenceFault]:
    """What is wrong with the references of a text."""
    with pytest.raises(PydanticCustomError) as caught:
        Interpolator(ENVIRONMENT, no_files)(scalar(text))
    assert caught.value.context is not None
    found: list[ReferenceFault] = caught.value.context["faults"]
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${NAME}", "value"),
        ("a ${NAME} b ${NAME}", "a value b value"),
        ("${EMPTY}", ""),
        ("${EMPTY:-other}", "other"),
        ("${UNSET:-}", ""),
        ("${UNSET:-a:b-c $x}", "a:b-c $x"),
        ("$${NAME}", "${NAME}"),
        ("$$${NAME}", "$${NAME}"),
        ("${TRAP}", "${NAME} $${ $NAME"),
        ("${{ total }}", "${{ total }}"),
        ("$1 and $name", "$1 and $name"),
        ("costs $5", "costs $5"),
    ],
)
def test_references_are_replaced_once(text: str, expected: str) -> None:
    assert filled(text) == expected


def test_a_text_without_references_is_the_same_object() -> None:
    given_scalar = scalar("plain")
    assert Interpolator({}, no_files)(given_scalar) is given_scalar


def test_what_came_in_is_not_filled_again() -> None:
    interpolate = Interpolator(ENVIRONMENT, no_files)
    once = interpolate(scalar("${TRAP}"))
    assert interpolate(once) is once


def test_a_replaced_scalar_is_text_whatever_it_looks_like() -> None:
    found = Interpolator({"HASH": "0757192", "KEY": "123456789012"}, no_files)
    assert found(scalar("${HASH}")).value == "0757192"
    assert found(scalar("${KEY}")).value == "123456789012"


def test_every_fault_of_a_scalar_is_told_with_its_place() -> None:
    found = faults("a ${ONE} ${bad name} ${TWO")
    assert [(fault.position.column, fault.code) for fault in found] == [
        (7, "missing-variable"),
        (14, "bad-reference"),
        (26, "bad-reference"),
    ]


@pytest.mark.parametrize(
    "text", ["${}", "${1A}", "${A:default}", "${A-default}", "${file:}", "${A"]
)
def test_a_malformed_reference_is_refused(text: str) -> None:
    assert [fault.code for fault in faults(text)] == ["bad-reference"]


@pytest.mark.parametrize("text", ["$NAME", "postgresql://$NAME@h/d", "https://u:$NAME@h"])
def test_a_bare_variable_is_refused_where_one_is_meant(text: str) -> None:
    assert [fault.code for fault in faults(text)] == ["bare-variable"]


def test_a_file_is_read_without_its_last_newline(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("line\n\n", encoding="utf-8")
    interpolate = Interpolator({}, lambda path: (tmp_path / path).read_text(encoding="utf-8"))
    assert interpolate(scalar("<${file:secret}>")).text == "<line\n>"


def test_a_whole_address_in_a_variable_is_taken_as_it_is() -> None:
    address = "postgresql://u:p%40ss@host/db?x=%20"
    assert filled("${URL}", URL=address) == address
    assert filled("${UNSET:-sqlite:///data/a b.db}") == "sqlite:///data/a b.db"


@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_any_password_works_inside_an_address(password: str) -> None:
    address = filled("postgresql://${USER_NAME}:${PW}@host/db", USER_NAME=password, PW=password)
    url = make_url(address)
    assert (url.username, url.password, url.host, url.database) == (
        password,
        password,
        "host",
        "db",
    )


def test_user_and_password_in_one_variable_work_inside_an_address() -> None:
    url = make_url(filled("mysql://${LOGIN}@host:3306/db", LOGIN="me:p@ss/w:rd"))
    assert (url.username, url.password, url.host) == ("me", "p@ss/w:rd", "host")


def test_a_value_of_the_query_is_encoded_and_other_parts_are_not() -> None:
    address = "https://${HOST}/${PATH_PART}/x?key=${KEY}&${REST}"
    parts = {"HOST": "h:80", "PATH_PART": "a/b", "KEY": "a&b=c d", "REST": "x=1&y=2"}
    assert filled(address, **parts) == "https://h:80/a/b/x?key=a%26b%3Dc%20d&x=1&y=2"


def test_places_behind_a_reference_still_map_into_the_file() -> None:
    found = Interpolator({"A": "longer than before"}, no_files)(scalar("x ${A} yz ${A:-} end"))
    assert found.text == "x longer than before yz longer than before end"
    assert found.at(found.text.index("yz")).column == 5 + "x ${A} yz".index("yz")
    assert found.at(found.text.index("end")).column == 5 + "x ${A} yz ${A:-} end".index("end")
