"""A callable as a tool: its plan, the schemas that it says, and every fault with its place."""

import functools
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal, Optional

import pytest
from pydantic import BaseModel, Field

from runner import Caller, Context, Database, Http, Progress
from runner.catalog.schema import Parameter
from runner.compile.python.plan import (
    PythonCompiled,
    PythonUse,
    compile_lifespan,
    compile_python,
)
from runner.compile.site import Site
from runner.config.nodes import Document, Mapping_, Scalar
from runner.config.spec.tools import ToolSpec
from runner.diagnostics import Diagnostic, Faults, Position
from runner.errors import BindingError, LoadError
from tests.compile.written import in_line, written

TOOL = """\
python: tools.text:run
input:
  city: string
  days?: integer
"""


@dataclass
class Holding:
    """A loader that has one object."""

    held: object

    def load(self, reference: str) -> object:
        if isinstance(self.held, LoadError):
            raise self.held
        return self.held


def compiled(
    function: object, use: PythonUse | None = None
) -> tuple[PythonCompiled | None, list[str]]:
    """The compiled callable and each diagnostic as `line:column code: message`."""
    found, faults = with_faults(function, use)
    return found, [in_line(fault) for fault in faults]


def with_faults(
    function: object, use: PythonUse | None = None
) -> tuple[PythonCompiled | None, tuple[Diagnostic, ...]]:
    spec, site = written(TOOL, ToolSpec)
    assert spec.python is not None
    loader = None if function is None else Holding(function)
    found = compile_python(spec.python, site, use or PythonUse(), loader=loader)
    return found, site.faults.sorted()


def listed(found: PythonCompiled) -> list[str]:
    """The names of the listed parameters."""
    properties = (found.listed or {})["properties"]
    assert isinstance(properties, dict)
    return list(properties)


def good(function: object, use: PythonUse | None = None) -> PythonCompiled:
    found, faults = compiled(function, use)
    assert faults == []
    assert found is not None
    return found


def declared(**parameters: Parameter) -> PythonUse:
    return PythonUse(parameters=parameters)


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]


DATE = {"type": "string", "format": "date"}
CITY = Parameter("city", "string")
DAYS = Parameter("days", "integer", required=False)


def test_hints_and_docstring_say_the_input() -> None:
    def forecast(city: str, days: Annotated[int, Field(ge=1)] = 3, at: date | None = None) -> str:
        """The weather of the next days.

        Args:
            city: Where.
        """
        return f"{city}{days}{at}"

    found = good(forecast)
    assert (found.description, found.output) == ("The weather of the next days.", None)
    assert found.listed == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Where."},
            "days": {"type": "integer", "minimum": 1, "default": 3},
            "at": {"anyOf": [DATE, {"type": "null"}], "default": None},
        },
        "required": ["city"],
        "additionalProperties": False,
    }


def test_a_function_without_parameters_has_an_empty_object() -> None:
    """Some clients refuse a tool whose schema lacks `properties`."""
    found = good(lambda: None)
    assert found.listed == {"type": "object", "properties": {}, "additionalProperties": False}


@pytest.mark.parametrize(
    ("hint", "text"),
    [(Annotated[str, "Where"], "Where"), (Annotated[str, Field(description="Here")], "Here")],
)
def test_annotated_describes_a_parameter(hint: Any, text: str) -> None:
    def run(city: hint) -> None:
        """Runs.

        Args:
            city: In the docstring.
        """

    assert good(run).listed == {
        "type": "object",
        "properties": {"city": {"type": "string", "description": text}},
        "required": ["city"],
        "additionalProperties": False,
    }


def test_a_return_hint_says_the_output() -> None:
    def run() -> list[bool]:
        return []

    found = good(run)
    assert found.output == {"type": "array", "items": {"type": "boolean"}}
    assert found.plan.text_is_structured


def test_a_declared_output_leaves_the_return_hint_unlisted() -> None:
    class Tree(BaseModel):
        children: "list[Tree]" = []

    Tree.model_rebuild(_types_namespace={"Tree": Tree})

    def run() -> Tree:
        return Tree()

    found = good(run, PythonUse(declares_output=True))
    assert (found.output, found.plan.text_is_structured) == (None, True)
    assert compiled(run)[1] == [
        "1:9 recursive-hint: the result of 'tools.text:run': "
        "'Tree' holds itself, so that no finite schema says it"
    ]


def test_injected_parameters_are_hidden() -> None:
    def run(
        context: Context,
        who: Caller,
        tell: Optional[Progress],  # noqa: UP045 - the older form
        data: Annotated[Database, "library"],
        web: Http | None = None,
        query: str = "",
    ) -> None: ...

    found = good(run, PythonUse(databases=["library", "other"], apis=["weather"]))
    assert listed(found) == ["query"]
    assert found.plan.injected == {
        "context": "context",
        "who": "caller",
        "tell": "progress",
        "data": "database",
        "web": "http",
    }
    assert found.plan.sources == {"data": "library", "web": "weather"}


@pytest.mark.parametrize(
    ("databases", "code"),
    [((), "unknown-database"), (("a", "b"), "ambiguous-database")],
)
def test_a_database_that_cannot_be_told_is_reported(databases: tuple[str, ...], code: str) -> None:
    def run(data: Database) -> None: ...

    _, faults = with_faults(run, PythonUse(databases=databases))
    assert [fault.code for fault in faults] == [code]


def test_a_database_that_is_named_wrong_suggests_one() -> None:
    def run(data: Annotated[Database, "librari"]) -> None: ...

    _, faults = with_faults(run, PythonUse(databases=["library", "other"]))
    assert [fault.hint for fault in faults] == ["did you mean 'library'?"]


def test_a_bound_parameter_is_built_but_not_listed() -> None:
    def run(day: date, query: str) -> None: ...

    found = good(run, PythonUse(binds={"day", "unused"}))
    assert (listed(found), list(found.plan.builders)) == (["query"], ["day"])
    assert found.plan.accepts == frozenset({"day", "query"})


def test_the_files_own_input_needs_no_listing() -> None:
    def run(city: str, days: int = 1) -> None: ...

    found = good(run, declared(city=CITY, days=DAYS))
    assert (found.listed, list(found.plan.builders)) == (None, ["days"])


def test_a_parameter_that_the_function_does_not_take_is_reported_where_it_stands() -> None:
    def run(city: str, day: int = 1) -> None: ...

    _, faults = with_faults(run, declared(city=CITY, days=DAYS))
    assert [(str(f.position), f.code, f.message, f.hint) for f in faults] == [
        (
            "mcp.yaml:4:3",
            "parameter-not-taken",
            "'tools.text:run' has no 'days'",
            "did you mean 'day'?",
        )
    ]


def test_kwargs_take_any_parameter_of_the_file() -> None:
    def run(**rest: object) -> None: ...

    assert good(run, declared(city=CITY, days=DAYS)).plan.takes_arguments_whole


def test_kwargs_without_input_are_a_warning() -> None:
    def run(**rest: object) -> None: ...

    _, faults = with_faults(run)
    assert [(fault.code, fault.severity) for fault in faults] == [("missing-hint", "warning")]


def test_a_parameter_of_unknown_type_fits_any_hint() -> None:
    def run(city: int) -> None: ...

    good(run, declared(city=Parameter("city", "")))


def test_a_type_that_holds_itself_is_no_fault_where_the_file_gives_the_input() -> None:
    class Tree(BaseModel):
        children: "list[Tree]" = []

    Tree.model_rebuild(_types_namespace={"Tree": Tree})

    def run(city: Tree) -> None: ...

    found = good(run, declared(city=Parameter("city", "object")))
    assert found.plan.builders["city"]({}) == Tree()


def test_a_hint_without_json_form_is_reported_beside_a_given_input() -> None:
    class Unknown: ...

    def run(city: Unknown) -> None: ...

    _, faults = with_faults(run, declared(city=CITY))
    assert [fault.code for fault in faults] == ["unsupported-hint"]


@pytest.mark.parametrize("hint", [dict[str, int], Cat | Dog])
def test_objects_do_not_fit_a_text(hint: Any) -> None:
    def run(city: hint) -> None: ...

    _, faults = with_faults(run, declared(city=CITY))
    assert [fault.code for fault in faults] == ["parameter-type"]


def test_an_injected_parameter_cannot_be_sent() -> None:
    def run(city: Context) -> None: ...

    assert compiled(run, declared(city=CITY))[1] == [
        "3:3 parameter-not-taken: 'tools.text:run' fills 'city' itself"
    ]


def test_a_parameter_that_the_function_needs_is_reported() -> None:
    def run(city: str, country: str) -> None: ...

    assert compiled(run, declared(city=CITY))[1] == [
        "1:9 parameter-not-given: 'tools.text:run' needs 'country', which the tool does not have"
    ]


def test_an_optional_parameter_that_the_function_needs_is_reported() -> None:
    def run(city: str, days: int) -> None: ...

    assert compiled(run, declared(city=CITY, days=DAYS))[1] == [
        "4:3 parameter-may-be-absent: 'days' is optional here, but 'tools.text:run' needs it"
    ]


@pytest.mark.parametrize(
    ("hint", "shown"), [(int, "int"), (list[str], "list[str]"), (bool | None, "bool | None")]
)
def test_a_type_that_can_never_fit_is_reported(hint: Any, shown: str) -> None:
    def run(city: hint) -> None: ...

    assert compiled(run, declared(city=CITY))[1] == [
        f"3:3 parameter-type: 'city' is string here, but 'tools.text:run' takes '{shown}'"
    ]


@pytest.mark.parametrize("hint", [str, date, str | int, Any, object, bytes])
def test_a_type_that_may_fit_is_not_reported(hint: Any) -> None:
    def run(city: hint) -> None: ...

    good(run, declared(city=CITY))


class Shop:
    def open(self, door: int) -> bool:
        return bool(door)

    async def __call__(self, door: int) -> bool:
        return bool(door)


def plain(door: int, window: int = 0) -> bool:
    return bool(door + window)


@functools.wraps(plain)
def wrapped(*args: Any, **kwargs: Any) -> Any:
    return plain(*args, **kwargs)


@pytest.mark.parametrize(
    "function",
    [Shop().open, Shop(), functools.partial(plain, window=1), wrapped, plain],
    ids=["method", "object", "partial", "decorated", "function"],
)
def test_anything_called_by_name_is_served(function: Callable[..., object]) -> None:
    found = good(function)
    assert "door" in listed(found)
    assert found.output == {"type": "boolean"}
    assert found.plan.is_async is isinstance(function, Shop)


def numbers() -> Iterator[int]:
    yield 1


async def later() -> AsyncIterator[int]:
    yield 1


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (numbers, "is a generator: return a list instead"),
        (later, "is a generator: return a list instead"),
        (Shop, "is a class"),
        (Shop.open, "is a method without its object"),
        (42, "is no function"),
    ],
)
def test_what_cannot_be_called_for_a_result_is_refused(found: object, why: str) -> None:
    assert compiled(found) == (None, [f"1:9 unsupported-callable: 'tools.text:run' {why}"])


def test_a_parameter_by_position_only_is_refused() -> None:
    def run(city: str, /) -> None: ...

    assert compiled(run)[1] == [
        "1:9 unsupported-parameter: 'tools.text:run' takes 'city' by position only"
    ]


def test_a_hint_that_is_not_there_at_run_time_is_reported() -> None:
    def run(city: "Missing") -> None: ...  # type: ignore[name-defined]  # noqa: F821 - the fault itself

    assert compiled(run)[1] == [
        "1:9 unresolved-hint: a hint of 'tools.text:run' names 'Missing', "
        "which is not defined at run time"
    ]


def test_a_parameter_without_hint_is_a_warning() -> None:
    def run(city):  # type: ignore[no-untyped-def]  # the fault itself
        return city

    found, faults = with_faults(run)
    assert [(fault.code, fault.severity) for fault in faults] == [("missing-hint", "warning")]
    assert found is not None
    assert found.listed is not None
    assert found.listed["properties"] == {"city": {}}


def test_a_field_as_default_is_refused_with_the_right_form() -> None:
    def run(city: str = Field("Rome")) -> None: ...

    _, faults = with_faults(run)
    assert [(fault.code, fault.hint) for fault in faults] == [
        ("unsupported-parameter", "write city: Annotated[str, Field(…)]")
    ]


def test_every_fault_of_a_signature_is_reported_at_once() -> None:
    class Unknown: ...

    def run(a: Unknown, b: Unknown) -> Unknown: ...  # type: ignore[empty-body]  # never called

    assert len(compiled(run)[1]) == 3


def test_a_fault_in_the_authors_module_stands_there() -> None:
    error = LoadError("import-failed", "no", position=Position("tools/text.py", 3, 5))
    _, faults = with_faults(error)
    assert [(str(fault.position), fault.code) for fault in faults] == [
        ("tools/text.py:3:5", "import-failed")
    ]


def test_without_a_loader_the_input_must_be_given() -> None:
    found, faults = with_faults(None)
    assert [(fault.code, fault.severity) for fault in faults] == [("signature-unknown", "warning")]
    assert found is not None
    with pytest.raises(BindingError):
        found.plan.function(city="Rome")
    assert compiled(None, declared(city=CITY))[1] == []


@asynccontextmanager
async def lifespan() -> AsyncIterator[int]:
    yield 1


@pytest.mark.parametrize(
    ("found", "message"),
    [(lifespan, None), (plain, "'t:l' needs 'door'"), (42, "'t:l' is no function")],
)
def test_a_lifespan_is_called_without_arguments(found: object, message: str | None) -> None:
    root = Mapping_({}, Position("mcp.yaml", 1, 1))
    site = Site(Document("mcp.yaml", root), Faults())
    result = compile_lifespan(Scalar("t:l", root.position), site, loader=Holding(found))
    assert [fault.message for fault in site.faults.sorted()] == ([message] if message else [])
    assert (result is None) == (message is not None)
