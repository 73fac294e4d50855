"""`mcp-run call`: arguments from the shell, results, failures; in processes of their own."""

import json
from pathlib import Path

import pytest

from tests.cli.command import Ended, here, run


def test_the_result_is_printed_as_a_client_would_get_it(folder: Path) -> None:
    ended = run("call", "find", "title=rug", folder=folder)
    assert (ended.status, ended.err) == (0, "")
    assert json.loads(ended.out) == {"rows": [{"id": 2, "title": "rug"}], "truncated": False}


def test_the_result_is_printed_as_it_is(folder: Path) -> None:
    """Markup and `:words:` in a result are the result's."""
    assert here("call", "words", folder=folder).out == '":smile: [bold]x[/bold]"\n'


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("csv", "id,title\r\n2,rug\r\n"),
        ("markdown", "| id | title |\n| --- | --- |\n| 2 | rug |\n"),
        ("{template: '{{ result.rows|length }} found'}", "1 found\n"),
    ],
    ids=["csv", "markdown", "a line that does not end"],
)
def test_a_text_is_printed_byte_for_byte(folder: Path, text: str, printed: str) -> None:
    """It is there to be kept in a file: no line follows it, and one line break ends it."""
    path = folder / "mcp.yaml"
    end = "ORDER BY {sort} LIMIT :limit\n"
    written = path.read_text(encoding="utf-8").replace(end, f"{end}    result: {{text: {text}}}\n")
    path.write_text(written, encoding="utf-8")
    assert here("call", "find", "title=rug", folder=folder) == Ended(0, printed, "")


def test_a_note_is_no_part_of_the_result(folder: Path) -> None:
    path = folder / "mcp.yaml"
    end = "ORDER BY {sort} LIMIT :limit\n"
    cut = f"{end}    result: {{text: csv, max_rows: 1}}\n"
    path.write_text(path.read_text(encoding="utf-8").replace(end, cut), encoding="utf-8")
    assert here("call", "find", folder=folder) == Ended(
        0,
        "id,title\r\n2,rug\r\n",
        "Only the first 1 rows are shown; narrow the request to see others.\n",
    )
    assert here("call", "find", "-q", folder=folder) == Ended(0, "", "")


def test_another_caller_is_chosen_by_name(folder: Path) -> None:
    ended = here("call", "find", "--as", "sam", folder=folder)
    assert [row["title"] for row in json.loads(ended.out)["rows"]] == ["cup"]


def test_another_caller_is_read_from_claims(folder: Path) -> None:
    (folder / "claims.json").write_text('{"sub": "sam", "iss": "https://auth.example.com"}')
    ended = here("call", "find", "--as", "claims.json", folder=folder)
    assert [row["title"] for row in json.loads(ended.out)["rows"]] == ["cup"]


def test_an_unknown_caller_ends_with_2(folder: Path) -> None:
    ended = here("call", "find", "--as", "adda", folder=folder)
    assert ended.status == 2
    assert "no caller is named 'adda'; known callers: ada, sam; did you mean 'ada'?" in ended.err


def test_a_file_of_claims_that_is_not_there_ends_with_2(folder: Path) -> None:
    ended = here("call", "find", "--as", "none.json", folder=folder)
    assert (ended.status, ended.err.splitlines()[-1]) == (
        2,
        "Error: Invalid value: there is no file 'none.json' of claims",
    )


def test_json_shows_content_and_structure(folder: Path) -> None:
    ended = here("call", "greet", "name=Bo", "--format", "json", folder=folder)
    assert json.loads(ended.out) == {
        "content": ["hello Bo"],
        "isError": False,
    }


@pytest.mark.parametrize("arguments", [(), ("--format", "json")], ids=["text", "json"])
def test_a_failed_tool_ends_with_1_and_says_why_on_standard_error(
    folder: Path, arguments: tuple[str, ...]
) -> None:
    ended = here("call", "add", "title=x", *arguments, folder=folder)
    assert (ended.status, ended.err) == (1, "“x” is too short\n")
    assert bool(ended.out) is bool(arguments)


def test_arguments_that_do_not_fit_end_with_1_naming_each(folder: Path) -> None:
    ended = here("call", "find", "limit=ten", "tite=x", folder=folder)
    assert ended.status == 1
    assert [line.split(":")[0] for line in ended.err.splitlines()] == ["limit", "tite"]


def test_an_unknown_tool_ends_with_2_and_a_suggestion(folder: Path) -> None:
    ended = here("call", "fnd", folder=folder)
    assert (ended.status, ended.out) == (2, "")
    assert "no tool is named 'fnd'; did you mean 'find'?" in ended.err


def test_arguments_come_as_json_as_files_and_from_standard_input(folder: Path) -> None:
    (folder / "title.txt").write_text("a shade", encoding="utf-8")
    ended = here("call", "add", "title=@title.txt", 'labels:=["a", "b"]', folder=folder)
    assert json.loads(ended.out) == {"id": 4, "title": "a shade"}
    given = '{"title": "from json", "labels": []}'
    ended = here("call", "add", "--json", "-", folder=folder, given=given)
    assert json.loads(ended.out) == {"id": 5, "title": "from json"}
    ended = here("call", "add", "title=@-", "--json", "{}", folder=folder, given="piped")
    assert json.loads(ended.out) == {"id": 6, "title": "piped"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("word",), "expected name=value, found 'word'"),
        (("labels:=[",), "'labels' is no JSON: not JSON at line 1, column 2"),
        (
            ("title=@none.txt",),
            "there is no file 'none.txt'; a text that begins with @ is name:='\"@…\"'",
        ),
        (("title=@.",), "'.' cannot be read: is a directory"),
        (("title=@latin.txt",), "'latin.txt' cannot be read as UTF-8 text"),
        (("--json", "[1]"), "expected a JSON object for --json"),
        (("title=a", "title=b"), "'title' is given twice; a list is title:='[…]'"),
        (("title=a", 'title:="b"'), "'title' is given twice; a list is title:='[…]'"),
        (("title=a", "--json", '{"title": "b"}'), "'title' is given as a word and in --json"),
        (("title=@-", "note=@-"), "standard input can be read for one argument, found several"),
        (("title=@-", "--json", "-"), "standard input can be read for one argument, found several"),
    ],
    ids=[
        "form",
        "JSON",
        "no file",
        "folder",
        "encoding",
        "object",
        "twice",
        "as text and JSON",
        "as word and in --json",
        "input twice",
        "input for a word and --json",
    ],
)
def test_arguments_that_cannot_be_read_end_with_2(
    folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    (folder / "latin.txt").write_bytes(b"caf\xe9")
    ended = here("call", "add", *arguments, folder=folder)
    assert (ended.status, ended.err.splitlines()[-1]) == (2, f"Error: {message}")


def test_quiet_tells_a_failure_alone(folder: Path) -> None:
    assert here("call", "words", "-q", folder=folder) == Ended(0, "", "")
    assert here("call", "add", "title=x", "-q", folder=folder).err == "“x” is too short\n"


def test_a_faulty_file_calls_nothing(folder: Path) -> None:
    path = folder / "mcp.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("integer[]", "intger[]"), "utf-8")
    ended = here("call", "words", folder=folder)
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.splitlines()[-1] == "mcp.yaml: 1 error"
