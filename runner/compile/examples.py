"""`examples` and `tests` of a tool: their arguments are held against its input schema."""

from collections.abc import Mapping, Sequence

from runner.catalog.schema import InputSchema
from runner.compile.site import Site
from runner.compile.trees import compile_constant
from runner.config.spec.leaves import Tree
from runner.config.spec.tools import ToolSpec
from runner.errors import ArgumentsError


def check_examples(
    spec: ToolSpec, site: Site, schema: InputSchema
) -> Sequence[Mapping[str, object]]:
    """The examples' arguments; those of examples and tests that do not fit are reported."""
    for index, test in enumerate(spec.tests):
        # A test may be of the refusal itself.
        if test.expect.error is None:
            _check(test.call, site / "tests" / index / "call", schema)
    return tuple(
        _check(example, site / "examples" / index, schema)
        for index, example in enumerate(spec.examples)
    )


def _check(tree: Mapping[str, Tree], site: Site, schema: InputSchema) -> Mapping[str, object]:
    arguments = {name: compile_constant(value) for name, value in tree.items()}
    try:
        schema.check(arguments)
    except ArgumentsError as error:
        for fault in error.faults:
            where = fault.path.split(".")[0].split("[")[0]
            place = site / where if where in tree else site
            place.error(
                "bad-example", f"'{fault.path}': {fault.message}" if fault.path else fault.message
            )
    return arguments
