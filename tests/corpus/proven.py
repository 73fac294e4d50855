"""Where a case is asked: beside all others of its engine, or alone.

A case that needs neither tables nor files is a tool of one mcp.yaml with all others of its engine,
which is proven and served once, as an author's file with many tools is. The others have a
database and a file of their own.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent

from runner.catalog.sources import Database
from runner.diagnostics import Diagnostic
from tests.bindings.sql.lab import database_of, open_lab
from tests.corpus.case import Case
from tests.faults.sql.served import Answer, Server, checked, opened, serve

HEAD = "mcp: 1\nserver: {name: corpus, version: 1.0.0}\n"


@dataclass(frozen=True, slots=True)
class Proven:
    """One case, proven on an engine."""

    faults: Sequence[Diagnostic]
    """Its errors; where there is one, it cannot be called."""
    tool: str
    server: Server | None

    @property
    def codes(self) -> set[str]:
        """Of its errors."""
        return {fault.code for fault in self.faults}

    def call(self, **arguments: object) -> Answer:
        """The answer to one call."""
        assert self.server is not None, self.faults
        return self.server.call(self.tool, **arguments)

    def refusal(self, **arguments: object) -> str:
        """The words of a call that must fail."""
        assert self.server is not None, self.faults
        return self.server.refusal(self.tool, **arguments)


@contextmanager
def alone(case: Case, engine: str, folder: Path) -> Iterator[Proven]:
    """A case with a database and a file of its own."""
    for name, text in case.files.items():
        (folder / name).write_bytes(text.encode())
    with _database(engine, folder, case.prepares(engine)) as database:
        found = checked(folder, _head(database) + _tool("statement", case), {})
        faults = _errors(found.diagnostics)
        if faults:
            yield Proven(faults, "statement", None)
            return
        with opened(found) as server:
            yield Proven(faults, "statement", server)


@contextmanager
def together(cases: Sequence[Case], engine: str, folder: Path) -> Iterator[Mapping[str, Proven]]:
    """Cases by name that share a file and a database with nothing in it.

    All of them are proven; those without fault are then served.
    """
    with _database(engine, folder, ()) as database:
        head = _head(database)
        written = {f"statement_{number}": case for number, case in enumerate(cases)}
        faults = _faults(head, written, folder)
        sound = {tool: case for tool, case in written.items() if not faults[tool]}
        tools = "".join(_tool(tool, case) for tool, case in sound.items())
        with serve(folder, head + tools) as server:
            yield {
                case.name: Proven(faults[tool], tool, server if tool in sound else None)
                for tool, case in written.items()
            }


def _faults(
    head: str, written: Mapping[str, Case], folder: Path
) -> Mapping[str, Sequence[Diagnostic]]:
    """The errors of each tool; there are no others."""
    found: dict[str, Sequence[Diagnostic]] = {}
    text = head
    ends: list[tuple[int, str]] = []
    for tool, case in written.items():
        text += _tool(tool, case)
        ends.append((text.count("\n"), tool))
    errors = _errors(checked(folder, text, {}).diagnostics)
    begin = head.count("\n")
    for end, tool in ends:
        found[tool] = [error for error in errors if begin < error.position.line <= end]
        begin = end
    assert sum(map(len, found.values())) == len(errors), errors
    return found


@contextmanager
def _database(engine: str, folder: Path, set_up: Sequence[str]) -> Iterator[Database]:
    with database_of(engine, folder) as made:
        with open_lab(made) as lab:
            lab.execute(*set_up)
        yield made


def _head(database: Database) -> str:
    return f'{HEAD}databases:\n  main: {{url: "{database.url.reveal()}"}}\ntools:\n'


def _tool(name: str, case: Case) -> str:
    end = "" if case.tool.endswith("\n") else "\n"
    text = indent(case.tool, "    ") + end
    return f"  {name}:\n    description: A statement of the corpus.\n{text}"


def _errors(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    return [item for item in diagnostics if item.severity == "error"]
