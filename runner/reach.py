"""How a source was reached when it was last connected to: for readiness and for the operator."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal


@dataclass(frozen=True, slots=True)
class Reach:
    """What is known of a source without asking it; says nothing of where it is."""

    state: Literal["unused", "up", "down"] = "unused"
    failed_at: datetime | None = None
    """When a connection to it failed last; kept when it is up again."""
