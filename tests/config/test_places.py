"""`runner.config.places` and `owners`: finding places, and whose a place is."""

from runner.config.nodes import Mapping_
from runner.config.owners import TOOLS, owners
from runner.config.places import everything, name_of, places, without
from runner.config.source import parse
from runner.diagnostics import Position

TEXT = b"""\
a: {x: {k: 1}, y: {k: 2}}
tools:
  t: {l: [{k: 3}]}
  u: 1
vars: {v: 1}
"""


def root() -> Mapping_:
    """The tree of `TEXT`."""
    document, _ = parse(TEXT, "f")
    assert document is not None
    return document.root


def test_a_star_stands_for_any_key_or_position() -> None:
    assert [found.path for found in places(root(), "a.*.k")] == [("a", "x", "k"), ("a", "y", "k")]
    assert [found.path for found in places(root(), "tools.t.l.*.k")] == [
        ("tools", "t", "l", 0, "k")
    ]
    assert [found.path for found in places(root(), "")] == [()]


def test_a_path_is_named_as_a_reader_writes_it() -> None:
    assert name_of(("tools", "t", "l", 0, "k")) == "tools.t.l[0].k"
    assert name_of(()) == "the file"


def test_removed_entries_are_gone_and_the_others_are_the_same() -> None:
    before = root()
    after = without(before, frozenset({("a", "x"), ("vars",)}))
    assert [name_of(found.path) for found in everything(after)] == [
        *("a", "tools", "a.y", "a.y.k", "tools.t", "tools.u"),
        *("tools.t.l", "tools.t.l[0]", "tools.t.l[0].k"),
    ]
    assert after.entries["tools"].value is before.entries["tools"].value


def test_a_place_belongs_to_the_tool_around_it() -> None:
    found = owners(root(), [Position("f", 3, 12), Position("f", 4, 6)])
    assert sorted(found or ()) == [("tools", "t"), ("tools", "u")]
    assert owners(root(), [Position("f", 2, 1)]) == frozenset([TOOLS])
    assert owners(root(), []) == frozenset()


def test_a_place_in_what_all_may_use_leaves_out_what_is_run() -> None:
    found = owners(root(), [Position("f", 5, 8)])
    assert sorted(found or ()) == [("prompts",), ("resources",), ("tools",), ("vars", "v")]


def test_a_place_outside_of_every_section_leaves_nothing() -> None:
    assert owners(root(), [Position("g", 3, 12)]) is None
    assert owners(root(), [Position("e", 1, 1)]) is None
