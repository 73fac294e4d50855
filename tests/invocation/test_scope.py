"""The names of a call."""

import re
from datetime import UTC, date, datetime

import pytest

from runner.catalog.call import CallContext
from runner.catalog.caller import Caller
from runner.catalog.expressions import ABSENT
from runner.invocation.scope import CallScope, extend, new_uuid
from runner.reserved import CONSTANTS, FUNCTIONS

NOW = datetime(2026, 7, 28, 9, 30, tzinfo=UTC)
CONTEXT = CallContext(NOW, Caller("u1"))


def test_parameters_read_by_name_and_absent_ones_are_none() -> None:
    scope = CallScope({"a": 1}, {"a", "b"}, context=CONTEXT, variables={})
    assert (scope["a"], scope["b"]) == (1, None)
    with pytest.raises(KeyError):
        scope["c"]


def test_argument_without_a_parameter_is_not_seen() -> None:
    assert "c" not in CallScope({"c": 1}, {"a"}, context=CONTEXT, variables={})


def test_no_argument_stands_for_the_caller() -> None:
    scope = CallScope({"caller": "root"}, {"caller"}, context=CONTEXT, variables={})
    assert scope["caller"] == Caller("u1")


def test_scope_without_parameters_knows_what_every_call_knows() -> None:
    scope = CallScope({}, frozenset(), context=CONTEXT, variables={})
    assert set(scope) == CONSTANTS | FUNCTIONS - {"range"}


def test_functions_read_the_call() -> None:
    scope = CallScope({"a": None}, {"a", "b"}, context=CONTEXT, variables={"region": "eu"})
    now, today, sent = scope["now"], scope["today"], scope["sent"]
    assert callable(now)
    assert callable(today)
    assert callable(sent)
    assert (now(), today(), sent("a"), sent("b")) == (NOW, date(2026, 7, 28), True, False)
    assert (scope["vars"], scope["absent"]) == ({"region": "eu"}, ABSENT)


def test_bound_parameters_are_seen_when_they_are_added() -> None:
    arguments: dict[str, object] = {}
    scope = CallScope(arguments, {"owner"}, context=CONTEXT, variables={})
    arguments["owner"] = "u1"
    assert scope["owner"] == "u1"


def test_extension_adds_names_and_leaves_the_scope_alone() -> None:
    scope = CallScope({"a": 1}, {"a"}, context=CONTEXT, variables={})
    more = extend(scope, rows=2, gone=ABSENT)
    assert (more["rows"], more["a"], more["gone"]) == (2, 1, None)
    assert "rows" not in scope
    assert set(more) == {*scope, "rows", "gone"}
    assert len(more) == len(list(more))


def test_uuid_is_random_and_of_version_four() -> None:
    made = {new_uuid() for _ in range(100)}
    assert len(made) == 100
    form = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\Z")
    assert all(form.match(one) for one in made)
