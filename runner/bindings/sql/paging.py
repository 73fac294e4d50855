"""Sealed cursors: where a listing goes on, bound to the tool, the caller and the arguments."""

import hashlib

from runner.catalog.call import Call
from runner.catalog.sql import Page, SqlPlan
from runner.codec.json import encode
from runner.codec.seal import Seal, SealError
from runner.codec.values import plain
from runner.errors import BindingError, Kind

CURSOR = "cursor"
OFFSET = "offset"


class Pager:
    """Opens and seals the cursors of one tool."""

    def __init__(self, plan: SqlPlan, page: Page, *, tool: str, seal: Seal) -> None:
        self.key = tuple(page.key)
        self._tool = tool
        self._seal = seal
        self._unbound = {CURSOR, OFFSET, page.size}
        self._unbound |= {name for name, known in plan.parameters.items() if known.hidden}

    def open(self, call: Call) -> dict[str, object]:
        """What the cursor adds to the values that statements bind.

        Raises:
            BindingError: the cursor was not given out for this call.
        """
        sent = call.arguments.get(CURSOR)
        if sent is None:
            return {} if self.key else {OFFSET: 0}
        try:
            opened = self._seal.open(str(sent), purpose=self._purpose(call))
        except SealError as error:
            message = (
                "cursor: expected one that an earlier call with the same arguments returned; "
                "leave it out to begin anew"
            )
            raise BindingError(Kind.INVALID, message, field=CURSOR) from error
        if not self.key:
            return {CURSOR: {OFFSET: opened}, OFFSET: opened}
        values = opened if isinstance(opened, list) else []
        return {CURSOR: dict(zip(self.key, values, strict=True))}

    def seal_key(self, call: Call, key: tuple[object, ...]) -> str:
        """The cursor that goes on after the row with this key."""
        for column, value in zip(self.key, key, strict=True):
            if value is None:
                message = f"column '{column}' of the page's key is null in a row"
                raise BindingError(Kind.INVALID, message, field=column)
        values = [value if isinstance(value, int) else plain(value) for value in key]
        return self._seal.close(values, purpose=self._purpose(call))

    def seal_offset(self, call: Call, offset: int) -> str:
        """The cursor that goes on at this row."""
        return self._seal.close(offset, purpose=self._purpose(call))

    def _purpose(self, call: Call) -> bytes:
        bound = {
            name: plain(value)
            for name, value in sorted(call.arguments.items())
            if name not in self._unbound
        }
        text = encode([self._tool, call.context.caller.principal, bound])
        return hashlib.sha256(text).digest()
