"""Paths into a value of JSON or of the file: how one is followed, how a reader writes it.

A path is keys and list positions from the root; nothing here knows what they mean.
"""

from collections.abc import Iterable, Mapping

Path = tuple[str | int, ...]
"""`("tools", "search", "check", 0, "that")`; empty for the root."""


def dotted(path: Iterable[str | int]) -> str:
    """The path as a reader writes it: `steps[0].text`; empty for the root."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def value_at(root: object, path: Path) -> object:
    """What stands at `path`; None where nothing does."""
    node = root
    for step in path:
        match node:
            case Mapping() if step in node:
                node = node[step]
            case list() if isinstance(step, int) and step < len(node):
                node = node[step]
            case _:
                return None
    return node
