"""`validate` says where 'no faults' is not the whole truth: SQL that no engine has seen."""

from pathlib import Path

import pytest

from tests.cli.command import here

UNPROVEN = "database 'shop': its SQL is not proven; --connect asks it\n"
GOOD = "mcp.yaml: no faults, 1 tool\n"
SQL = "sql: SELECT id FROM misspelt"
STEPS = "steps: [{sql: SELECT id FROM misspelt, as: a}]"
VALUE = "value: 1"


@pytest.mark.parametrize(
    ("body", "options", "told"),
    [
        (SQL, (), UNPROVEN + GOOD),
        (STEPS, (), UNPROVEN + GOOD),
        (SQL, ("-q",), ""),
        (VALUE, (), GOOD),
        (VALUE, ("-v",), UNPROVEN + GOOD),
    ],
    ids=["sql", "steps", "quiet", "no-sql", "verbose"],
)
def test_unproven_sql_is_told(
    tmp_path: Path, body: str, options: tuple[str, ...], told: str
) -> None:
    (tmp_path / "mcp.yaml").write_text(
        "mcp: 1\nserver: {name: shop, version: 1.0.0}\n"
        'databases: {shop: {url: "sqlite:///shop.db"}}\n'
        f"tools: {{t: {{description: Reads., {body}}}}}\n"
    )
    ended = here("validate", *options, folder=tmp_path)
    assert (ended.status, ended.out, ended.err) == (0, "", told)


@pytest.mark.parametrize("options", [(), ("--connect",)], ids=["alone", "connect"])
@pytest.mark.parametrize(
    ("database", "told", "verdict"),
    [
        (
            '{url: "shillelagh://"}',
            "its SQL is not proven: nothing can prove a statement of shillelagh",
            "mcp.yaml: 1 warning, 1 tool\n",
        ),
        (
            '{url: "sqlite:///shop.db", startup: lazy}',
            "its SQL is not proven: with 'startup: lazy' it is not asked",
            GOOD,
        ),
    ],
    ids=["another dialect", "lazy"],
)
def test_what_no_option_would_prove_is_told_so(
    tmp_path: Path, database: str, told: str, verdict: str, options: tuple[str, ...]
) -> None:
    (tmp_path / "mcp.yaml").write_text(
        "mcp: 1\nserver: {name: shop, version: 1.0.0}\n"
        f"databases: {{shop: {database}}}\n"
        f"tools: {{t: {{description: Reads., {SQL}}}}}\n"
    )
    ended = here("validate", *options, folder=tmp_path)
    assert (ended.status, ended.err) == (0, f"database 'shop': {told}\n{verdict}")


def test_unproven_sql_is_not_told_beside_errors(tmp_path: Path) -> None:
    (tmp_path / "mcp.yaml").write_text(
        "mcp: 1\nserver: {name: shop, version: 1.0.0}\n"
        'databases: {shop: {url: "sqlite:///shop.db"}}\n'
        "tools: {t: {description: Reads., sql: SELECT id FROM items, timeout: soon}}\n"
    )
    assert here("validate", folder=tmp_path).err == "mcp.yaml: 1 error\n"


def test_proven_sql_is_not_told(tmp_path: Path) -> None:
    (tmp_path / "s.sql").write_text("CREATE TABLE items (id INTEGER);")
    (tmp_path / "mcp.yaml").write_text(
        "mcp: 1\nserver: {name: shop, version: 1.0.0}\n"
        'databases: {shop: {url: "sqlite:///shop.db", create: {schema: s.sql}}}\n'
        "tools: {t: {description: Reads., sql: SELECT id FROM items}}\n"
    )
    assert here("validate", folder=tmp_path).err == GOOD
