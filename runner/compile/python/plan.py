"""`python: package.module:name` → its plan, its input and output as its hints say, its words."""

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from runner.catalog.plans import PythonPlan
from runner.catalog.schema import JsonSchema, Parameter
from runner.compile.python.callables import Loader, examine, load
from runner.compile.python.hints import Given, HintFault, given
from runner.compile.python.parameters import Input, Subject, compared_input, derived_input
from runner.compile.site import Site
from runner.config.nodes import Scalar
from runner.diagnostics import did_you_mean
from runner.errors import BindingError, Kind


@dataclass(frozen=True, slots=True)
class _Source:
    """The words for what a handle reaches."""

    word: str
    hint: str
    unknown: str
    ambiguous: str


_DATABASE = _Source("a database", "Database", "unknown-database", "ambiguous-database")
_API = _Source("an API", "Http", "unknown-api", "ambiguous-api")
_OPEN: JsonSchema = {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonUse:
    """How the file uses the callable: what it says of it itself."""

    parameters: Mapping[str, Parameter] | None = None
    """Of `input` or `input_schema`; None: the hints say them."""
    binds: Collection[str] = ()
    """Names of `bind`, those of `defaults` too."""
    writes: bool = False
    declares_output: bool = False
    """`result.schema` or `result.columns` is given."""
    database: str | None = None
    """The tool's `database`, or that of `defaults`."""
    databases: Collection[str] = ()
    """Names of the file's databases."""
    apis: Collection[str] = ()
    """Names of the file's APIs."""


@dataclass(frozen=True, slots=True)
class PythonCompiled:
    """A callable, ready to be listed and bound."""

    plan: PythonPlan
    description: str | None
    """The docstring up to its first section."""
    listed: JsonSchema | None
    """The input schema that the hints say; None where the file gives the input."""
    output: JsonSchema | None
    """The output schema that the return hint says."""


def compile_python(
    reference: Scalar, site: Site, use: PythonUse, *, loader: Loader | None
) -> PythonCompiled | None:
    """The callable as the tool at `site` uses it; None after reporting why it cannot be used.

    Without a `loader` nothing is imported: the plan cannot be run, and only what the file itself
    says is known.
    """
    if loader is None:
        return _unknown(reference, site, use)
    found = load(reference, site, loader)
    examined = None if found is None else examine(found, reference, site)
    if examined is None:
        return None
    subject = Subject(examined, reference, site)
    if use.parameters is None:
        inputs = derived_input(subject, use.binds)
    else:
        inputs = compared_input(subject, use.parameters, use.binds)
    result = _result(subject, use)
    plan = _plan(subject, use, inputs, result)
    return PythonCompiled(
        plan,
        description=examined.doc.description or None,
        listed=inputs.listed,
        output=result.schema,
    )


def compile_lifespan(
    reference: Scalar, site: Site, *, loader: Loader | None
) -> Callable[[], object] | None:
    """The file's `lifespan`, called without arguments; None without a loader or with a fault."""
    found = None if loader is None else load(reference, site, loader)
    if found is None:
        return None
    needed: list[str] = []
    if callable(found):
        parameters = inspect.signature(found).parameters.values()
        kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        needed = [
            item.name
            for item in parameters
            if item.default is item.empty and item.kind not in kinds
        ]
        if not needed:
            return found
    site.error(
        "unsupported-callable",
        f"'{reference.text}' needs '{needed[0]}'"
        if needed
        else f"'{reference.text}' is no function",
        hint="name an async context manager that is called without arguments",
        at=reference.position,
    )
    return None


def _plan(subject: Subject, use: PythonUse, inputs: Input, result: Given) -> PythonPlan:
    examined = subject.examined
    return PythonPlan(
        subject.reference.text,
        examined.function,
        is_async=examined.is_async,
        injected={name: item.kind for name, item in examined.injected.items()},
        builders=inputs.builders,
        returns=result.convert,
        takes_arguments_whole=examined.takes_whole,
        accepts=frozenset(examined.asked),
        sources=_sources(subject, use),
        database=use.database,
        writes=use.writes,
        text_is_structured=use.declares_output or result.schema is not None,
    )


def _result(subject: Subject, use: PythonUse) -> Given:
    try:
        return given(subject.examined.returns, is_declared=use.declares_output)
    except HintFault as fault:
        text = f"the result of '{subject.reference.text}': {fault}"
        subject.error(fault.code, text, fault.hint)
        return Given(None, None)


def _sources(subject: Subject, use: PythonUse) -> Mapping[str, str | None]:
    """Which database or API each injected handle means; what cannot be told is reported."""
    found: dict[str, str | None] = {}
    for name, injection in subject.examined.injected.items():
        match injection.kind:
            case "database":
                wanted = injection.source or use.database
                found[name] = _source(subject, name, wanted, (_DATABASE, use.databases))
            case "http":
                found[name] = _source(subject, name, injection.source, (_API, use.apis))
    return found


def _source(
    subject: Subject, name: str, wanted: str | None, offered: tuple[_Source, Collection[str]]
) -> str | None:
    kind, known = offered
    text = subject.reference.text
    if wanted is None and len(known) == 1:
        return next(iter(known))
    if wanted is None and known:
        subject.error(
            kind.ambiguous,
            f"'{name}' of '{text}' does not say which of {', '.join(known)}",
            f'write {name}: Annotated[{kind.hint}, "{next(iter(known))}"]',
        )
    elif wanted is None:
        subject.error(kind.unknown, f"'{name}' of '{text}' asks for {kind.word}; the file has none")
    elif wanted not in known:
        subject.error(
            kind.unknown,
            f"'{name}' of '{text}' asks for '{wanted}', which the file does not have",
            did_you_mean(wanted, known),
        )
    return wanted


def _unknown(reference: Scalar, site: Site, use: PythonUse) -> PythonCompiled:
    """Of a callable that is not imported."""

    def refuse(**_arguments: object) -> object:
        raise BindingError(Kind.UNAVAILABLE, "the tool's code is not loaded")

    if use.parameters is None:
        site.warning(
            "signature-unknown",
            f"the input of '{reference.text}' is not known without importing it",
            hint="give `input`, or validate without --no-import",
            at=reference.position,
        )
    plan = PythonPlan(
        reference.text,
        refuse,
        is_async=False,
        injected={},
        builders={},
        takes_arguments_whole=True,
        writes=use.writes,
        text_is_structured=use.declares_output,
    )
    listed = _OPEN if use.parameters is None else None
    return PythonCompiled(plan, None, listed, None)
