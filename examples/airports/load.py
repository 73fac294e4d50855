"""Loads the airports of the PyPI package `vega-datasets` into a SQLite database.

pip install vega-datasets rich
python examples/airports/load.py [airports.db]
"""

import csv
import io
import pkgutil
import sqlite3
import sys
from pathlib import Path

from rich.progress import track

HERE = Path(__file__).parent
INSERT = (
    "INSERT INTO airports VALUES (:iata, :name, :city, :state, :country, :latitude, :longitude)"
)


def rows() -> list[dict[str, str | float | None]]:
    """The airports as in the package; `NA` is nothing.

    Places become numbers here: some versions of SQLite read `-87.59553528` as its neighbour.
    """
    text = pkgutil.get_data("vega_datasets", "_data/airports.csv")
    if text is None:
        raise SystemExit("the package vega-datasets has no airports.csv")
    read = csv.DictReader(io.StringIO(text.decode("utf-8")))
    return [{key: cell(key, value) for key, value in row.items()} for row in read]


def cell(column: str, text: str) -> str | float | None:
    """The value of one cell."""
    if column in ("latitude", "longitude"):
        return float(text)
    return None if text == "NA" else text


def load(path: Path) -> int:
    """Makes the database at `path` anew and returns how many airports it holds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    airports = rows()
    database = sqlite3.connect(path)
    with database:
        database.executescript((HERE / "schema.sql").read_text(encoding="utf-8"))
        for row in track(airports, description="Loading airports", transient=True):
            database.execute(INSERT, row)
    database.close()
    return len(airports)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "airports.db"
    print(f"{load(target)} airports in {target}")
