"""Finds the callable that the file names: below its folder first, else among what is installed.

The only place that imports an author's code. Whatever goes wrong there is a `LoadError` with the
place in the author's own file; what the code prints while it is imported goes to stderr.
"""

import contextlib
import importlib
import re
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, TracebackType

from runner.bindings.python.project import Namespace
from runner.diagnostics import Position, did_you_mean
from runner.errors import LoadError

_REFERENCE = re.compile(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*):([^\W\d]\w*(?:\.[^\W\d]\w*)*)\Z")


class ProjectLoader:
    """Loads the callables of one project; a context manager, whose end drops its modules.

    One loader is one load: a reload makes a new one and sees the files anew.
    """

    def __init__(self, folder: Path) -> None:
        self._namespace = Namespace(folder)

    def __enter__(self) -> "ProjectLoader":
        self._namespace.open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Drops the project's modules; functions already loaded go on working."""
        self._namespace.close()

    def files(self) -> Iterator[Path]:
        """The files of the project's modules that are loaded by now."""
        return self._namespace.files()

    def load(self, reference: str) -> object:
        """What `package.module:name` or `package.module:object.method` names.

        Raises:
            LoadError: no such module or name, or the module cannot be imported.
        """
        parts = _REFERENCE.match(reference)
        if parts is None:
            raise LoadError(
                "bad-callable",
                f"expected package.module:name, found '{reference}'",
                hint="for example tools.text:summarise for summarise() in tools/text.py",
            )
        found: object = self._module(parts[1])
        path = parts[1]
        for name in parts[2].split("."):
            found = self._member(found, name, of=path)
            path = f"{path}.{name}"
        return found

    def _member(self, owner: object, name: str, *, of: str) -> object:
        with self._importing(of):
            if hasattr(owner, name):
                return getattr(owner, name)
        public = [word for word in dir(owner) if not word.startswith("_")]
        raise LoadError(
            "unknown-callable", f"'{of}' has no '{name}'", hint=did_you_mean(name, public)
        )

    def _module(self, name: str) -> ModuleType:
        if self._namespace.holds(name):
            with self._importing(name):
                return self._namespace.load(name)
        with self._importing(name):
            try:
                return importlib.import_module(name)
            except ModuleNotFoundError as error:
                if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                    raise
        raise LoadError(
            "unknown-module",
            f"no module '{name}' below the file's folder, and none is installed",
            hint=f"expected {name.replace('.', '/')}.py beside the configuration",
        )

    @contextlib.contextmanager
    def _importing(self, name: str) -> Iterator[None]:
        """Around the author's top-level code, which may raise anything, `sys.exit` included."""
        try:
            with contextlib.redirect_stdout(sys.stderr):
                yield
        except (Exception, SystemExit) as error:
            raise LoadError(
                "import-failed", _words(name, error), position=self._place(error)
            ) from error

    def _place(self, error: BaseException) -> Position | None:
        """The last line of the project's own code on the way to the error."""
        frames = traceback.extract_tb(error.__traceback__)
        places = [(frame.filename, frame.lineno, (frame.colno or 0) + 1) for frame in frames]
        if isinstance(error, SyntaxError) and error.filename:
            places.append((error.filename, error.lineno, error.offset or 1))
        for filename, line, column in reversed(places):
            path = Path(filename)
            if path.is_relative_to(self._namespace.folder):
                inside = path.relative_to(self._namespace.folder)
                return Position(inside.as_posix(), line or 1, column)
        return None


def _words(module: str, error: BaseException) -> str:
    match error:
        case SyntaxError():
            why = f"{error.msg}"
        case KeyError():
            why = f"no {error.args[0]!r}" if error.args else "a key is missing"
        case ImportError() | NameError() | AttributeError() | TypeError():
            why = str(error)
        case _:
            why = f"it raises {type(error).__name__}"
    return f"'{module}' cannot be imported: {why}"
