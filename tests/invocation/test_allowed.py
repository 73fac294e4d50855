"""Allowed values: read when they are needed, again when they are old, kept where reading fails."""

import asyncio
import logging
from collections.abc import Sequence

import pytest

from runner.arguments.allowed import allowed, allowed_source
from runner.catalog.allowed import MAX_ALLOWED, Values
from runner.catalog.tool import Tool
from runner.errors import ArgumentsError, BindingError, FieldFault, Kind
from runner.invocation.allowed import AllowedValues
from tests.invocation.tools import tool as a_tool

SOURCE = "allowed:tools.t.input.kind"
REFRESH_S = 60.0
UUID = "7f3c1f7e-6a1b-4a55-9c39-1f0b5a2d9e01"


class Column:
    """A query whose result the test decides, and a clock that it turns."""

    def __init__(self, *values: object) -> None:
        self.values: Sequence[object] = values
        self.fault: BindingError | None = None
        self.now = 1000.0
        self.drawn = 0

    async def draw(self, _tool: Tool) -> object:
        """What the query returns now."""
        self.drawn += 1
        await asyncio.sleep(0)
        if self.fault is not None:
            raise self.fault
        return list(self.values)

    def held(self, word: str = "string") -> AllowedValues:
        """The values of this one source."""
        source = allowed_source(a_tool(), word, refresh_s=REFRESH_S)
        return AllowedValues({SOURCE: source}, self.draw, clock=lambda: self.now)


def test_values_are_read_once_until_they_are_old() -> None:
    column = Column("a", "b")

    async def main() -> None:
        held = column.held()
        assert held.known(SOURCE) is None
        together = await asyncio.gather(*(held.values(SOURCE) for _ in range(5)))
        assert together == [Values(("a", "b"), frozenset({"a", "b"}))] * 5
        column.values = ("b", "c")
        column.now += REFRESH_S - 1
        assert (await held.values(SOURCE)).ordered == ("a", "b")
        assert (column.drawn, held.revision) == (1, 1)
        column.now += 1
        assert (await held.values(SOURCE)).ordered == ("b", "c")
        assert (column.drawn, held.revision) == (2, 2)

    asyncio.run(main())


def test_the_same_values_are_no_change() -> None:
    column = Column("a")

    async def main() -> None:
        held = column.held()
        await held.values(SOURCE)
        column.now += REFRESH_S
        await held.values(SOURCE)
        assert (column.drawn, held.revision) == (2, 1)

    asyncio.run(main())


def test_looking_reads_what_is_old_and_waits_for_nothing() -> None:
    column = Column("a")

    async def main() -> None:
        held = column.held()
        held.look()
        held.look()
        assert (column.drawn, held.known(SOURCE)) == (0, None)
        await held.values(SOURCE)
        held.look()
        assert column.drawn == 1
        column.now += REFRESH_S
        held.look()
        await asyncio.sleep(0)
        assert column.drawn == 2

    asyncio.run(main())


def test_failed_reading_leaves_what_was_known(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    column = Column("a")

    async def main() -> None:
        held = column.held()
        await held.values(SOURCE)
        column.fault = BindingError(Kind.UNAVAILABLE, "gone", reason="no route")
        column.now += REFRESH_S
        assert (await held.values(SOURCE)).ordered == ("a",)
        assert held.revision == 1
        column.fault, column.values = None, ("b",)
        column.now += REFRESH_S
        assert (await held.values(SOURCE)).ordered == ("b",)

    asyncio.run(main())
    assert caplog.messages == ["the values of tools.t.input.kind cannot be read: no route"]


def test_call_fails_where_nothing_could_ever_be_read() -> None:
    column = Column()
    column.fault = BindingError(Kind.TIMEOUT, "too slow", reason="5 s")

    async def main() -> None:
        held = column.held()
        kind = allowed("kind", SOURCE, "string", is_list=False)
        await held.hold({"kind": kind}, {})
        with pytest.raises(BindingError) as caught:
            await held.hold({"kind": kind}, {"kind": "a"})
        assert caught.value.kind is Kind.UNAVAILABLE
        assert str(caught.value) == "the allowed values of 'kind' cannot be read at present"

    asyncio.run(main())


def test_who_cannot_wait_is_held_to_what_was_read_before() -> None:
    column = Column("a")
    kind = {"kind": allowed("kind", SOURCE, "string", is_list=False)}

    async def main() -> None:
        held = column.held()
        column.fault = BindingError(Kind.TIMEOUT, "too slow", reason="5 s")
        await held.renew(kind)
        held.hold_known(kind, {})
        with pytest.raises(BindingError, match=r"values of 'kind' cannot be read"):
            held.hold_known(kind, {"kind": "a"})
        column.fault = None
        column.now += REFRESH_S
        await held.renew(kind)
        held.hold_known(kind, {"kind": "a"})
        with pytest.raises(ArgumentsError, match=r"^kind: expected 'a', found 'b'$"):
            held.hold_known(kind, {"kind": "b"})
        assert column.drawn == 2

    asyncio.run(main())


@pytest.mark.parametrize(
    ("word", "is_list", "column", "value", "faults"),
    [
        ("string", False, ("a", "b"), "a", []),
        ("string", False, ("a", "b"), "A", [FieldFault("p", "expected 'a' or 'b', found 'A'")]),
        ("string", False, (), "a", [FieldFault("p", "no value is allowed at present, found 'a'")]),
        ("string", True, ("a", "b"), ["b", "a", "b"], []),
        ("string", True, ("a",), ["a", "x"], [FieldFault("p[1]", "expected 'a', found 'x'")]),
        ("integer", False, (1, 2), 2, []),
        ("integer", False, (1, 2), 3, [FieldFault("p", "expected 1 or 2, found 3")]),
        ("uuid", False, (UUID.upper(),), UUID, []),
        ("date", False, ("2026-01-31",), "2026-01-31", []),
    ],
)
def test_argument_is_among_the_values(
    word: str, is_list: bool, column: Sequence[object], value: object, faults: list[FieldFault]
) -> None:
    async def main() -> None:
        await Column(*column).held(word).hold({"p": parameter}, {"p": value})

    parameter = allowed("p", SOURCE, word, is_list=is_list)
    if not faults:
        asyncio.run(main())
        return
    with pytest.raises(ArgumentsError) as caught:
        asyncio.run(main())
    assert list(caught.value.faults) == faults


def test_nulls_and_repetitions_are_no_values() -> None:
    async def main() -> Values:
        return await Column("b", None, "a", "b").held().values(SOURCE)

    assert asyncio.run(main()).ordered == ("b", "a")


@pytest.mark.parametrize(
    ("word", "column", "reason"),
    [
        ("string", ("a", 3), "expected text, found 3"),
        ("integer", (1, "2"), "expected an integer, found '2'"),
        ("integer", (True,), "expected an integer, found true"),
        ("uuid", ("abc",), "expected a uuid, found 'abc'"),
        ("date", ("2026-02-30",), "expected a date, found '2026-02-30'"),
        ("string", [str(n) for n in range(MAX_ALLOWED + 1)], f"there are more than {MAX_ALLOWED}"),
    ],
    ids=["text", "integer", "boolean", "uuid", "date", "many"],
)
def test_column_that_cannot_be_the_values_says_why(
    word: str, column: Sequence[object], reason: str
) -> None:
    async def main() -> None:
        await Column(*column).held(word).values(SOURCE)

    with pytest.raises(BindingError) as caught:
        asyncio.run(main())
    assert caught.value.reason == reason
