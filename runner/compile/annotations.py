"""`writes`, `idempotent`, `open_world` and the binding → the annotations that clients see.

A hint is derived from what the tool runs; the file can say more, never less: a tool that writes is
never listed as one that reads.
"""

from runner.catalog.tool import ToolAnnotations
from runner.compile.http.plan import READING
from runner.compile.site import Site
from runner.config.spec.tools import ToolSpec, Writes

IDEMPOTENT_METHODS = ("PUT", "DELETE")


def writes_of(spec: ToolSpec, site: Site, *, method: str | None, called: Writes) -> Writes:
    """What the tool may do; a binding that could do anything must say it (reported where not).

    `called` is the most that the tools called by its steps may do.
    """
    if spec.writes is not None:
        if spec.writes == "false" and called != "false":
            (site / "writes").error(
                "writes-in-read-tool", "a step calls a tool that writes, but 'writes' is false"
            )
        return spec.writes
    if called != "false":
        return called
    must_say = spec.python is not None or (method is not None and method not in READING)
    if must_say:
        kind = "python" if spec.python is not None else method
        site.error_at_key(
            "writes-needed",
            f"expected 'writes', since {kind} can do anything",
            hint="say writes: false, true or destructive",
        )
    return "false"


def annotations_of(spec: ToolSpec, writes: Writes, *, method: str | None) -> ToolAnnotations:
    """The hints of a tool."""
    reads = writes == "false"
    idempotent = spec.idempotent
    if idempotent is None:
        idempotent = reads or method in IDEMPOTENT_METHODS
    open_world = spec.open_world
    if open_world is None:
        open_world = spec.http is not None
    return ToolAnnotations(
        read_only=reads,
        destructive=writes == "destructive",
        idempotent=idempotent,
        open_world=open_world,
    )
