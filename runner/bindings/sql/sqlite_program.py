"""SQLite's compiled program of a statement, as EXPLAIN lists it: can an instruction run twice?

A program that finds one row by a unique key goes straight from its start to its end: it has no
loop, calls no function and opens no virtual table. It runs a few dozen instructions however many
rows there are; how many bytes one of them reads, it does not say. The list below is closed: an
instruction that a later SQLite adds is not in it, so that its programs count as loops until
somebody has looked.
"""

from collections.abc import Sequence
from typing import Final

Instruction = Sequence[object]
"""A row of EXPLAIN: address, name, p1, p2, p3, p4, p5, comment."""
_STARTS: Final = frozenset({"Init", "Transaction", "OpenRead", "Noop", "Explain", "Halt"})
_SEEKS: Final = frozenset({"SeekRowid", "NotExists", "SeekGE", "SeekLE", "DeferredSeek", "SeekHit"})
_READS: Final = frozenset({"Column", "Rowid", "IdxRowid", "NullRow", "ResultRow"})
_VALUES: Final = frozenset(
    {
        *("Variable", "Integer", "Int64", "Real", "String8", "Blob", "Null", "SoftNull"),
        *("Copy", "SCopy", "Move", "Cast", "Affinity", "RealAffinity", "MustBeInt"),
    }
)
_OPERATORS: Final = frozenset(
    {
        *("Add", "Subtract", "Multiply", "Divide", "Remainder", "Concat"),
        *("BitAnd", "BitOr", "BitNot", "ShiftLeft", "ShiftRight", "AddImm", "OffsetLimit"),
        *("And", "Or", "Not", "IsTrue"),
    }
)
_TESTS: Final = frozenset(
    {
        *("Eq", "Ne", "Lt", "Le", "Gt", "Ge", "If", "IfNot", "IfPos", "IsNull", "NotNull"),
        *("IdxGT", "IdxGE", "IdxLT", "IdxLE", "IfNullRow", "DecrJumpZero", "Goto", "CollSeq"),
    }
)
_JUMPS: Final = (_TESTS | _SEEKS) - {"CollSeq", "DeferredSeek", "SeekHit"}
"""Each jumps to the address in its p2."""
_KNOWN: Final = _STARTS | _SEEKS | _READS | _VALUES | _OPERATORS | _TESTS


def runs_once(program: Sequence[Instruction]) -> bool:
    """Whether every instruction of the program runs once at most.

    The program's own frame is `Init`, which jumps to the end, and the `Goto` there, which jumps
    back to the first instruction after it.
    """
    if not program or program[0][1] != "Init" or tuple(program[-1][1:4]) != ("Goto", 0, 1):
        return False
    return all(_is_known_and_forward(step) for step in program[:-1])


def _is_known_and_forward(step: Instruction) -> bool:
    address, name, _p1, target = step[:4]
    if name not in _KNOWN:
        return False
    if name not in _JUMPS:
        return True
    return isinstance(address, int) and isinstance(target, int) and target > address
