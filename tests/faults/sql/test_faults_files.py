"""Files that DuckDB may not read, or that are not there: named as written, with `external`."""

from pathlib import Path

import pytest

from runner.app import check

FILE = """mcp: 1
server: {{name: probe, version: 1.0.0}}
databases: {{d: {{url: "duckdb://", external: data}}}}
tools:
  a:
    description: A.
    sql: FROM {source}
"""
REFUSED = "no statement of this database may read the file"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("'outside.csv'", f"{REFUSED} 'outside.csv'"),
        ("read_csv('data/link.csv')", f"{REFUSED} 'data/link.csv'"),
        ("'https://example.com/a.csv'", f"{REFUSED} 'https://example.com/a.csv'"),
        ("'data/nowhere.csv'", "there is no file 'data/nowhere.csv'"),
        ("'data/*.json'", "there is no file 'data/*.json'"),
    ],
)
def test_file_that_is_not_read_is_named_as_written(
    tmp_path: Path, source: str, expected: str
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "outside.csv").write_text("x\n1\n")
    (tmp_path / "data/link.csv").symlink_to(tmp_path / "outside.csv")
    path = tmp_path / "mcp.yaml"
    path.write_text(FILE.format(source=source))
    found = check(path, {}, connects=True).diagnostics
    assert [(item.code, item.message, item.position.line) for item in found] == [
        ("sql-refused", expected, 7)
    ]
    assert "'external'" in str(found[0].hint)
