"""One `mcp.yaml` with everything that it names, read, merged and checked.

The only step of `config` that asks for files; `compile` sees texts alone. Every relative path is
relative to the root file's folder. Included files stay inside that folder, because they are part
of the configuration; data (SQL, schemas, texts, secrets) may lie anywhere.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic_core import PydanticCustomError

from runner.config.check import check, correct
from runner.config.files import FileReader, why
from runner.config.includes import merged
from runner.config.interpolate import Interpolator
from runner.config.json_text import as_yaml
from runner.config.marks import line_starts
from runner.config.nodes import Document, Lost, Mapping_, Node, Scalar, Sequence
from runner.config.places import Found, places
from runner.config.source import decode, parse, parse_node
from runner.config.spec.leaves import refused_reference
from runner.config.spec.root import ServerSpec
from runner.diagnostics import Diagnostic, Faults, Position

SQL_FILES = ("tools.*.sql.file", "tools.*.steps.*.sql.file", "resources.*.sql.file")
"""Where the file names another that holds a tool's statement."""
TEXT_FILES = (
    "server.instructions.file",
    "databases.*.create.schema",
    "databases.*.create.seed",
    "prompts.*.template.file",
    *SQL_FILES,
)
"""Where the file names another whose text is used as it is."""
SCHEMA_FILES = (
    "tools.*.input_schema.file",
    "tools.*.result.schema.file",
    "resources.*.result.schema.file",
    "defaults.result.schema.file",
)
"""Where the file names another that holds a JSON Schema, as JSON or YAML."""

BYTE_FILES = (
    "prompts.*.messages.*.image",
    "prompts.*.messages.*.audio",
    "prompts.*.messages.*.resource.file",
)
"""Where the file names another whose bytes are sent as they are."""
DATA_FILES = (
    "databases.*.external",
    "databases.*.external.*",
    "resources.*.file",
    "resources.*.directory",
)
"""Where the file names others that are read only while it is served."""

_ROOT_HINT = "go to the folder of the file, or name it with --file"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A configuration as read; serve it only if it has no errors."""

    spec: ServerSpec | None
    """None where so much is wrong that nothing can be compiled. A tool with a fault of its own is
    left out of it (the document still has it), so that the other tools are compiled all the same.
    """
    document: Document | None
    diagnostics: tuple[Diagnostic, ...]
    folder: Path
    texts: Mapping[str, Scalar] = field(default_factory=dict)
    """Every text file that is named, by its path as the spec has it."""
    schemas: Mapping[str, Document] = field(default_factory=dict)
    """Every schema file that is named, likewise."""
    data: Mapping[str, bytes] = field(default_factory=dict)
    """Every file that is named and sent as it is, likewise."""

    @property
    def has_errors(self) -> bool:
        """It must not be served."""
        return any(item.severity == "error" for item in self.diagnostics)

    def text_of(self, path: str) -> Scalar:
        """The text of a file that the spec names, each line at its place in that file.

        Raises:
            KeyError: the file could not be read; a diagnostic says so.
        """
        return self.texts[path]

    def schema_of(self, path: str) -> Document:
        """The document of a schema file that the spec names.

        Raises:
            KeyError: the file could not be read; a diagnostic says so.
        """
        return self.schemas[path]


def load(root: Path, environment: Mapping[str, str], files: FileReader) -> Loaded:
    """The configuration whose root file is `root`, with every fault of it and its files."""
    return _Loading(root, environment, files).load()


class _Loading:
    """One run of `load`: where it reads, and what it found."""

    def __init__(self, root: Path, environment: Mapping[str, str], files: FileReader) -> None:
        self._root = root
        self._folder = root.parent
        self._files = files
        self._faults = Faults()
        self._errors: list[Position] = []
        self._interpolate = Interpolator(environment, self._secret)

    def load(self) -> Loaded:
        start = Position(self._root.name, 1, 1)
        root = self._document(self._root, start)
        if root is None:
            return Loaded(None, None, self._faults.sorted(), self._folder)
        included = [self._document(path, at) for path, at in self._included(root)]
        whole, conflicts = merged(root, [item for item in included if item is not None])
        if None in included:
            whole = replace(whole, lost=(*whole.lost, Lost((), start)))
        self._report(*conflicts)
        document, misspelt = correct(whole, self._interpolate)
        self._faults.add(*misspelt)
        texts = dict(self._texts(document))
        self._refuse_references(document, texts)
        schemas = dict(self._schemas(document))
        data = dict(self._bytes(document))
        self._look_for_data(document)
        spec, faults = check(document, self._interpolate, errors=self._errors)
        self._faults.add(*faults)
        found = self._faults.sorted()
        return Loaded(spec, document, found, self._folder, texts, schemas, data)

    def _report(self, *faults: Diagnostic, at: Position | None = None) -> None:
        """Keeps the faults; `at` is the place in the configuration that is to blame."""
        self._faults.add(*faults)
        for fault in faults:
            if fault.severity == "error":
                self._errors.append(at or fault.position)

    def _document(self, path: Path, at: Position) -> Document | None:
        data = self._read(path, at)
        if data is None:
            return None
        document, faults = parse(data, self._name(path))
        self._faults.add(*faults)
        lost = [] if document is None else [part.position for part in document.lost]
        errors = [fault.position for fault in faults if fault.severity == "error"]
        self._errors += [position for position in errors if position not in lost]
        return document

    def _read(self, path: Path, at: Position) -> bytes | None:
        try:
            return self._files.read(path)
        except OSError as error:
            code = "missing-file" if isinstance(error, FileNotFoundError) else "unreadable-file"
            message = f"cannot read the file '{self._name(path)}': {why(error)}"
            is_root = path == self._root
            hint = _ROOT_HINT if is_root else "paths are relative to the root file's folder"
            self._report(Diagnostic(at, code, message, (), hint))
        return None

    def _name(self, path: Path) -> str:
        """The path as diagnostics show it: relative to the root's folder where it can be."""
        return Path(os.path.relpath(path, self._folder)).as_posix()

    def _secret(self, path: str) -> str:
        try:
            return self._files.read(self._folder / path).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ValueError("it is not UTF-8") from error

    def _included(self, root: Document) -> Iterator[tuple[Path, Position]]:
        """The included files in the order named, each once, and who named it."""
        entry = root.root.entries.get("include")
        items: tuple[Node, ...] = () if entry is None else (entry.value,)
        if entry is not None and isinstance(entry.value, Sequence):
            items = entry.value.items
        seen = {self._root.resolve()}
        for item in items:
            scalar = self._filled(item) if isinstance(item, Scalar) else None
            if scalar is None:
                continue
            for path in self._matching(scalar):
                if path.resolve() not in seen:
                    seen.add(path.resolve())
                    yield path, scalar.position

    def _matching(self, scalar: Scalar) -> list[Path]:
        pattern = scalar.text
        if Path(pattern).is_absolute() or ".." in Path(pattern).parts or not pattern:
            message = f"expected files inside the root file's folder, found '{pattern}'"
            self._report(Diagnostic(scalar.position, "outside-folder", message))
            return []
        if not any(mark in pattern for mark in "*?["):
            return [self._folder / pattern]
        found = list(self._files.matching(self._folder, pattern))
        if not found:
            message = f"no file matches '{pattern}'"
            warning = Diagnostic(scalar.position, "empty-include", message, severity="warning")
            self._report(warning)
        return found

    def _filled(self, scalar: Scalar) -> Scalar | None:
        """The scalar with its references replaced; None where the check reports a fault of it."""
        try:
            return self._interpolate(scalar)
        except PydanticCustomError:
            return None

    def _named(self, document: Document, patterns: tuple[str, ...]) -> Iterator[Scalar]:
        """Each scalar that names a file; each of two with one name, so that both are told."""
        for pattern in patterns:
            for found in places(document.root, pattern):
                scalar = self._filled(found.node) if isinstance(found.node, Scalar) else None
                alone = not pattern.endswith("schema.file") or _is_alone(document, found)
                if scalar is not None and alone:
                    yield scalar

    def _texts(self, document: Document) -> Iterator[tuple[str, Scalar]]:
        for scalar in self._named(document, TEXT_FILES):
            path = self._folder / scalar.text
            data = self._read(path, scalar.position)
            if data is None:
                continue
            text, faults = decode(data, self._name(path))
            self._report(*faults, at=scalar.position)
            if not faults:
                position = Position(self._name(path), 1, 1)
                yield scalar.text, Scalar(text, position, lines=line_starts(text))

    def _bytes(self, document: Document) -> Iterator[tuple[str, bytes]]:
        for scalar in self._named(document, BYTE_FILES):
            data = self._read(self._folder / scalar.text, scalar.position)
            if data is not None:
                yield scalar.text, data

    def _refuse_references(self, document: Document, texts: Mapping[str, Scalar]) -> None:
        """SQL in a file takes nothing from the environment, as SQL in the configuration."""
        for scalar in self._named(document, SQL_FILES):
            text = texts.get(scalar.text)
            fault = None if text is None else refused_reference(text, "SQL")
            if fault is not None:
                self._report(fault, at=scalar.position)

    def _look_for_data(self, document: Document) -> None:
        for scalar in self._named(document, DATA_FILES):
            path = self._folder / scalar.text
            if scalar.text and not self._files.exists(path):
                message = f"there is no file and no folder '{self._name(path)}'"
                hint = "paths are relative to the root file's folder"
                self._report(Diagnostic(scalar.position, "missing-file", message, (), hint))

    def _schemas(self, document: Document) -> Iterator[tuple[str, Document]]:
        for scalar in self._named(document, SCHEMA_FILES):
            path = self._folder / scalar.text
            data = self._read(path, scalar.position)
            if data is None:
                continue
            is_json = path.suffix == ".json"
            root, faults = parse_node(as_yaml(data) if is_json else data, self._name(path))
            self._report(*faults, at=scalar.position)
            if isinstance(root, Mapping_):
                name = self._name(path)
                yield scalar.text, Document(name, root, (name,))
            elif root is not None:
                message = "expected a JSON Schema, found no mapping"
                fault = Diagnostic(root.position, "wrong-type", message)
                self._report(fault, at=scalar.position)


def _is_alone(document: Document, found: Found) -> bool:
    """`file` is the only key: else it is a keyword of a schema written in place."""
    parent = document.find(found.path[:-1])
    return isinstance(parent, Mapping_) and len(parent.entries) == 1
