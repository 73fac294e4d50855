"""`runner.config.load`: the file with everything that it names."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from runner.config.files import Disk
from runner.config.load import Loaded, load
from runner.config.nodes import Mapping_, Scalar

HEAD = "mcp: 1\nserver: {name: x, version: 1}\n"


def loaded(folder: Path, files: Mapping[str, str | bytes], **environment: str) -> Loaded:
    """What is loaded from these files; `mcp.yaml` gets its head."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(HEAD.encode() + data if name == "mcp.yaml" else data)
    return load(folder / "mcp.yaml", environment, Disk())


def told(result: Loaded) -> list[str]:
    """Place and code of each diagnostic."""
    return [f"{item.position} {item.code}" for item in result.diagnostics]


def test_a_good_file_has_a_spec_and_no_diagnostics(tmp_path: Path) -> None:
    result = loaded(tmp_path, {"mcp.yaml": "tools: {t: {value: 1}}"})
    assert (told(result), result.has_errors, result.folder) == ([], False, tmp_path)
    assert result.spec is not None
    assert list(result.spec.tools) == ["t"]


def test_every_named_text_is_read_with_its_places(tmp_path: Path) -> None:
    sql = b"\xef\xbb\xbfSELECT 1\r\nFROM t\r\n"
    files: dict[str, str | bytes] = {
        "mcp.yaml": "tools: {t: {sql: {file: '${WHERE}/a.sql'}}}\n",
        "sql/a.sql": sql,
    }
    result = loaded(tmp_path, files, WHERE="sql")
    text = result.text_of("sql/a.sql")
    assert told(result) == []
    assert text.text == "SELECT 1\r\nFROM t\r\n"
    assert str(text.at(text.text.index("FROM"))) == "sql/a.sql:2:1"
    assert str(text.at(3)) == "sql/a.sql:1:4"


def test_texts_are_read_wherever_a_file_may_be_named(tmp_path: Path) -> None:
    body = """
databases: {d: {url: "sqlite://", create: {schema: a.sql, seed: b.sql}}}
tools:
  s: {steps: [{as: x, sql: {file: c.sql}}]}
"""
    result = loaded(tmp_path, {"mcp.yaml": body, "a.sql": "A", "b.sql": "B", "c.sql": "C"})
    assert told(result) == []
    assert {path: text.text for path, text in result.texts.items()} == {
        "a.sql": "A",
        "b.sql": "B",
        "c.sql": "C",
    }


def scalars(root: Mapping_) -> Iterator[tuple[str, Scalar]]:
    """The texts and numbers of a mapping by key."""
    for key, entry in root.entries.items():
        if isinstance(entry.value, Scalar):
            yield key, entry.value


@pytest.mark.parametrize("name", ["s.json", "s.yaml"])
def test_schema_files_are_read_as_trees(tmp_path: Path, name: str) -> None:
    schema = '{"type": "object", "maxProperties": 1.5e1, "title": "\\ud83d\\ude00 1e3"}'
    if name == "s.yaml":
        schema = 'type: object\nmaxProperties: 15.0\ntitle: "😀 1e3"\n'
    body = f"tools: {{t: {{value: 1, input_schema: {{file: {name}}}}}}}\n"
    result = loaded(tmp_path, {"mcp.yaml": body, name: schema})
    root = result.schema_of(name).root
    assert told(result) == []
    assert {key: leaf.value for key, leaf in scalars(root)} == {
        "type": "object",
        "maxProperties": 15.0,
        "title": "😀 1e3",
    }
    assert str(result.schema_of(name).position(("type",), key=True)).startswith(f"{name}:1:")


def test_a_schema_in_place_may_have_a_property_called_file(tmp_path: Path) -> None:
    body = "tools: {t: {value: 1, input_schema: {file: x, type: object}}}\n"
    assert told(loaded(tmp_path, {"mcp.yaml": body})) == []


def test_a_missing_file_is_told_at_every_place_that_names_it(tmp_path: Path) -> None:
    body = "tools:\n  a: {sql: {file: no.sql}}\n  b: {sql: {file: no.sql}}\n  c: {value: 1}\n"
    result = loaded(tmp_path, {"mcp.yaml": body})
    assert told(result) == ["mcp.yaml:4:19 missing-file", "mcp.yaml:5:19 missing-file"]
    assert result.spec is not None
    assert list(result.spec.tools) == ["c"]


def test_a_file_that_is_no_text_is_told_where_it_stops_being_one(tmp_path: Path) -> None:
    body = "tools: {a: {sql: {file: a.sql}}, b: {value: 1}}\n"
    result = loaded(tmp_path, {"mcp.yaml": body, "a.sql": b"SELECT\n '\xe9'"})
    assert told(result) == ["a.sql:2:3 not-utf8"]
    assert result.texts == {}


def test_includes_are_merged_section_by_section(tmp_path: Path) -> None:
    files = {
        "mcp.yaml": "include: [more/*.yaml, extra.yaml]\ntools: {a: {value: 1}}\n",
        "more/b.yaml": "mcp: 1\ntools: {b: {sql: {file: sql/b.sql}}}\nvars: {x: 1}\n",
        "more/c.yaml": "vars: {y: 2}\n",
        "extra.yaml": "defaults: {timeout: 5s}\n",
        "sql/b.sql": "SELECT 1",
    }
    result = loaded(tmp_path, files)
    assert told(result) == []
    assert result.spec is not None
    assert (list(result.spec.tools), list(result.spec.vars)) == (["a", "b"], ["x", "y"])
    assert result.spec.defaults.timeout == 5.0
    assert result.document is not None
    assert result.document.files == ("mcp.yaml", "more/b.yaml", "more/c.yaml", "extra.yaml")
    assert str(result.document.position(("tools", "b"), key=True)) == "more/b.yaml:2:9"


def test_a_file_is_included_once_and_the_root_never(tmp_path: Path) -> None:
    files = {"mcp.yaml": "include: ['*.yaml', a.yaml]\n", "a.yaml": "tools: {a: {value: 1}}\n"}
    assert told(loaded(tmp_path, files)) == []


def test_a_fault_of_an_included_file_has_its_place_there(tmp_path: Path) -> None:
    files = {
        "mcp.yaml": "include: [a.yaml, b.yaml]\n",
        "a.yaml": "tools: {a: {value: 1, titel: x}}\nmcp: 2\n",
        "b.yaml": "tools: [\n",
    }
    assert told(loaded(tmp_path, files)) == [
        "a.yaml:1:23 unknown-field",
        "a.yaml:2:1 duplicate-key",
        "b.yaml:2:1 unclosed",
    ]


def test_secrets_are_read_from_files_and_never_shown(tmp_path: Path) -> None:
    body = 'databases: {d: {url: "mysql://u:${file:secrets/pw}@h/d"}}\n'
    result = loaded(tmp_path, {"mcp.yaml": body, "secrets/pw": "p@ss\n"})
    assert told(result) == []
    assert result.spec is not None
    assert result.spec.databases["d"].url.reveal() == "mysql://u:p%40ss@h/d"
    assert "p%40ss" not in repr(result)


def test_a_comment_asks_for_no_variable(tmp_path: Path) -> None:
    assert told(loaded(tmp_path, {"mcp.yaml": "# ${UNSET} $UNSET ${file:none}\n"})) == []


def test_loading_twice_gives_the_same(tmp_path: Path) -> None:
    files = {"mcp.yaml": "tools: {a: {value: [1, x]}, b: {value: 1, titel: x}}\n"}
    assert loaded(tmp_path, files) == load(tmp_path / "mcp.yaml", {}, Disk())


def test_the_root_may_be_missing(tmp_path: Path) -> None:
    result = load(tmp_path / "mcp.yaml", {}, Disk())
    assert told(result) == ["mcp.yaml:1:1 missing-file"]
    assert (result.spec, result.document) == (None, None)


def test_a_file_without_end_is_refused(tmp_path: Path) -> None:
    result = loaded(tmp_path, {"mcp.yaml": "tools: {a: {sql: {file: /dev/zero}}}\n"})
    assert [item.code for item in result.diagnostics] == ["unreadable-file"]


def test_no_file_is_read_in_the_code_page_of_the_system(tmp_path: Path) -> None:
    loaded(tmp_path, {"mcp.yaml": "tools: {a: {value: 1, description: Größe 漢字}}\n"})
    program = (
        "from pathlib import Path; from runner.config.files import Disk;"
        "from runner.config.load import load;"
        "print(ascii(load(Path('mcp.yaml'), {}, Disk()).spec.tools['a'].description))"
    )
    legacy = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
    environment = {**legacy, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path, env=environment, capture_output=True, check=True, text=True,
    )  # fmt: skip
    assert done.stdout.strip() == ascii("Größe 漢字")
