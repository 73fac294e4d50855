"""What a database refuses: kind and field, in our own words."""

import pytest

from runner.errors import Kind
from tests.bindings.sql.lab import Lab


@pytest.fixture
def pets(lab: Lab) -> Lab:
    """Owners and pets, with every kind of rule."""
    lab.execute(
        "CREATE TABLE owners (id INTEGER PRIMARY KEY)",
        "INSERT INTO owners VALUES (1)",
        "CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
        " age INTEGER CHECK (age >= 0), owner INTEGER REFERENCES owners (id))",
        "INSERT INTO pets VALUES (1, 'rex', 3, 1)",
    )
    return lab


@pytest.mark.parametrize(
    ("values", "kind", "field", "words"),
    [
        ("2,'rex',1,1", Kind.UNIQUE, "name", "there is already a row with this value of 'name'"),
        ("1,'tom',1,1", Kind.UNIQUE, "id", "there is already a row with this value of 'id'"),
        ("2,NULL,1,1", Kind.NOT_NULL, "name", "'name' must not be null"),
    ],
    ids=["unique", "primary key", "not null"],
)
def test_a_constraint_names_its_column(
    pets: Lab, values: str, kind: Kind, field: str, words: str
) -> None:
    error = pets.fails(pets.plan(f"INSERT INTO pets VALUES ({values})"))
    assert (error.kind, error.field, str(error)) == (kind, field, words)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("INSERT INTO pets VALUES (2,'tom',-1,1)", Kind.CHECK),
        ("INSERT INTO pets VALUES (2,'tom',1,9)", Kind.FOREIGN_KEY),
        ("DELETE FROM owners", Kind.FOREIGN_KEY),
    ],
)
def test_other_constraints_have_their_kind(pets: Lab, text: str, kind: Kind) -> None:
    assert pets.fails(pets.plan(text)).kind is kind


def test_words_hold_nothing_of_the_driver(pets: Lab) -> None:
    """Neither table, statement, address nor the engine's name; the reason is for the log."""
    error = pets.fails(pets.plan("INSERT INTO pets VALUES (2,'tom',1,9)"))
    words = str(error).lower()
    assert not [
        bad for bad in ("pets", "insert", "sqlite", "postgres", "127.0.0.1") if bad in words
    ]
    assert error.reason


def test_a_value_that_does_not_fit_is_invalid(lab: Lab) -> None:
    error = lab.fails(lab.plan("SELECT :x AS x", types={"x": "string"}), x="\ud800")
    assert error.kind is Kind.INVALID


def test_the_connection_is_clean_after_an_error(pets: Lab) -> None:
    plan = pets.plan("INSERT INTO pets VALUES (1,'rex',1,1)")
    for _ in range(10):
        assert pets.fails(plan).kind is Kind.UNIQUE
    assert pets.rows("SELECT count(*) AS n FROM pets") == [{"n": 1}]
