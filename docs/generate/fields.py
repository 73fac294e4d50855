"""The fields of `mcp.yaml` as Markdown: read off the models of `runner.config.spec`."""

import typing
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docs.generate.field_types import default_in_words, in_words, sections_of
from runner.config.availability import NEVER, is_available
from runner.config.descriptions import descriptions
from runner.config.spec.model import Section
from runner.config.spec.root import ServerSpec

LATER = "*Not in this version.*"
LAST = "defaults"
"""Its fields repeat those of tools, which are told first."""
NAMES = {
    "databases": "NAME", "apis": "NAME", "callers": "NAME", "tools": "NAME", "resources": "NAME",
    "prompts": "NAME", "endpoints": "NAME", "views": "NAME", "arguments": "NAME", "input": "NAME",
    "columns": "NAME", "fields": "NAME", "skills": "NAME",
}  # fmt: skip
"""Sections whose entries have names that the author chooses; the entries of others are a list."""


@dataclass(frozen=True, slots=True)
class Place:
    """A section of the file at the first path where it stands, if it can be one that is read."""

    path: tuple[str, ...]
    model: type[Section]

    @property
    def is_available(self) -> bool:
        """This version reads it."""
        return all(is_available(self.path[:end]) for end in range(1, len(self.path) + 1))

    @property
    def title(self) -> str:
        """As a reader writes the path: `tools.NAME.check[]`."""
        text = ""
        for before, step in zip(("", *self.path), self.path, strict=False):
            if step != "*":
                text += f".{step}" if text else step
            else:
                text += f".{NAMES[before]}" if before in NAMES else "[]"
        return text or "mcp.yaml"

    @property
    def anchor(self) -> str:
        """Where links to it lead."""
        return f"section-{self.model.__name__.lower()}"


def places() -> Sequence[Place]:
    """Every section once, a section before those inside it, the root first."""
    found: dict[type[Section], Place] = {}
    _collect((), ServerSpec, found)
    return list(found.values())


def fields_as_markdown() -> str:
    """The reference of the whole file: a heading, a sentence and a table a section."""
    known = {place.model: place for place in places()}
    return "\n".join(_section(place, known) for place in known.values())


def _collect(
    path: tuple[str, ...], model: type[Section], found: dict[type[Section], Place]
) -> None:
    place, known = Place(path, model), found.get(model)
    if known is not None and (known.is_available or not place.is_available):
        return
    found.pop(model, None)
    found[model] = place
    hints = typing.get_type_hints(model, include_extras=True)
    names = sorted(model.model_fields, key=lambda name: model is ServerSpec and name == LAST)
    for name in names:
        key = model.model_fields[name].alias or name
        for steps, below in sections_of(hints[name]):
            _collect((*path, key, *steps.split(".")[1:]), below, found)


def _section(place: Place, known: dict[type[Section], Place]) -> str:
    is_outer = len([step for step in place.path if step != "*"]) < 2
    level = "##" if is_outer else "###"
    first = " ".join((place.model.__doc__ or "").split("\n\n")[0].split())
    lines = [f'{level} `{place.title}` <a id="{place.anchor}"></a>', "", first]
    if not place.is_available:
        lines.append(LATER)
    lines += ["", "| field | value | default | |", "|---|---|---|---|", *_rows(place, known)]
    return "\n".join(lines) + "\n"


def _rows(place: Place, known: dict[type[Section], Place]) -> Iterator[str]:
    hints = typing.get_type_hints(place.model, include_extras=True)
    means = descriptions(place.model)
    for name, field in place.model.model_fields.items():
        key = field.alias or name
        value = in_words(hints[name])
        links = [known[model] for _, model in sections_of(hints[name])]
        if links:
            parts = [f"[section](#{link.anchor})" for link in links]
            value = value.replace("section", "{}").format(*parts)
        text = means[key].replace("|", "\\|")
        path = (*place.path, key)
        # What is only misplaced there is said of the place, not of the version.
        is_later = place.is_available and not is_available(path) and ".".join(path) not in NEVER
        mark = f" {LATER}" if is_later else ""
        default = default_in_words(field, hints[name])
        yield f"| `{key}` | {value} | {default} | {text}{mark} |"
