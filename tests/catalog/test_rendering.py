"""The texts of a statement's shapes: made of the author's text and placeholders alone."""

import pytest

from runner.catalog.rendering import MAX_ELEMENTS, Shapes, TooManyElementsError, Values
from runner.catalog.sql import Bound, Chosen, OptionalPart, Statement

IDS = Bound(("ids",), "integer", is_list=True, expands=True)
STATEMENT = Statement(
    (
        "SELECT 1 FROM t WHERE a = ",
        Bound(("a",)),
        OptionalPart((" AND b = ", Bound(("b",)), " AND c IN ", IDS), ("b", "ids")),
        " ORDER BY ",
        Chosen("sort", {"new": "id DESC", "name": "name"}),
    ),
    returns_rows=True,
    writes=False,
)


def text(values: Values) -> str:
    shapes = Shapes(STATEMENT)
    return shapes.render(shapes.key(values)).text(lambda index, _bound: f"${index + 1}")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"sort": "new"}, "SELECT 1 FROM t WHERE a = $1 ORDER BY id DESC"),
        ({"sort": ["name", "new"]}, "SELECT 1 FROM t WHERE a = $1 ORDER BY name, id DESC"),
        (
            {"sort": "new", "b": None, "ids": [1, 2, 3]},
            "SELECT 1 FROM t WHERE a = $1 AND b = $2 AND c IN ($3, $4, $5, $6) ORDER BY id DESC",
        ),
        (
            {"sort": "new", "b": 1, "ids": []},
            "SELECT 1 FROM t WHERE a = $1 AND b = $2 AND c IN (SELECT NULL WHERE 1 = 0)"
            " ORDER BY id DESC",
        ),
    ],
    ids=["vanished", "words", "padded", "empty"],
)
def test_a_shape_has_its_text(values: Values, expected: str) -> None:
    assert text(values) == expected


def test_a_thousand_lengths_have_a_dozen_texts() -> None:
    texts = {text({"sort": "new", "b": 1, "ids": [0] * length}) for length in range(1000)}
    assert len(texts) == 12


def test_a_list_beyond_every_engine_is_refused() -> None:
    with pytest.raises(TooManyElementsError, match=r"^'ids' has 16385 elements, at most 16384$"):
        text({"sort": "new", "b": 1, "ids": [0] * (MAX_ELEMENTS + 1)})
