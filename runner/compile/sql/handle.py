"""A statement that an author's function runs: read as the file's are, when it is first seen."""

from runner.catalog.schema import Parameter
from runner.catalog.sql import SqlPlan
from runner.compile.site import Site
from runner.compile.sql.plan import SqlSurroundings, compile_sql
from runner.config.nodes import Document, Mapping_, Scalar
from runner.config.spec.bindings import SqlForm, StatementSpec
from runner.diagnostics import Faults, Position
from runner.errors import BindingError, Kind

_PLACE = Position("statement", 1, 1)


def read_statement(
    text: str, names: frozenset[str], *, may_write: bool, around: SqlSurroundings
) -> SqlPlan:
    """The plan of one statement with parameters of these names.

    `around` says which database and which budgets; its parameters are not used.

    Raises:
        BindingError: `invalid` or `read_only`, worded for the author.
    """
    faults = Faults()
    scalar = Scalar(text, _PLACE)
    site = Site(Document("statement", Mapping_({}, _PLACE)), faults)
    parameters = {name: Parameter(name, "", required=False, hidden=True) for name in names}
    own = SqlSurroundings(
        around.database,
        around.dialect,
        parameters,
        may_write=may_write,
        max_rows=around.max_rows,
        max_bytes=around.max_bytes,
        compile_checks=around.compile_checks,
    )
    # Not checked as the file's text is: here `${` is the author's own, and means nothing.
    form = SqlForm.model_construct(statements=(StatementSpec.model_construct(run=scalar),))
    plan = compile_sql(form, site, own)
    errors = [item for item in faults.sorted() if item.severity == "error"]
    if plan is None or errors:
        first = errors[0]
        kind = Kind.READ_ONLY if first.code == "writes-in-read-tool" else Kind.INVALID
        raise BindingError(kind, f"the statement: {first.message}")
    return plan
