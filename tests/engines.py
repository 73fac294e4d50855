"""The engines that behaviour is asked of, and which of them a test is for.

A test that one engine cannot have says so: `@pytest.mark.engines("sqlite", why="…")`. The other
engines' runs of it are not collected, and the page of engines lists it as a difference.
"""

from collections.abc import Iterable, Mapping

import pytest

ENGINES = ("sqlite", "postgresql", "duckdb", "mariadb")


def fault_of(named: Iterable[object], reason: Mapping[str, object]) -> str | None:
    """What is wrong with the words of a marker, if anything is."""
    engines = list(named)
    unknown = [engine for engine in engines if engine not in ENGINES]
    if unknown:
        return f"expected engines of {', '.join(ENGINES)}, found {unknown[0]!r}"
    if not 0 < len(set(engines)) == len(engines) < len(ENGINES):
        return "expected some engines, each once, and not all"
    why = reason.get("why")
    if set(reason) != {"why"} or not isinstance(why, str) or not why.strip():
        return "expected 'why', and nothing else by name"
    return None


def applies(item: pytest.Item) -> bool:
    """The test is for the engine that this run of it asks; without a marker, for each.

    The engine is the parameter that names one, whichever fixture or test has it.

    Raises:
        pytest.UsageError: the marker is faulty, or stands where no parameter names an engine.
    """
    marks = list(item.iter_markers("engines"))
    if not marks:
        return True
    callspec = getattr(item, "callspec", None)
    values = callspec.params.values() if callspec else ()
    asked = {value for value in values if isinstance(value, str) and value in ENGINES}
    for mark in marks:
        if fault := fault_of(mark.args, mark.kwargs):
            raise pytest.UsageError(f"{item.nodeid}: engines: {fault}")
    if len(asked) != 1:
        raise pytest.UsageError(f"{item.nodeid}: engines: expected one parameter with an engine")
    return all(asked <= set(mark.args) for mark in marks)
