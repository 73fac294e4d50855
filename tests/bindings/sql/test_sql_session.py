"""PostgreSQL: role and settings of one call, so that the database's own rules apply."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from runner.catalog.expressions import Expression
from runner.catalog.sources import SessionSettings
from runner.catalog.sql import Statement
from tests.bindings.sql.lab import Lab, database_of, open_lab

CLAIMS = Expression("…", frozenset({"user"}), lambda scope: {"sub": scope["user"]})


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Lab]:
    """Notes that only their owner sees, by a rule of the database."""
    with database_of("postgresql", tmp_path) as source, open_lab(source) as lab:
        lab.execute(
            "CREATE TABLE notes (name TEXT, owner TEXT)",
            "INSERT INTO notes VALUES ('a', 'ann'), ('b', 'bob')",
        )
        settings = SessionSettings("pg_read_all_data", {"app.claims": CLAIMS})
        with open_lab(replace(source, session=settings)) as limited:
            yield limited


def test_settings_are_those_of_the_call_and_of_no_other(guarded: Lab) -> None:
    text = "SELECT name FROM notes WHERE owner = current_setting('app.claims')::jsonb ->> 'sub'"
    plan = guarded.plan(text, shape="column")
    found = [guarded.invoke(plan, user=user).value for user in ("ann", "bob", "x'; --")]
    assert found == [["a"], ["b"], []]
    assert guarded.rows("SELECT current_setting('app.claims', true) AS c") in (
        [{"c": ""}],
        [{"c": None}],
    )


def test_the_role_is_taken_for_the_call(guarded: Lab) -> None:
    plan = guarded.plan("SELECT current_user::text AS u", shape="value")
    assert guarded.invoke(plan, user="ann").value == "pg_read_all_data"
    assert guarded.rows("SELECT current_user::text AS u") == [{"u": "postgres"}]


def test_a_role_without_rights_is_refused(guarded: Lab) -> None:
    error = guarded.fails(guarded.plan("DELETE FROM notes"), user="ann")
    assert (error.kind, str(error)) == (
        "invalid",
        "the login of the database may not do this",
    )


@pytest.mark.parametrize(
    "text", ["SELECT current_setting('data_directory') AS d", "SELECT name FROM pg_ls_waldir()"]
)
def test_what_the_login_may_not_read_is_not_told_as_a_change(guarded: Lab, text: str) -> None:
    role = replace(guarded.database.database, session=SessionSettings("pg_database_owner", {}))
    with open_lab(role) as limited:
        error = limited.fails(limited.plan(text))
    assert (error.kind, str(error)) == (
        "invalid",
        "the login of the database may not do this",
    )


def test_what_runs_in_no_transaction_is_not_told_as_a_change(guarded: Lab) -> None:
    vacuum = Statement(("VACUUM notes",), returns_rows=False, writes=True)
    error = guarded.fails(guarded.plan(vacuum), user="ann")
    assert (error.kind, str(error)) == (
        "invalid",
        "the statement cannot run in the transaction that a call has",
    )


def test_character_that_does_not_exist_is_not_told_as_too_large(guarded: Lab) -> None:
    texts = ["SELECT chr(0) AS c", "SELECT chr(2000000000) AS c", "SELECT repeat('x', 2000000000)"]
    kinds = [guarded.fails(guarded.plan(text), user="ann").kind for text in texts]
    assert kinds == ["invalid", "invalid", "too_large"]
