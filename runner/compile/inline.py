"""What the inline bindings of a step read of the steps before it: HTTP and SQL."""

from collections.abc import Sequence
from dataclasses import replace

from runner.catalog.sql import Bound, SqlPlan, Statement
from runner.compile.known import Known
from runner.compile.references import Sources, check_reference, marked_reference
from runner.compile.schemas.reading import Misread, read
from runner.compile.site import Site
from runner.compile.sql.parts import flat
from runner.compile.sql.source import Source
from runner.config.spec.bindings import CheckSpec, HttpSpec, SqlForm

_ITEM = "item"


def check_http(spec: HttpSpec, site: Site, known: Known) -> None:
    """Reports what a request reads in vain; a path has parameters alone."""
    for field, trees in (("query", spec.query), ("headers", spec.headers), ("form", spec.form)):
        for name, tree in (trees or {}).items():
            known.tree(tree, site / field / name)
    if spec.body is not None:
        known.tree(spec.body, site / "body")
    if spec.text is not None:
        known.template(spec.text, site / "text")


def check_sql(form: SqlForm, plan: SqlPlan, sources: Sequence[Source], known: Known) -> None:
    """Reports what the statements and their checks read in vain; `sources` are those of the plan.

    What a step gave is read by `:name.field`, and looped over by `each`.
    """
    for index, (statement, source) in enumerate(zip(plan.statements, sources, strict=True)):
        steps = _with_item(statement, source, known)
        for part in flat(statement.parts):
            if isinstance(part, Bound):
                reference = marked_reference(source.scalar, part.path, mark=":", offset=part.offset)
                check_reference(reference, steps, source.site)
        if form.statements is not None:
            checks = form.statements[index].check
            _check_rules(checks, source.site / "check", replace(known, steps=steps))


def _with_item(statement: Statement, source: Source, known: Known) -> Sources:
    """What the names give in a statement; reports an `each` over what is no list."""
    each = statement.each
    forms = known.steps.get(each or "", ())
    if each is None or not forms:
        return known.steps
    if all(form.type != "array" for form in forms):
        message = f"expected a list, found the result of step '{each}', which is none"
        (source.site / "each").error("not-a-list", message)
        return known.steps
    items = read(forms, ["0"])
    return {**known.steps, _ITEM: () if isinstance(items, Misread) else items}


def _check_rules(specs: Sequence[CheckSpec], site: Site, known: Known) -> None:
    for at, spec in enumerate(specs):
        known.expression(spec.that, site / at / "that")
        known.template(spec.otherwise, site / at / "else")
