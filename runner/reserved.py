"""The names that authors cannot give: what expressions, SQL and templates know by themselves.

The one list. Standard library only.
"""

FUNCTIONS = frozenset({"now", "today", "uuid", "sent", "range"})
"""Called, never read: `now()`."""
CONSTANTS = frozenset({"caller", "request", "vars", "absent"})
"""Known to every call."""
_OF_PLACES = frozenset({"context", "item", "index", "rows", "cursor"})
_WORDS = frozenset({
    "and", "or", "not", "in", "is", "if", "else", "true", "false", "none", "True", "False", "None",
    "self", "super", "loop",
})  # fmt: skip
RESERVED = (FUNCTIONS - {"range"}) | CONSTANTS | _OF_PLACES | _WORDS
"""No parameter and no `as` name may be one of these; `range` is free, and hides the function."""
