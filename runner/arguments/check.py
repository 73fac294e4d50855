"""The check of one call's arguments: measured, coerced, filled, judged; every fault in our words.

A good call costs one walk of the shape and one run of the compiled schema. Only a bad one pays for
words. Built once per tool, from a shape and a schema that describe the same values.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from types import NoneType

import jsonschema_rs

from runner.arguments.coercion import Unfit, fit_of, measure
from runner.arguments.formats import CHECKERS
from runner.arguments.shapes import Shape
from runner.arguments.violations import Violations
from runner.catalog.schema import Arguments, JsonSchema
from runner.codec.paths import Path, dotted
from runner.errors import ArgumentsError, FieldFault

MOST_FAULTS = 20
"""Listed by name; the rest is counted."""
MOST_WORDED = 200
"""Put into words at all, so that a hostile call does not make the server write a book."""

_FLAT = frozenset((str, int, float, bool, NoneType))
"""Types of values with nothing in them."""

Check = Callable[[Mapping[str, object]], Arguments]
Faults = list[tuple[Path, str]]


def validator(schema: JsonSchema) -> jsonschema_rs.Draft202012Validator:
    """The compiled schema: our formats, no network.

    Raises:
        jsonschema_rs.ValidationError: the schema cannot be compiled.
    """
    return jsonschema_rs.Draft202012Validator(
        dict(schema), formats=CHECKERS, validate_formats=True, offline=True
    )


def arguments_check(
    shape: Shape, schema: JsonSchema, *, coerce: bool, input_elements: int
) -> Check:
    """The check of arguments that `shape` reads and `schema` judges.

    `schema` sees coerced values: a decimal is a number there. `input_elements` bounds the values
    in one call, nested ones counted. What is returned shares no list or object that the check
    wrote itself with what was sent or with another call.

    Raises:
        jsonschema_rs.ValidationError: the schema cannot be compiled.
    """
    compiled = validator(schema)
    is_valid = compiled.is_valid
    fit = fit_of(shape, coerce=coerce, limit=input_elements)
    violations = Violations(schema, compiled)

    def check(sent: Mapping[str, object]) -> Arguments:
        for item in sent.values():
            if type(item) not in _FLAT:
                _refuse_excess(sent, input_elements)
                break
        faults: Faults = []
        try:
            value = fit(sent)
        except Unfit as unfit:
            value, faults = unfit.value, unfit.faults
        if not isinstance(value, dict):
            raise ArgumentsError([FieldFault("", "expected an object")])
        try:
            if not faults and is_valid(value):
                return value
            known = {path for path, _ in faults}
            worded = violations.of(value, known=known)
            faults += islice(worded, max(0, MOST_WORDED - len(faults)))
        except UnicodeEncodeError:
            faults = [((), "expected Unicode text, found an unpaired surrogate")]
        raise ArgumentsError(_listed(faults, list(shape.members)))

    return check


def _refuse_excess(sent: Mapping[str, object], limit: int) -> None:
    excess = measure(sent, limit)
    if excess is not None:
        raise ArgumentsError([FieldFault("", excess)])


def _listed(faults: Faults, order: Sequence[str]) -> list[FieldFault]:
    """The faults in the order of the parameters, at most `MOST_FAULTS` and a count."""
    ranks = {name: rank for rank, name in enumerate(order)}
    ordered = sorted(
        faults, key=lambda fault: ranks.get(str(fault[0][0]), len(ranks)) if fault[0] else -1
    )
    listed = [FieldFault(dotted(path), message) for path, message in ordered[:MOST_FAULTS]]
    rest = len(ordered) - MOST_FAULTS
    if rest <= 0:
        return listed
    count = f"at least {rest}" if len(ordered) >= MOST_WORDED else str(rest)
    return [*listed, FieldFault("", f"and {count} more faults")]
