"""Where in the author's text a fault stands (`Refusal.offset`): the placeholders count nothing.

Engines tell a place in the text that they were given, whose placeholders and casts are ours, or
only a word.
"""

import re
from collections.abc import Sequence


def author_offset(offset: int, texts: Sequence[str], text: str) -> int:
    """The offset in `"".join(texts)` of a character of `text`, which has `texts` in this order; of
    what stands between two of them, the end of the first."""
    in_text = in_author = 0
    for piece in texts:
        start = text.find(piece, in_text)
        if offset < start + len(piece):
            return in_author + max(offset - start, 0)
        in_text, in_author = start + len(piece), in_author + len(piece)
    return in_author


def word_offset(word: str, texts: Sequence[str], *, any_case: bool = False) -> int | None:
    """The offset of a whole word or of a sign in `"".join(texts)`, if it stands in one place only;
    `any_case` where the engine may tell it in another case than the author's."""
    flags = re.IGNORECASE if any_case else 0
    before = r"(?<!\w)" if word[:1].isalnum() else ""
    after = r"(?!\w)" if word[-1:].isalnum() else ""
    pattern = re.compile(before + re.escape(word) + after, flags)
    found = [match.start() for match in pattern.finditer("".join(texts))]
    return found[0] if len(found) == 1 else None
