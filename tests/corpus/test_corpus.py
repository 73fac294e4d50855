"""Awkward statements, as authors write them: proven, run and answered whole, on each engine.

Where a statement is not legal, the engine's own word or ours refuses it before anything is served.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from textwrap import indent

import pytest

from runner.catalog.sources import Database
from tests.bindings.sql.lab import database_of, open_lab
from tests.corpus.case import Case, read_corpus
from tests.engines import ENGINES
from tests.faults.sql.served import checked, codes, serve

CORPUS = read_corpus()
LEAST = 120
LEGAL = [(case, engine) for case in CORPUS for engine in ENGINES if engine in case.legal]
FAILING = [(case, engine) for case in CORPUS for engine in ENGINES if engine in case.fails]
ILLEGAL = [
    (case, engine)
    for case in CORPUS
    for engine in ENGINES
    if engine not in {*case.legal, *case.fails}
]
Empty = Callable[[str], Database]


def _names(pairs: list[tuple[Case, str]]) -> list[str]:
    return [f"{engine}-{case.theme}-{case.name}" for case, engine in pairs]


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Empty]:
    """A database of each engine with nothing in it, for the statements that need no table."""
    with ExitStack() as stack:
        opened: dict[str, Database] = {}

        def database(engine: str) -> Database:
            if engine not in opened:
                folder = tmp_path_factory.mktemp(engine)
                opened[engine] = stack.enter_context(_made(engine, folder, ()))
            return opened[engine]

        yield database


@pytest.fixture
def database(request: pytest.FixtureRequest, tmp_path: Path, empty: Empty) -> Iterator[Database]:
    """The database of one case."""
    case, engine = request.param
    if not case.prepares(engine):
        yield empty(engine)
        return
    with _made(engine, tmp_path, case.prepares(engine)) as made:
        yield made


@contextmanager
def _made(engine: str, folder: Path, set_up: Sequence[str]) -> Iterator[Database]:
    with database_of(engine, folder) as made:
        with open_lab(made) as lab:
            lab.execute(*set_up)
        yield made


def _file(case: Case, database: Database, folder: Path) -> str:
    """The text of mcp.yaml; the files beside it are written."""
    for name, text in case.files.items():
        (folder / name).write_bytes(text.encode())
    return (
        "mcp: 1\nserver: {name: corpus, version: 1.0.0}\n"
        f'databases:\n  main: {{url: "{database.url.reveal()}"}}\n'
        "tools:\n  statement:\n    description: A statement of the corpus.\n"
        + indent(case.tool, "    ")
    )


@pytest.mark.parametrize(
    ("database", "case", "engine"),
    [((case, engine), case, engine) for case, engine in LEGAL],
    ids=_names(LEGAL),
    indirect=["database"],
)
def test_statement_is_proven_and_gives_its_rows(
    case: Case, engine: str, database: Database, tmp_path: Path
) -> None:
    with serve(tmp_path, _file(case, database, tmp_path)) as server:
        answers = [server.call("statement", **ask.send) for ask in case.calls]

    assert [answer.text for answer in answers if answer.is_error] == []
    found = [[list(row.items()) for row in answer.rows] for answer in answers]
    assert found == [[list(row.items()) for row in ask.expected(engine)] for ask in case.calls]


@pytest.mark.parametrize(
    ("database", "case", "engine"),
    [((case, engine), case, engine) for case, engine in ILLEGAL],
    ids=_names(ILLEGAL),
    indirect=["database"],
)
def test_statement_of_other_engines_is_refused_with_a_diagnostic(
    case: Case, engine: str, database: Database, tmp_path: Path
) -> None:
    found = checked(tmp_path, _file(case, database, tmp_path), {})

    assert set(codes(found)) == {case.code(engine)}, found.diagnostics


@pytest.mark.parametrize(
    ("database", "case", "engine"),
    [((case, engine), case, engine) for case, engine in FAILING],
    ids=_names(FAILING),
    indirect=["database"],
)
def test_statement_that_an_engine_can_only_run_to_refuse_fails_there(
    case: Case, engine: str, database: Database, tmp_path: Path
) -> None:
    with serve(tmp_path, _file(case, database, tmp_path)) as server:
        assert {server.refusal("statement", **ask.send) for ask in case.calls} == {
            case.fails[engine]
        }


def test_corpus_is_large_and_each_case_is_told_apart() -> None:
    assert len(CORPUS) >= LEAST
    assert len({case.name for case in CORPUS}) == len(CORPUS)


def test_corpus_names_known_engines_and_says_why_they_differ() -> None:
    named = {engine for case in CORPUS for engine in (*case.legal, *case.refused, *case.fails)}
    assert named == {*ENGINES}
    differing = [case for case in CORPUS if any(ask.differs() for ask in case.calls)]
    assert [case.name for case in differing if not case.because] == []


def test_corpus_has_no_word_that_nothing_reads() -> None:
    """An engine has one end, and rows of its own only where the statement runs."""
    for case in CORPUS:
        ends = [*case.legal, *case.refused, *case.fails]
        assert len(ends) == len(set(ends)), case.name
        rows = {engine for ask in case.calls if ask.differs() for engine in ask.rows}
        assert rows <= {*case.legal, "otherwise"}, case.name
