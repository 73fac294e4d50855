"""Words that several commands print of the same thing."""

from runner.catalog.tool import Tool


def counted(number: int, word: str) -> str:
    """`1 tool`, `12 tools`."""
    return f"{number} {word}{'s' if number != 1 else ''}"


def effect(tool: Tool) -> str:
    """What a call may do: `reads`, `writes` or `destroys`."""
    if tool.annotations.read_only:
        return "reads"
    return "destroys" if tool.annotations.destructive else "writes"
