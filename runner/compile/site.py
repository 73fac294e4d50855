"""A place of the file while it is compiled: where it is, and how to report a fault there."""

from dataclasses import dataclass

from runner.codec.paths import Path, dotted
from runner.config.nodes import Document, Mapping_
from runner.diagnostics import Diagnostic, Faults, Position


@dataclass(frozen=True, slots=True)
class Site:
    """A path into the document; `site / "sql"` is the place below."""

    document: Document
    faults: Faults
    path: Path = ()

    def __truediv__(self, step: str | int) -> "Site":
        return Site(self.document, self.faults, (*self.path, step))

    @property
    def name(self) -> str:
        """As a reader writes it: `tools.search.check[0].that`."""
        return dotted(self.path)

    def entries(self, section: str) -> tuple[str, ...]:
        """The names in a section of the file as written, those with faults of their own too."""
        node = self.document.find((section,))
        return tuple(node.entries) if isinstance(node, Mapping_) else ()

    def may_have(self, section: str, name: str) -> bool:
        """The file has the entry, or may have it in a part that could not be read.

        An entry with faults of its own is not compiled; what refers to it is not at fault.
        """
        return name in self.entries(section) or self.document.may_hold(section, name)

    def error(
        self,
        code: str,
        message: str,
        *,
        hint: str | None = None,
        details: tuple[str, ...] = (),
        at: Position | None = None,
    ) -> None:
        """Reports a fault that keeps the file from being served; `at` overrides the place."""
        position = at or self.document.position(self.path)
        self.faults.add(Diagnostic(position, code, message, details, hint))

    def error_at_key(
        self, code: str, message: str, *, hint: str | None = None, details: tuple[str, ...] = ()
    ) -> None:
        """Reports a fault of the key itself: an unknown or a superfluous one."""
        self.error(
            code,
            message,
            hint=hint,
            details=details,
            at=self.document.position(self.path, key=True),
        )

    def warning(
        self,
        code: str,
        message: str,
        *,
        hint: str | None = None,
        details: tuple[str, ...] = (),
        at: Position | None = None,
    ) -> None:
        """Reports something that is served but probably not meant."""
        position = at or self.document.position(self.path)
        self.faults.add(Diagnostic(position, code, message, details, hint, "warning"))


def below(site: Site, path: Path) -> Site:
    """The place at `path` below `site`."""
    return Site(site.document, site.faults, (*site.path, *path))
