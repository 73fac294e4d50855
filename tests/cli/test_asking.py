"""`mcp-run call` of a tool that asks first: on a terminal, with `--yes`, and where nobody is."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import KEPT, TIMEOUT_S, Ended, here

MAIN = "import sys; from runner.cli.main import main; main(sys.argv[1:])"
FILE = """mcp: 1
server: {name: asking, version: 1.0.0}
tools:
  drop:
    description: Drops it.
    input: {name: string}
    confirm: "Drop {{ name }}?"
    value: "dropped {{ name }}"
  order:
    description: Orders.
    ask: [size, colours, gift, note]
    input:
      size: {type: integer, title: Size, minimum: 1}
      colours: {type: "string[]", maxItems: 3, items: {enum: [red, blue]}}
      gift: boolean
      note?: {type: string, description: For the card}
    value: {size: $size, colours: $colours, gift: $gift, note: $note}
  visit: {writes: false, python: "asks:visit"}
  think: {writes: false, python: "asks:think"}
"""
CODE = '''
from runner import Context


async def visit(context: Context) -> str:
    """Sends the user away."""
    reply = await context.elicit_url("Pay there.", "https://pay.example.com/7")
    return reply.action


async def think(context: Context) -> str:
    """Asks the client's model."""
    return str(await context.sample("What?", max_tokens=5))
'''
NOBODY = (
    "'{}' asks before it goes on, and nobody can be asked here: call it on a terminal, or with"
    " --yes where it only wants to be confirmed\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mcp.yaml").write_text(FILE, "utf-8")
    (tmp_path / "asks.py").write_text(CODE, "utf-8")
    return tmp_path


def typed(folder: Path, keys: str, *arguments: str) -> tuple[int, str, str]:
    """Status, output, and what the terminal shows, where a person types these keys."""
    master, slave = pty.openpty()
    os.write(master, keys.encode())
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, *arguments],
        cwd=folder, stdin=slave, stdout=subprocess.PIPE, stderr=slave,
        env={name: os.environ[name] for name in KEPT if name in os.environ},
    )  # fmt: skip
    os.close(slave)
    shown = b""
    try:
        while chunk := os.read(master, 65536):
            shown += chunk
    except OSError:  # a terminal whose other end is closed
        pass
    out, _ = process.communicate(timeout=TIMEOUT_S)
    os.close(master)
    return process.returncode, out.decode(), shown.decode().replace("\r\n", "\n")


@pytest.mark.parametrize(
    ("keys", "status", "out", "said"),
    [
        ("y\n", 0, '"dropped tea"\n', ""),
        ("n\n", 1, "", "The user declined; nothing was done."),
        ("\x04", 1, "", "The user cancelled; nothing was done."),
    ],
    ids=["yes", "no", "end"],
)
def test_confirmation_is_asked_on_the_terminal(
    folder: Path, keys: str, status: int, out: str, said: str
) -> None:
    found = typed(folder, keys, "call", "drop", "name=tea", "--no-color")
    assert found[:2] == (status, out)
    assert "Drop tea? [y/N]: " in found[2]
    assert said in found[2]


def test_form_is_filled_in_until_it_fits(folder: Path) -> None:
    keys = "0\nred\nyes\n\n" + "4\nred, blue\nno\nHi\n"
    status, out, shown = typed(folder, keys, "call", "order", "--no-color")
    assert (status, out) == (0, '{"size":4,"colours":["red","blue"],"gift":false,"note":"Hi"}\n')
    for words in (
        "order needs more to go on.\n",
        "Size: ",
        "colours [red, blue] separated by commas: ",
        "note (For the card): ",
        "That does not fit; once more.\n",
    ):
        assert words in shown


def test_what_is_optional_may_be_left_empty(folder: Path) -> None:
    status, out, _ = typed(folder, "4\nred\ny\n\n", "call", "order")
    assert (status, out) == (0, '{"size":4,"colours":["red"],"gift":true}\n')


def test_address_is_shown_and_its_visit_confirmed(folder: Path) -> None:
    status, out, shown = typed(folder, "y\n", "call", "visit")
    assert (status, out) == (0, "accept\n")
    assert "Pay there.\nhttps://pay.example.com/7\nDone? [y/N]: " in shown


def test_yes_confirms_without_a_terminal(folder: Path) -> None:
    ended = here("call", "drop", "name=tea", "--yes", folder=folder)
    assert ended == Ended(0, '"dropped tea"\n', "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("drop", "name=tea"), NOBODY.format("drop")),
        (("visit",), NOBODY.format("visit")),
        (("think", "--yes"), "'think' asks the client's program, and a shell is none\n"),
    ],
    ids=["confirm", "address", "model"],
)
def test_call_that_cannot_ask_says_how_it_could(
    folder: Path, arguments: tuple[str, ...], said: str
) -> None:
    assert here("call", *arguments, folder=folder) == Ended(1, "", said)


def test_missing_values_are_the_ordinary_fault_where_nobody_is_asked(folder: Path) -> None:
    ended = here("call", "order", "gift=true", "colours:=[]", "--yes", folder=folder)
    assert ended == Ended(1, "", "size: required, but missing\n")


def test_call_of_what_is_no_tool_makes_no_database(folder: Path) -> None:
    (folder / "s.sql").write_text("CREATE TABLE t (a);", "utf-8")
    (folder / "mcp.yaml").write_text(
        FILE
        + 'databases: {shop: {url: "sqlite:///shop.db", create: {schema: s.sql}}}\n'
        + "prompts: {welcome: {description: W., template: Hello.}}\n",
        "utf-8",
    )
    ended = here("call", "welcome", folder=folder)
    assert ended.status == 2
    assert "no tool is named 'welcome'; it is a prompt, which clients ask for" in ended.err
    assert not (folder / "shop.db").exists()
