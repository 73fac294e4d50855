"""Values that are bound where an engine is asked for types and nothing is to be found."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

SAMPLES: Final[Mapping[str, object]] = {
    "integer": 1,
    "int64": 1,
    "number": 1.5,
    "boolean": True,
    "decimal": Decimal("1.5"),
    "uuid": "00000000-0000-0000-0000-000000000000",
    "date": "2000-01-01",
    "date-time": "2000-01-01T00:00:00+00:00",
    "time": "00:00:00",
}
"""A value for each type word that says more than null does of what an engine will infer."""
