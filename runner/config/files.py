"""Files as the configuration reads them: bytes by path, and names by pattern.

The one place of `config` that touches a disk; everything else takes a `FileReader`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

MAX_BYTES = 16 * 1024 * 1024
"""Of one file that is read; seeds and schemas are far smaller, a device has no end."""


class FileReader(Protocol):
    """Reads files and finds them by pattern."""

    def read(self, path: Path) -> bytes:
        """The whole content.

        Raises:
            OSError: there is no such file, or it cannot be read, or it is too large.
        """

    def exists(self, path: Path) -> bool:
        """There is such a file or folder."""

    def matching(self, folder: Path, pattern: str) -> Sequence[Path]:
        """The files below `folder` that match a glob (`*`, `?`, `**`), sorted."""


class Disk:
    """The files of this machine."""

    def read(self, path: Path) -> bytes:
        """The whole content, at most `MAX_BYTES`."""
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise OSError(None, f"larger than {MAX_BYTES} bytes")
        return data

    def exists(self, path: Path) -> bool:
        """There is such a file or folder."""
        return path.exists()

    def matching(self, folder: Path, pattern: str) -> Sequence[Path]:
        """The files below `folder` that match `pattern`, sorted."""
        return sorted(path for path in folder.glob(pattern) if path.is_file())


def why(error: OSError) -> str:
    """The reason of a failed read in plain words: `no such file`."""
    match error:
        case FileNotFoundError():
            return "no such file"
        case IsADirectoryError():
            return "it is a folder"
        case PermissionError():
            return "permission denied"
        case _:
            return (error.strerror or "it cannot be read").lower()
