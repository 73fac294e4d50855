"""A statement's text while it is compiled: where its characters stand, how faults are reported."""

from dataclasses import dataclass

from runner.compile.site import Site
from runner.config.nodes import Scalar

_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Source:
    """A statement of the file; offsets count in `text`, which lacks a leading byte order mark."""

    scalar: Scalar
    site: Site

    @property
    def text(self) -> str:
        """What the author wrote."""
        return self.scalar.text.removeprefix(_BOM)

    @property
    def base(self) -> int:
        """How many characters stand before `text` in the scalar."""
        return len(self.scalar.text) - len(self.text)

    def error(self, code: str, message: str, offset: int, *, hint: str | None = None) -> None:
        """Reports a fault at a character of `text`."""
        self.site.error(code, message, hint=hint, at=self.scalar.at(offset + self.base))

    def warning(self, code: str, message: str, offset: int, *, hint: str | None = None) -> None:
        """Reports something that is probably not meant, at a character of `text`."""
        self.site.warning(code, message, hint=hint, at=self.scalar.at(offset + self.base))
