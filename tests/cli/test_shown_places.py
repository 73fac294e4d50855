"""Places are shown from where the command runs, so that editors and reviews find them."""

from pathlib import Path

import pytest

from runner.cli.main import run

BROKEN = "mcp: 1\nserver: {name: shop, version: 1}\ntools:\n  hello: {value: hi, descripton: x}\n"


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file with a fault in a folder below the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "servers").mkdir()
    (tmp_path / "servers/mcp.yaml").write_text(BROKEN, encoding="utf-8")
    return "servers/mcp.yaml"


@pytest.mark.parametrize("form", ["text", "json", "github", "sarif"])
def test_validate_names_the_file_as_the_shell_sees_it(
    elsewhere: str, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["validate", "-f", elsewhere, "--format", form]) == 1
    assert elsewhere in capsys.readouterr().out


@pytest.mark.parametrize("words", [["list"], ["call", "hello"]], ids=lambda words: words[0])
def test_every_command_names_the_file_as_the_shell_sees_it(
    elsewhere: str, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*words, "-f", elsewhere]) == 1
    assert f"{elsewhere}:4:22: unknown-field" in capsys.readouterr().err
