"""`runner.config.source`: YAML, strictly, with places."""

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from runner.config.json_text import as_yaml
from runner.config.nodes import Document, Mapping_, Node, Scalar, Sequence
from runner.config.source import parse, parse_node

FRAGMENTS = st.sampled_from(
    [*"abc:-?,[]{}#&*!|>'\"%@` \n\t", "\r\n", ": ", " #", "- ", "&a ", "*a", "<<: ", "é", "\ufeff"]
)


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x7f"), max_size=20)
TREES = st.recursive(
    TEXT, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner), max_leaves=9
)
JSON = st.recursive(
    TEXT | st.booleans() | st.none() | st.integers() | st.floats(-1e99, 1e99),
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=12,
)


def values(node: Node) -> object:
    """The tree as plain values."""
    match node:
        case Mapping_(entries):
            return {key: values(entry.value) for key, entry in entries.items()}
        case Sequence(items):
            return [values(item) for item in items]
        case Scalar():
            return node.value


def tree(text: str) -> Document:
    """The document of a text without a fault."""
    document, faults = parse(text.encode(), "mcp.yaml")
    assert faults == ()
    assert document is not None
    return document


@given(st.binary())
def test_any_bytes_are_answered_with_a_tree_or_faults(data: bytes) -> None:
    document, faults = parse(data, "mcp.yaml")
    assert document is not None or faults


@given(st.lists(FRAGMENTS, max_size=40))
def test_any_yaml_like_text_is_answered_with_a_tree_or_faults(pieces: list[str]) -> None:
    document, faults = parse("".join(pieces).encode(), "mcp.yaml")
    assert document is not None or faults


@given(st.lists(FRAGMENTS, max_size=30), st.lists(FRAGMENTS, max_size=30))
def test_every_place_is_inside_the_text(before: list[str], after: list[str]) -> None:
    text = "".join([*before, "\n", *after])
    _, faults = parse_node(text.encode(), "mcp.yaml")
    assert all(
        1 <= fault.position.line <= text.count("\n") + text.count("\r") + 1 for fault in faults
    )


def test_values_are_typed_by_yaml_1_2_alone() -> None:
    text = "a: [no, on, 0123, 1e3, 12:30:00, 2024-01-01, 1_000, 0x1F, .5, .inf, true, ~, -3, 2.50]"
    assert values(tree(text).root) == {
        "a": [
            *("no", "on", "0123", "1e3", "12:30:00", "2024-01-01", "1_000", "0x1F", ".5", ".inf"),
            *(True, None, -3, 2.5),
        ]
    }


@given(JSON)
def test_what_was_written_as_json_is_read_back_the_same(value: object) -> None:
    text = json.dumps(value)
    node, faults = parse_node(as_yaml(text.encode()), "x.json")
    assert faults == ()
    assert node is not None
    assert values(node) == value


@given(TREES)
def test_what_was_read_and_written_is_read_back_the_same(value: object) -> None:
    text = yaml.dump(value, Dumper=yaml.CSafeDumper, allow_unicode=True, default_style='"')
    node, faults = parse_node(text.encode(), "x.yaml")
    assert faults == ()
    assert node is not None
    assert values(node) == value


def test_numbers_too_long_to_mean_anything_stay_text() -> None:
    digits = "9" * 5000
    assert values(tree(f"a: [{digits}, {digits}.5]").root) == {"a": [digits, f"{digits}.5"]}


def test_places_count_characters_not_bytes() -> None:
    document = tree('é: {"😀": x, ü: [y]}')
    assert str(document.position(("é", "ü"), key=True)) == "mcp.yaml:1:13"
    assert str(document.position(("é", "ü", 0))) == "mcp.yaml:1:17"


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_line_endings_change_neither_values_nor_places(newline: str) -> None:
    document = tree("\ufeffa: |\n  x\n  y\nb: >\n  p\n  q\nc: 'r\n  s'\n".replace("\n", newline))
    assert values(document.root) == {"a": "x\ny\n", "b": "p q\n", "c": "r s"}
    assert str(document.position(("c",))) == "mcp.yaml:7:4"


def test_a_byte_order_mark_is_no_part_of_the_first_key() -> None:
    document, faults = parse(b"\xef\xbb\xbfmcp: 1\n", "mcp.yaml")
    assert faults == ()
    assert document is not None
    assert list(document.root.entries) == ["mcp"]
    assert str(document.position(("mcp",), key=True)) == "mcp.yaml:1:1"


@pytest.mark.parametrize(
    ("data", "place", "code"),
    [
        (b"a: 1\nb: caf\xe9\n", "2:7", "not-utf8"),
        (b"\xef\xbb\xbfa: \xff\n", "1:4", "not-utf8"),
        (b"a: x\x07y\n", "1:5", "bad-character"),
        ("a: 1\nb: x\u2028y\n".encode(), "2:5", "bad-character"),
        (b"a: " + b"[" * 65 + b"]" * 65, "1:67", "too-deep"),
        (b"a: " + b"[" * 500, "1:67", "too-deep"),
        (b"#" * (4 * 1024 * 1024 + 1), "1:1", "too-large"),
        (b"", "1:1", "empty-file"),
        (b"just text", "1:1", "wrong-type"),
    ],
    ids=["latin", "bom", "control", "separator", "deep", "open", "large", "empty", "text"],
)
def test_what_cannot_be_read_is_told_with_its_place(data: bytes, place: str, code: str) -> None:
    document, faults = parse(data, "mcp.yaml")
    assert document is None
    assert [(str(fault.position), fault.code) for fault in faults] == [(f"mcp.yaml:{place}", code)]


def test_an_alias_bomb_is_refused_where_it_grows_too_large() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    copies = [", ".join([f"*a{level}"] * 10) for level in range(8)]
    lines.extend(f"a{level}: &a{level} [{copy}]" for level, copy in enumerate(copies, 1))
    document, faults = parse("\n".join(lines).encode(), "mcp.yaml")
    assert document is None
    assert [fault.code for fault in faults] == ["too-large"]


def test_an_alias_is_a_copy_with_the_places_of_its_anchor() -> None:
    document = tree("a: &x {k: 1}\nb: *x\n")
    assert values(document.root) == {"a": {"k": 1}, "b": {"k": 1}}
    assert str(document.position(("b", "k"))) == "mcp.yaml:1:11"
    assert str(document.position(("b",), key=True)) == "mcp.yaml:2:1"


def test_the_place_of_an_anchored_text_is_the_text() -> None:
    assert str(tree("a: &x  text\n").position(("a",))) == "mcp.yaml:1:8"


def test_a_refused_entry_leaves_its_neighbours() -> None:
    document, faults = parse(b"a: {k: x, cut text, l: y}\nb: *none\nc: 1\n", "mcp.yaml")
    assert [fault.code for fault in faults] == ["cut-text", "unknown-alias"]
    assert document is not None
    assert values(document.root) == {"a": {"k": "x", "l": "y"}, "c": 1}
