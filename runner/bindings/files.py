"""The live side of `file` and `directory`: files read when they are asked for, within a root.

What a client names is one path below the root: no step of it is hidden, none leads up, and what the
path means after all symbolic links still lies below the root. Only regular files are read.
"""

import asyncio
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from runner.catalog.call import Call, Outcome
from runner.catalog.content import EmbeddedResource
from runner.catalog.media import is_text, mime_of
from runner.catalog.plans import DirectoryPlan, FilePlan, Plan
from runner.errors import BindingError, Kind

_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


@dataclass(frozen=True, slots=True)
class FileBinding:
    """Reads one file."""

    keeps_time: ClassVar[bool] = False
    plan: FilePlan
    max_bytes: int

    async def invoke(self, call: Call) -> Outcome:
        """The file as one block.

        Raises:
            BindingError: it is missing, unreadable or too large.
        """
        del call  # every call reads the same
        path = os.path.realpath(self.plan.path)
        return await asyncio.to_thread(_read, path, self.plan.mime, self.max_bytes)


@dataclass(frozen=True, slots=True)
class DirectoryBinding:
    """Reads the files below a folder."""

    keeps_time: ClassVar[bool] = False
    plan: DirectoryPlan
    max_bytes: int

    async def invoke(self, call: Call) -> Outcome:
        """The file that the call names, as one block.

        Raises:
            BindingError: it is missing, unreadable, too large or not below the folder.
        """
        return await asyncio.to_thread(self._read, str(call.arguments[self.plan.parameter]))

    def _read(self, name: str) -> Outcome:
        path = _contained(self.plan.root, name)
        return _read(path, self.plan.mime or mime_of(name), self.max_bytes)


def path_of(plan: Plan, variables: Mapping[str, str]) -> str | None:
    """The file behind a resource; None: it is none, or there is no such file."""
    match plan:
        case FilePlan():
            return plan.path
        case DirectoryPlan():
            with suppress(BindingError):
                return _contained(plan.root, variables[plan.parameter])
            return None
        case _:
            return None


def _contained(root: str, name: str) -> str:
    """The real path of a file below `root`.

    Raises:
        BindingError: `name` is no path below it.
    """
    steps = name.split("/")
    if any(not step or step.startswith(".") or "\\" in step or "\0" in step for step in steps):
        raise _missing("a step is empty, hidden or leads up")
    real_root = os.path.realpath(root)
    path = os.path.realpath(os.path.join(real_root, *steps))
    if not Path(path).is_relative_to(real_root):
        raise _missing("it leads out of the folder")
    return path


def _read(path: str, mime: str, max_bytes: int) -> Outcome:
    """`path` has no symbolic link in it."""
    try:
        descriptor = os.open(path, _FLAGS)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise _missing("it is no regular file")
            data = file.read(max_bytes + 1)
    except OSError as error:
        raise _missing(error.strerror or "it cannot be read") from error
    if len(data) > max_bytes:
        raise BindingError(
            Kind.TOO_LARGE, f"the resource is larger than the limit of {max_bytes} bytes"
        )
    text = _text(data) if is_text(mime) else None
    blob = data if text is None else None
    block = EmbeddedResource(uri="", text=text, blob=blob, mime_type=mime)
    return Outcome(content=(block,), is_structured=False)


def _text(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _missing(reason: str) -> BindingError:
    return BindingError(Kind.MISSING, "there is no such resource", reason=reason)
