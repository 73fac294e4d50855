"""The live side of `value`: builds the plan's tree from the call's scope."""

from dataclasses import dataclass
from typing import ClassVar

from runner.catalog.call import Call, Outcome
from runner.catalog.plans import ValuePlan


@dataclass(frozen=True, slots=True)
class ValueBinding:
    """Answers with a tree; touches nothing."""

    keeps_time: ClassVar[bool] = False
    plan: ValuePlan

    async def invoke(self, call: Call) -> Outcome:
        """The tree as a structured value.

        Raises:
            ExpressionError: an item is missing or a limit is reached.
        """
        return self.outcome(call)

    def outcome(self, call: Call) -> Outcome:
        """The same, at once.

        Raises:
            ExpressionError: as `invoke`.
        """
        return Outcome(self.plan.tree.build(call.scope))
