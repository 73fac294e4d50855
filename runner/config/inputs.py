"""The files that a configuration was read from, and whether they still hold what was read.

Compared by what they hold, however they were changed: written in place, replaced by another file,
reached through a link that now leads elsewhere, on a disk that tells nobody of changes.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from runner.config.files import Disk, FileReader

Stamp = tuple[int, ...]
"""What the disk says of a file without reading it; empty where there is none."""


@dataclass
class Inputs:
    """Every file and every pattern that was asked for."""

    files: dict[Path, bytes] = field(default_factory=dict)
    """With the digest of what was read; empty where nothing could be."""
    named: set[Path] = field(default_factory=set)
    """Files and folders of which it matters alone that they are there."""
    patterns: set[tuple[Path, str]] = field(default_factory=set)
    modules: Callable[[], Iterable[Path]] = tuple
    """The files of the project's own code, which may grow while it runs."""

    def paths(self) -> set[Path]:
        """The files that it is read from now."""
        disk = Disk()
        matched = (path for place in self.patterns for path in disk.matching(*place))
        return {*self.files, *matched, *self.modules()}


class Recorded:
    """A reader that notes what it is asked for."""

    def __init__(self, files: FileReader, inputs: Inputs) -> None:
        self._files = files
        self._inputs = inputs

    def read(self, path: Path) -> bytes:
        """As the reader's."""
        self._inputs.files.setdefault(path, b"")
        data = self._files.read(path)
        self._inputs.files[path] = _digest(data)
        return data

    def exists(self, path: Path) -> bool:
        """As the reader's; what such a file holds is read when it is asked for."""
        self._inputs.named.add(path)
        return self._files.exists(path)

    def matching(self, folder: Path, pattern: str) -> Sequence[Path]:
        """As the reader's."""
        self._inputs.patterns.add((folder, pattern))
        return self._files.matching(folder, pattern)


@dataclass(frozen=True, slots=True)
class _Held:
    stamp: Stamp
    digest: bytes


class Changes:
    """Sees when the files of a project hold something else than what was read."""

    def __init__(self, inputs: Inputs) -> None:
        self._first = self._inputs = inputs
        self._held: dict[Path, _Held] = {}
        self._there: frozenset[Path] = frozenset()
        """Of those that are only named."""
        self._touched: tuple[Mapping[Path, Stamp], frozenset[Path]] | None = None
        self.take(inputs)

    def take(self, inputs: Inputs) -> None:
        """Looks at these files from now on, and at the first: they may mend what is broken now.

        What was known of a file before it was read again still is: a change meanwhile is seen.
        """
        self._inputs = inputs
        self._held = {path: self._held.get(path) or self._read(path) for path in self._paths()}
        self._there = self._found()

    def _read(self, path: Path) -> _Held:
        """What the file held when it was read; one that changed since has no stamp yet."""
        stamped, digest = stamp(path), _digest_of(path)
        read = self._inputs.files.get(path)
        return _Held(stamped, digest) if read in (None, digest) else _Held((), read or b"")

    def _paths(self) -> set[Path]:
        return self._inputs.paths() | self._first.paths()

    def have_come(self) -> bool:
        """They hold something else, and have been left alone since the last look."""
        seen = {path: stamp(path) for path in self._paths()}, self._found()
        if seen == ({path: held.stamp for path, held in self._held.items()}, self._there):
            return False
        if seen != self._touched:
            self._touched = seen
            return False
        return self.renew()

    def renew(self) -> bool:
        """Takes what they hold now for known; whether it is something else."""
        before, there = self._held, self._there
        self._held = {path: self._renewed(path) for path in self._paths()}
        self._there = self._found()
        return self._there != there or {path: held.digest for path, held in before.items()} != {
            path: held.digest for path, held in self._held.items()
        }

    def _found(self) -> frozenset[Path]:
        return frozenset(path for path in self._inputs.named if path.exists())

    def _renewed(self, path: Path) -> _Held:
        known, stamped = self._held.get(path), stamp(path)
        if known is not None and known.stamp == stamped:
            return known
        return _Held(stamped, _digest_of(path))


def stamp(path: Path) -> Stamp:
    """What the disk says of a file without reading it; empty where there is none."""
    try:
        found = path.stat()
    except OSError:
        return ()
    return (found.st_mtime_ns, found.st_size, found.st_ino, found.st_dev)


def _digest_of(path: Path) -> bytes:
    try:
        return _digest(path.read_bytes())
    except OSError:
        return b""


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()
