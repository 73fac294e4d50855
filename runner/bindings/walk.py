"""The live side of completing a path: the files below a folder whose paths begin with a text.

By the rules of `runner.bindings.files`: nothing hidden, nothing beyond the root, regular files
alone. Folders behind symbolic links are not walked, so that no walk goes in circles.
"""

import asyncio
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import ClassVar, Final

from runner.catalog.call import Call, Outcome
from runner.catalog.completion import MAX_SUGGESTIONS
from runner.catalog.plans import ListingPlan

MAX_ENTRIES: Final = 10_000
"""Of folders, looked at for one answer: some 20 ms."""


@dataclass(frozen=True, slots=True)
class ListingBinding:
    """Names files."""

    keeps_time: ClassVar[bool] = False
    plan: ListingPlan

    async def invoke(self, call: Call) -> Outcome:
        """The paths as a list, at most one more than may be suggested."""
        typed = str(call.arguments[self.plan.parameter])
        return await asyncio.to_thread(self._found, typed)

    def _found(self, typed: str) -> Outcome:
        walk = _Walk(os.path.realpath(self.plan.root), typed)
        found = list(islice(walk.paths(), MAX_SUGGESTIONS + 1))
        found.sort(key=lambda path: not path.startswith(typed))
        note = "The folder has more files than are looked at." if walk.left < 0 else None
        return Outcome(found, note=note)


class _Walk:
    """One walk: the files of a folder first, then its folders."""

    def __init__(self, root: str, typed: str) -> None:
        self._root = root
        self._typed = typed.casefold()
        self.left = MAX_ENTRIES
        """How many entries may still be looked at; below 0 there were more."""

    def paths(self) -> Iterator[str]:
        """The paths below the root, with `/`, in order."""
        waiting = [""]
        while waiting and self.left >= 0:
            above = waiting.pop()
            folders: list[str] = []
            for entry in self._entries(above):
                path = above + entry.name
                if entry.is_dir(follow_symlinks=False):
                    folders.append(f"{path}/")
                elif path.casefold().startswith(self._typed) and self._is_served(entry):
                    yield path
            waiting += [path for path in reversed(folders) if self._may_hold(path)]

    def _entries(self, above: str) -> list["os.DirEntry[str]"]:
        try:
            with os.scandir(os.path.join(self._root, above)) as entries:
                found = list(islice(entries, self.left + 1))
        except OSError:
            return []  # it was removed, or is not ours to read: nothing of it is served
        self.left -= len(found)
        return sorted((item for item in found if _is_named(item.name)), key=lambda item: item.name)

    def _may_hold(self, folder: str) -> bool:
        folded = folder.casefold()
        return folded.startswith(self._typed) or self._typed.startswith(folded)

    def _is_served(self, entry: "os.DirEntry[str]") -> bool:
        if not entry.is_symlink():
            return entry.is_file()
        target = os.path.realpath(entry.path)
        return Path(target).is_relative_to(self._root) and os.path.isfile(target)


def _is_named(name: str) -> bool:
    """A client may write the name."""
    if name.startswith(".") or "\\" in name:
        return False
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
