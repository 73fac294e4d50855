"""Text that must not be seen: the type that never prints.

Everything read from the environment for a password, a token or a connection address is one.
Knows nothing of where it came from; only `reveal` gives the text out, so that each use can be
found by that word.
"""


class Secret:
    """A text that shows itself as `***` in repr, str, format, JSON and tracebacks."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text itself; for the driver or client that needs it, never for output."""
        return self._text

    def __repr__(self) -> str:
        return "Secret(***)"

    def __str__(self) -> str:
        return "***"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash((Secret, self._text))

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a secret is not pickled")
