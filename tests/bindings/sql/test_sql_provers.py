"""What an engine says of a statement without running it."""

from collections.abc import Sequence

import pytest

from runner.catalog.proving import Description, Refusal
from runner.catalog.sql import Bound, Column
from tests.bindings.sql.lab import Lab


def describe(lab: Lab, *texts: str, types: Sequence[str] = ()) -> Description | Refusal:
    """The word of the engine; parameters stand between the texts."""
    bounds = [Bound((f"p{index}",), word) for index, word in enumerate(types)]

    async def ask() -> Description | Refusal:
        async with lab.database.prover() as prover:
            return prover.describe(texts, bounds)

    return lab.run(ask())


def test_columns_are_described(items: Lab) -> None:
    described = describe(
        items, "SELECT id, name, id AS again FROM items WHERE id = ", "", types=["integer"]
    )
    assert isinstance(described, Description)
    types = ["", "", ""] if items.is_sqlite else ["integer", "string", "integer"]
    assert described.columns == [
        Column(n, t) for n, t in zip(["id", "name", "again"], types, strict=True)
    ]


def test_duplicate_columns_are_kept(items: Lab) -> None:
    described = describe(items, "SELECT id, id FROM items;")
    assert [column.name for column in described.columns] == ["id", "id"]  # type: ignore[union-attr]


def test_returning_is_described_and_nothing_is_written(items: Lab) -> None:
    described = describe(
        items,
        "INSERT INTO items (id, name) VALUES (9, ",
        ") RETURNING id, name AS n",
        types=["string"],
    )
    assert isinstance(described, Description)
    assert [column.name for column in described.columns] == ["id", "n"]
    assert described.writes is (None if items.is_postgres else True)
    assert len(items.rows("SELECT id FROM items")) == 5


def test_a_null_test_gets_a_cast_where_the_engine_cannot_infer(items: Lab) -> None:
    texts = ("SELECT id FROM items WHERE ", " IS NULL OR name = ", "")
    described = describe(items, *texts, types=["string", "string"])
    assert described.casts == ({0: "text"} if items.is_postgres else {})  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("SELECT * FROM nowhere", "unknown-table", "nowhere"),
        ("SELECT ghost FROM items", "unknown-column", "ghost"),
        ("SELECT nofunction(1)", "unknown-function", "nofunction"),
        ("SELECT id FORM items WHERE", "syntax", None),
        ("SELECT id FROM items AS a, items AS b", "ambiguous-column", "id"),
    ],
)
def test_refusals_say_why_and_where(items: Lab, text: str, kind: str, name: str | None) -> None:
    refused = describe(items, text)
    assert isinstance(refused, Refusal)
    assert refused.kind == kind
    if name is not None:
        assert refused.name == name
        assert refused.offset == text.index(name)


def test_offsets_do_not_count_placeholders(items: Lab) -> None:
    refused = describe(
        items, "SELECT id FROM items WHERE id = ", " AND ghost = 1", types=["integer"]
    )
    assert isinstance(refused, Refusal)
    assert refused.offset == len("SELECT id FROM items WHERE id =  AND ")


def test_a_write_is_known_without_being_done(items: Lab) -> None:
    described = describe(items, "DELETE FROM items")
    assert isinstance(described, Description)
    assert (described.columns, described.writes) == ([], None if items.is_postgres else True)
    assert len(items.rows("SELECT id FROM items")) == 5
