"""What the faulty configuration calls."""


def count(of: str) -> int:
    """The number of letters."""
    return len(of)


def now() -> str:
    """A time."""
    return "12:00"
