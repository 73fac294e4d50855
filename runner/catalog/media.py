"""Media types: which one a file's name tells, and which of them are text."""

import mimetypes
from typing import Final

BINARY: Final = "application/octet-stream"
_BY_ENDING: Final = {
    ".csv": "text/csv",
    ".flac": "audio/flac",
    ".jsonl": "application/jsonl",
    ".md": "text/markdown",
    ".sql": "application/sql",
    ".toml": "application/toml",
    ".wav": "audio/wav",
    ".webp": "image/webp",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}
"""Known to no machine, or differently to each."""
_BUILT_IN: Final = mimetypes.MimeTypes()
_TEXTS: Final = frozenset(
    {
        *("application/javascript", "application/json", "application/jsonl", "application/sql"),
        *("application/toml", "application/x-sh", "application/xml", "application/yaml"),
    }
)


def mime_of(name: str) -> str:
    """The media type of a file of this name, the same on every machine."""
    ending = name[name.rfind(".") :].lower() if "." in name else ""
    known = _BY_ENDING.get(ending)
    if known is not None:
        return known
    guessed, encoding = _BUILT_IN.guess_type(f"file{ending}")
    return guessed if guessed is not None and encoding is None else BINARY


def is_text(mime: str) -> bool:
    """Contents of this type are text; of any other they are bytes."""
    kind = mime.partition(";")[0].strip().lower()
    return kind.startswith("text/") or kind in _TEXTS or kind.endswith(("+json", "+xml", "+yaml"))
