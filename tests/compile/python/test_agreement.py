"""What is listed, what is accepted and what is built agree, for every kind of hint at once.

Other tools listed one thing and accepted another, because two models were made of one signature.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Literal
from uuid import UUID

from hypothesis import given as examples
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field, TypeAdapter

from runner.catalog.schema import Arguments
from runner.codec.json import decode
from runner.codec.values import plain
from runner.compile.python.hints import given, taken
from runner.compile.schemas.input import input_from_schema
from runner.compile.site import Site
from runner.config.nodes import Document, Mapping_
from runner.diagnostics import Faults, Position


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Point:
    x: int
    y: Decimal = Decimal("0.5")


class Everything(BaseModel):
    text: str
    size: Annotated[int, Field(ge=-9, le=9)]
    ratio: float
    is_on: bool
    day: date
    at: datetime
    lasts: timedelta
    id: UUID
    colour: Colour
    word: Literal["a", 1, None]
    points: list[Point]
    named: dict[str, Point | None]
    pair: tuple[int, str]
    unique: frozenset[int]
    maybe: str | int | None = None


SAFE = st.integers(-(2**53) + 1, 2**53 - 1)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=5)
POINTS = st.builds(
    Point, SAFE, st.decimals(allow_nan=False, allow_infinity=False, places=3, max_value=10**9)
)
VALUES = st.builds(
    Everything,
    text=TEXTS,
    size=st.integers(-9, 9),
    ratio=st.floats(allow_nan=False, allow_infinity=False),
    is_on=st.booleans(),
    day=st.dates(),
    at=st.datetimes(datetime(1900, 1, 1), timezones=st.just(UTC)),
    lasts=st.timedeltas(timedelta(0), timedelta(9)),
    id=st.uuids(),
    colour=st.sampled_from(Colour),
    word=st.sampled_from(["a", 1, None]),
    points=st.lists(POINTS, max_size=2),
    named=st.dictionaries(TEXTS, st.none() | POINTS, max_size=2),
    pair=st.tuples(SAFE, TEXTS),
    unique=st.frozensets(SAFE, max_size=2),
    maybe=st.none() | TEXTS | SAFE,
)
ADAPTER = TypeAdapter(Everything)


def check_of(listed: dict[str, object]) -> Callable[[Mapping[str, object]], Arguments]:
    site = Site(Document("mcp.yaml", Mapping_({}, Position("mcp.yaml", 1, 1))), Faults())
    schema = {"type": "object", "properties": {"it": listed}, "required": ["it"]}
    found = input_from_schema(schema, site, strict=True, coerce=False, input_elements=1000)
    assert site.faults.sorted() == ()
    assert found is not None
    return found.check


TAKEN = taken("it", Everything)
CHECK = check_of(TAKEN.schema)
GIVEN = given(Everything)


@examples(VALUES)
def test_what_is_listed_is_accepted_and_built(value: Everything) -> None:
    sent = decode(ADAPTER.dump_json(value))
    assert TAKEN.build is not None
    assert TAKEN.build(CHECK({"it": sent})["it"]) == value


@examples(VALUES)
def test_what_is_returned_fits_what_is_listed(value: Everything) -> None:
    assert GIVEN.schema is not None
    assert GIVEN.convert is not None
    Draft202012Validator(GIVEN.schema).validate(plain(GIVEN.convert(value)))
