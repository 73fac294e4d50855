"""The corpus as data: awkward statements, where each is legal, and what each gives.

A file is a theme, a list of cases. `tool` is text of an mcp.yaml as its author writes it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from tests.engines import ENGINES

FOLDER = Path(__file__).parent
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Every process of the tests reads the corpus; the one in C takes an eighth of the time."""
Rows = Sequence[Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class Ask:
    """One call, and the rows that come back."""

    send: Mapping[str, object] = field(default_factory=dict)
    rows: Rows | Mapping[str, Rows] = ()
    """The same on every engine, or by engine with `otherwise` for the rest."""

    def expected(self, engine: str) -> Rows:
        """The rows on one engine."""
        if isinstance(self.rows, Mapping):
            return self.rows[engine if engine in self.rows else "otherwise"]
        return self.rows

    def differs(self) -> bool:
        """Not every engine gives the same."""
        return isinstance(self.rows, Mapping)


@dataclass(frozen=True, slots=True)
class Case:
    """One statement."""

    theme: str
    name: str
    legal: Sequence[str]
    """The engines where it is legal."""
    tool: str
    """The tool's fields, `sql` among them, in YAML."""
    calls: Sequence[Ask]
    set_up: Sequence[str] | Mapping[str, Sequence[str]] = ()
    """Statements that run before: everywhere, also where the case is refused, or by engine."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Files beside mcp.yaml, by name."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Engine → code of the diagnostic, where it is not `sql-refused`."""
    fails: Mapping[str, str] = field(default_factory=dict)
    """Engine → the tool's error, where the text is legal but what it does is not."""
    because: str = ""
    """Why engines differ."""

    def prepares(self, engine: str) -> Sequence[str]:
        """The statements that run before, on one engine."""
        return self.set_up.get(engine, ()) if isinstance(self.set_up, Mapping) else self.set_up

    def is_alone(self, engine: str) -> bool:
        """It needs tables or files, which other cases would see."""
        return bool(self.prepares(engine) or self.files)

    def code(self, engine: str) -> str:
        """The diagnostic on an engine where it is not legal."""
        return self.refused.get(engine, "sql-refused")


def read_corpus() -> tuple[Case, ...]:
    """Every case of every theme, in the order of files and lines."""
    return tuple(
        _case(path.stem, entry)
        for path in sorted(FOLDER.glob("*.yaml"))
        for entry in yaml.load(path.read_text("utf-8"), LOADER)
    )


def _case(theme: str, entry: dict[str, object]) -> Case:
    fields = dict(entry)
    if fields["legal"] == "everywhere":
        fields["legal"] = ENGINES
    if "calls" not in fields:
        fields["calls"] = [{key: fields.pop(key) for key in ("send", "rows") if key in fields}]
    fields["calls"] = tuple(_asks(fields["calls"]))
    return Case(theme, **fields)  # type: ignore[arg-type]  # an unknown field is an error here


def _asks(calls: object) -> Iterator[Ask]:
    assert isinstance(calls, list)
    for call in calls:
        yield Ask(**call)
