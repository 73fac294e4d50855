"""Awkward statements, as authors write them: proven, run and answered whole, on each engine.

Where a statement is not legal, the engine's own word or ours refuses it before anything is served.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.corpus.case import Case, read_corpus
from tests.corpus.proven import Proven, alone, together
from tests.engines import ENGINES

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
Shared = Callable[[str], Mapping[str, Proven]]


def _names(pairs: list[tuple[Case, str]]) -> list[str]:
    return [f"{engine}-{case.theme}-{case.name}" for case, engine in pairs]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    """What an engine says to all cases that share a file, by their names."""
    with ExitStack() as stack:
        asked: dict[str, Mapping[str, Proven]] = {}

        def of(engine: str) -> Mapping[str, Proven]:
            if engine not in asked:
                cases = [case for case in CORPUS if not case.is_alone(engine)]
                folder = tmp_path_factory.mktemp(engine)
                asked[engine] = stack.enter_context(together(cases, engine, folder))
            return asked[engine]

        yield of


@pytest.fixture
def proven(case: Case, engine: str, shared: Shared, tmp_path: Path) -> Iterator[Proven]:
    """The case on the engine."""
    if case.is_alone(engine):
        with alone(case, engine, tmp_path) as found:
            yield found
    else:
        yield shared(engine)[case.name]


@pytest.mark.parametrize(("case", "engine"), LEGAL, ids=_names(LEGAL))
def test_statement_is_proven_and_gives_its_rows(case: Case, engine: str, proven: Proven) -> None:
    assert proven.faults == []
    answers = [proven.call(**ask.send) for ask in case.calls]

    assert [answer.text for answer in answers if answer.is_error] == []
    found = [[list(row.items()) for row in answer.rows] for answer in answers]
    assert found == [[list(row.items()) for row in ask.expected(engine)] for ask in case.calls]


@pytest.mark.parametrize(("case", "engine"), ILLEGAL, ids=_names(ILLEGAL))
def test_statement_of_other_engines_is_refused_with_a_diagnostic(
    case: Case, engine: str, proven: Proven
) -> None:
    assert proven.codes == {case.code(engine)}, proven.faults


@pytest.mark.parametrize(("case", "engine"), FAILING, ids=_names(FAILING))
def test_statement_that_an_engine_can_only_run_to_refuse_fails_there(
    case: Case, engine: str, proven: Proven
) -> None:
    assert proven.faults == []
    assert {proven.refusal(**ask.send) for ask in case.calls} == {case.fails[engine]}


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
