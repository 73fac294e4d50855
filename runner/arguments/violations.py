"""What a schema finds wrong with a value, in our words: one table from keyword to words.

The validator's own sentences are never shown. Faults are grouped so that one cause is said once:
a value of the wrong type is not also too short.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import jsonschema_rs

from runner.arguments.formats import EXPECTED
from runner.arguments.phrases import found, types, values
from runner.catalog.schema import JsonSchema
from runner.codec.paths import Path, dotted, value_at
from runner.diagnostics import did_you_mean

_Details = Mapping[str, object]


def _plural(count: object, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _text_length(value: object) -> str:
    return _plural(len(value) if isinstance(value, str) else 0, "character")


def _size(value: object, noun: str) -> str:
    return _plural(len(value) if isinstance(value, Sequence | Mapping) else 0, noun)


def _type_names(details: _Details) -> list[str]:
    names = details["types"]
    return [str(name) for name in names] if isinstance(names, list) else [str(names)]


def _options(details: _Details) -> str:
    options = details["options"]
    return values(options if isinstance(options, list) else [options])


# Keyword → (what it gives, the value) → the whole message.
_WORDS: Mapping[str, Callable[[_Details, object], str]] = {
    "type": lambda d, v: f"expected {types(_type_names(d))}, found {found(v)}",
    "enum": lambda d, v: f"expected {_options(d)}, found {found(v)}",
    "const": lambda d, v: f"expected {found(d['expected_value'])}, found {found(v)}",
    "minLength": lambda d, v: (
        f"expected at least {_plural(d['limit'], 'character')}, found {_text_length(v)}"
    ),
    "maxLength": lambda d, v: (
        f"expected at most {_plural(d['limit'], 'character')}, found {_text_length(v)}"
    ),
    "pattern": lambda d, v: f"expected text that matches {d['pattern']}, found {found(v)}",
    "format": lambda d, v: (
        f"expected {EXPECTED.get(str(d['format']), d['format'])}, found {found(v)}"
    ),
    "minimum": lambda d, v: f"expected at least {d['limit']}, found {found(v)}",
    "maximum": lambda d, v: f"expected at most {d['limit']}, found {found(v)}",
    "exclusiveMinimum": lambda d, v: f"expected more than {d['limit']}, found {found(v)}",
    "exclusiveMaximum": lambda d, v: f"expected less than {d['limit']}, found {found(v)}",
    "multipleOf": lambda d, v: f"expected a multiple of {d['multiple_of']}, found {found(v)}",
    "minItems": lambda d, v: (
        f"expected at least {_plural(d['limit'], 'element')}, found {_size(v, 'element')}"
    ),
    "maxItems": lambda d, v: (
        f"expected at most {_plural(d['limit'], 'element')}, found {_size(v, 'element')}"
    ),
    "uniqueItems": lambda _d, _v: "expected each element once, found one that repeats",
    "contains": lambda _d, _v: "expected a list with an element of the right kind, found none",
    "minContains": lambda _d, _v: "expected more elements of the right kind",
    "maxContains": lambda _d, _v: "expected fewer elements of the right kind",
    "minProperties": lambda d, v: (
        f"expected at least {_plural(d['limit'], 'field')}, found {_size(v, 'field')}"
    ),
    "maxProperties": lambda d, v: (
        f"expected at most {_plural(d['limit'], 'field')}, found {_size(v, 'field')}"
    ),
    "not": lambda _d, v: f"expected something else, found {found(v)}",
    "contentEncoding": lambda _d, v: f"expected encoded text, found {found(v)}",
    "contentMediaType": lambda _d, v: f"expected text of another media type, found {found(v)}",
}


class Violations:
    """Finds and words what is wrong with a value; one per schema."""

    def __init__(self, schema: JsonSchema, validator: jsonschema_rs.Draft202012Validator) -> None:
        self._schema = schema
        self._validator = validator

    def of(self, value: object, *, known: set[Path]) -> Iterator[tuple[Path, str]]:
        """Each fault once, but none at or below a `known` path, whose value is already refused."""
        said: set[tuple[Path, str]] = set()
        errors = list(self._validator.iter_errors(value))
        mistyped = {tuple(e.instance_path) for e in errors if e.kind.name == "type"}
        for error in errors:
            path = tuple(error.instance_path)
            if known and any(path[:length] in known for length in range(len(path) + 1)):
                continue
            if path in mistyped and error.kind.name != "type":
                continue
            new = [
                fault for fault in self._words(error, value_at(value, path)) if fault not in said
            ]
            said.update(new)
            yield from new

    def _words(
        self, error: jsonschema_rs.ValidationError, value: object
    ) -> Iterator[tuple[Path, str]]:
        path = tuple(error.instance_path)
        details = error.kind.as_dict()
        match error.kind.name:
            case "required":
                yield (*path, str(details["property"])), "required, but missing"
            case "additionalProperties" | "unevaluatedProperties":
                for name in details["unexpected"]:
                    yield (*path, name), self._unknown(name, path, error.schema_path[:-1])
            case "anyOf" | "oneOf" if all(details["context"]):
                yield path, self._alternatives(details["context"], value, path)
            case "propertyNames":
                for _, words in self._words(details["error"], details["error"].instance):
                    yield path, f"a field's name: {words}"
            case "contains":
                # `minContains` and `maxContains` are of this kind too.
                yield path, _WORDS[str(error.schema_path[-1])](details, value)
            case name:
                words_of = _WORDS.get(name)
                yield path, words_of(details, value) if words_of else _last(name, value)

    def _alternatives(
        self,
        branches: Sequence[Sequence[jsonschema_rs.ValidationError]],
        value: object,
        path: Path,
    ) -> str:
        named: list[str] = []
        forms: list[str] = []
        for branch in filter(None, branches):
            for error in branch[:1]:
                below = tuple(error.instance_path)
                if error.kind.name == "type" and below == path:
                    named += _type_names(error.kind.as_dict())
                for place, words in self._words(error, value_at(value, below[len(path) :])):
                    inner = dotted(place[len(path) :])
                    forms.append(f"{inner}: {words}" if inner else words)
        if len(named) == len(branches):
            return f"expected {types(set(named))}, found {found(value)}"
        return f"expected one of several forms, none fits ({'; '.join(dict.fromkeys(forms))})"

    def _unknown(self, name: str, path: Path, place: Sequence[str | int]) -> str:
        noun = "field" if path else "argument"
        schema = value_at(self._schema, tuple(place))
        properties = schema.get("properties") if isinstance(schema, Mapping) else None
        known = list(properties) if isinstance(properties, Mapping) else []
        hint = did_you_mean(name, known)
        if hint is not None:
            return f"unknown {noun}, {hint}"
        if not known:
            return f"unknown {noun}, none is expected here"
        return f"unknown {noun}, expected {values(known)}"


def _last(name: str, value: object) -> str:
    if name == "falseSchema":
        return f"expected nothing here, found {found(value)}"
    if name == "oneOf":
        return "expected exactly one of several forms, more than one fits"
    return f"expected another value, found {found(value)}"
