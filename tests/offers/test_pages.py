"""`serve.page_size` and `serve.state_keys` of a real file: lists in pages that outlive changes."""

from pathlib import Path

import pytest

from tests.offers.whole import Whole, faults, serve

FILE = """
serve: {page_size: 2, port: "${PORT:-8000}", state_keys: ["${KEY}"]}
tools:
  a: {description: A., value: 1}
  b: {description: B., value: 2}
  c: {description: C., value: 3}
"""
ROTATED = FILE.replace('"${KEY}"', '"${NEW_KEY}", "${KEY}"')
KEYS = {"KEY": "a-key-of-this-test-alone", "NEW_KEY": "a-newer-key-of-this-test"}


def names(whole: Whole, cursor: object = None) -> tuple[list[str], object]:
    """The names on a page, and the cursor of the next one."""
    found = whole.result("tools/list", {} if cursor is None else {"cursor": cursor})
    tools = found["tools"]
    assert isinstance(tools, list)
    return [tool["name"] for tool in tools], found.get("nextCursor")


def test_list_comes_in_pages_of_the_size_in_the_file(tmp_path: Path) -> None:
    with serve(tmp_path, FILE, KEYS) as whole:
        first, cursor = names(whole)
        assert first == ["a", "b"]
        assert names(whole, cursor) == (["c"], None)


def test_replica_that_listens_elsewhere_with_a_new_key_goes_on(tmp_path: Path) -> None:
    with serve(tmp_path, FILE, KEYS) as whole:
        _, cursor = names(whole)
    with serve(tmp_path, ROTATED, {**KEYS, "PORT": "9000"}) as whole:
        assert names(whole, cursor) == (["c"], None)


def test_cursor_of_a_file_that_serves_something_else_is_refused(tmp_path: Path) -> None:
    with serve(tmp_path, FILE, KEYS) as whole:
        _, cursor = names(whole)
    with serve(tmp_path, FILE.replace("description: A.", "description: Z."), KEYS) as whole:
        assert whole.error("tools/list", {"cursor": cursor})["code"] == -32602


def test_page_has_a_hundred_entries_where_the_file_says_nothing(tmp_path: Path) -> None:
    tools = "".join(f"  t{number}: {{description: T., value: 1}}\n" for number in range(101))
    with serve(tmp_path, f"tools:\n{tools}") as whole:
        first, cursor = names(whole)
        assert len(first) == 100
        assert names(whole, cursor) == (["t100"], None)


@pytest.mark.parametrize("size", [0, -1, 1001])
def test_page_size_out_of_range_is_a_fault_at_its_place(tmp_path: Path, size: int) -> None:
    text = f"serve: {{page_size: {size}}}\ntools: {{a: {{description: A., value: 1}}}}\n"
    assert faults(tmp_path, text) == ["3:20 out-of-range"]
