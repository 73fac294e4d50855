"""The modules of one project, in a namespace of their own within the process.

A project's `tools/text.py` is imported as `<namespace>.tools.text`, so that two projects, or two
loads of one, never share a module. Inside such a module `import tools.other` means the project's
own file where there is one; everything else is imported as ever. No bytecode is read or written:
a reload always sees the text, and a validation leaves no trace.
"""

import builtins
import importlib
import itertools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.machinery import FileFinder, ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

_numbers = itertools.count(1)
Import = Callable[..., ModuleType]


class _Source(SourceFileLoader):
    """Runs a file of the project with the project's own `import`."""

    names: Mapping[str, object]

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__builtins__"] = self.names
        super().exec_module(module)


class Namespace:
    """Where one project's modules live in `sys.modules`, from `open` to `close`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.name = f"_mcp_project_{next(_numbers)}"
        names = {**vars(builtins), "__import__": self._import}
        self._loader = type("ProjectSource", (_Source,), {"names": names})

    def open(self) -> None:
        """Makes the project's modules importable under `name`."""
        root = ModuleType(self.name)
        root.__path__ = [str(self.folder)]
        sys.modules[self.name] = root
        sys.meta_path.insert(0, self)

    def close(self) -> None:
        """Drops every module of the project; calls still running keep what they hold."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        for name in [name for name in sys.modules if f"{name}.".startswith(f"{self.name}.")]:
            del sys.modules[name]

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a module of this project; None for every other name (`sys.meta_path`)."""
        if not fullname.startswith(f"{self.name}."):
            return None
        namespaces: list[str] = []
        for folder in path or ():
            finder = FileFinder(folder, (self._loader, [".py"]))
            spec = finder.find_spec(fullname)
            if spec is not None and spec.loader is not None:
                return spec
            if spec is not None:
                namespaces.extend(spec.submodule_search_locations or ())
        if not namespaces:
            return None
        found = ModuleSpec(fullname, None, is_package=True)
        found.submodule_search_locations = namespaces
        return found

    def holds(self, module: str) -> bool:
        """The dotted name is a file or a package below the folder; a folder needs Python in it."""
        *parents, last = module.split(".")
        folder = self.folder.joinpath(*parents)
        return (folder / f"{last}.py").is_file() or any((folder / last).glob("*.py"))

    def files(self) -> Iterator[Path]:
        """The files of the modules that are loaded by now."""
        for name, module in tuple(sys.modules.items()):
            file = getattr(module, "__file__", None)
            if name.startswith(f"{self.name}.") and file is not None:
                yield Path(file)

    def load(self, module: str) -> ModuleType:
        """The project's module of that name, imported at most once."""
        return importlib.import_module(f"{self.name}.{module}")

    def _import(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        if level or not self._means_project(name, fromlist or ()):
            try:
                return builtins.__import__(name, globals, locals, fromlist or (), level)
            except ModuleNotFoundError as error:
                top = name.partition(".")[0]
                if error.name == top != name and self.holds(top):
                    # `tools` is there for the author to see; what is missing is `tools.missing`.
                    raise ModuleNotFoundError(f"No module named {name!r}", name=name) from error
                raise
        found = builtins.__import__(f"{self.name}.{name}", globals, locals, fromlist or (), 0)
        top = name.partition(".")[0]
        return found if fromlist else sys.modules[f"{self.name}.{top}"]

    def _means_project(self, name: str, fromlist: Sequence[str]) -> bool:
        return self.holds(name) or any(
            word != "*" and self.holds(f"{name}.{word}") for word in fromlist
        )
