"""A SQL plan explained: each statement as it will be sent, and what is bound where."""

from collections.abc import Callable, Iterator, Mapping

from runner.bindings.sql.paging import CURSOR, OFFSET
from runner.bindings.sql.transaction import slot_value
from runner.catalog.rendering import Shapes, Slot, Values
from runner.catalog.sources import Database
from runner.catalog.sql import Bound, Chosen, OptionalPart, SqlPlan, Statement
from runner.cli.explained.shown import Shown, Situation, seconds, shown_value
from runner.codec.json import encode
from runner.codec.values import plain

_NUMBERED = _WITH_ARRAYS = ("postgresql", "duckdb")
_SEALED = "(from the sealed cursor)"


def explain_sql(plan: SqlPlan, situation: Situation) -> Shown:
    """The statements of one transaction.

    Raises:
        BindingError: a statement that the client wrote is none that may run.
    """
    database = situation.catalog.databases[plan.database]
    statements = plan.statements
    if plan.client_parameter is not None and plan.read_client is not None:
        written = situation.call.arguments.get(plan.client_parameter)
        statements = (plan.read_client(str(written)),)
    return {
        "database": plan.database,
        "engine": plan.dialect,
        "transaction": (
            "that of the steps" if situation.transaction else kind_of(writes=plan.writes)
        ),
        **_session(database, situation),
        "statements": [
            _statement(statement, plan, situation, is_result=index == plan.result)
            for index, statement in enumerate(statements)
        ],
        "result": plan.shape,
        "budgets": {
            "rows": plan.max_rows,
            "bytes": plan.max_bytes,
            "pool_wait": seconds(database.pool_wait_s),
            "pool_size": database.pool_size,
        },
    }


def kind_of(*, writes: bool) -> str:
    """What a transaction may do, in a word."""
    return "writing" if writes else "read-only"


def _session(database: Database, situation: Situation) -> Shown:
    session = database.session
    if session is None:
        return {}
    settings = {
        name: {"value": shown_value(item.evaluate(situation.call.scope)), "from": item.source}
        for name, item in session.settings.items()
    }
    return {"session": {"role": session.role, "settings": settings}}


def _statement(
    statement: Statement, plan: SqlPlan, situation: Situation, *, is_result: bool
) -> Shown:
    skipped = _skipped(statement, situation)
    if skipped is not None:
        return {"runs": f"not at all, since {skipped}"}
    values = _values(statement, plan, situation)
    shapes = Shapes(statement)
    rendered = shapes.render(shapes.key(values))
    marks = [_placeholder(plan.dialect)(index) for index in range(len(rendered.slots))]
    shown: Shown = {"runs": _runs(statement, situation)}
    if statement.as_name is not None:
        shown["as"] = statement.as_name
    shown["text"] = rendered.text(lambda index, bound: _cast(marks[index], bound)).strip()
    shown["binds"] = [
        {"at": mark, **_bound(slot, plan, situation, values)}
        for mark, slot in zip(marks, rendered.slots, strict=True)
    ]
    shown |= _shape(statement, values)
    if statement.checks:
        shown["checks"] = [check.that.source for check in statement.checks]
    if is_result:
        shown["gives"] = "the result"
    return shown


def _values(statement: Statement, plan: SqlPlan, situation: Situation) -> Values:
    """What the statement may bind; the first element where it runs once for each."""
    values: dict[str, object] = dict(situation.call.arguments)
    if statement.each is not None:
        elements = values.get(statement.each)
        first = elements[0] if isinstance(elements, list) and elements else None
        values |= {"item": first, "index": 0}
    if plan.page is not None and CURSOR in values:
        values[CURSOR] = dict.fromkeys(plan.page.key, _SEALED)
        values[OFFSET] = _SEALED
    elif plan.page is not None and not plan.page.key:
        values[OFFSET] = 0
    return {**values, **dict.fromkeys(situation.later)}


def _skipped(statement: Statement, situation: Situation) -> str | None:
    """Why the statement does not run with these arguments; None where it does."""
    arguments = situation.call.arguments
    if statement.if_sent is not None and statement.if_sent not in arguments:
        return f"'{statement.if_sent}' was not sent"
    if statement.each is not None and not arguments.get(statement.each):
        return f"'{statement.each}' has no elements"
    return None


def _runs(statement: Statement, situation: Situation) -> str:
    if statement.each is None:
        return "once"
    elements = situation.call.arguments.get(statement.each)
    count = len(elements) if isinstance(elements, list) else 0
    return f"once for each of {count} in '{statement.each}'; the first is shown"


def _placeholder(dialect: str) -> Callable[[int], str]:
    return (lambda index: f"${index + 1}") if dialect in _NUMBERED else (lambda _index: "?")


def _cast(mark: str, bound: Bound) -> str:
    return f"CAST({mark} AS {bound.cast})" if bound.cast else mark


def _bound(slot: Slot, plan: SqlPlan, situation: Situation, values: Values) -> Shown:
    bound = slot.bound
    root = bound.path[0]
    shown: Shown = {"name": ":" + ".".join(bound.path)}
    if bound.type:
        shown["type"] = bound.type + ("[]" if bound.is_list and slot.element is None else "")
    if slot.element is not None:
        shown["element"] = slot.element
    if root in situation.later:
        return {**shown, "from": f"step '{root}'"}
    if root in {item.as_name for item in plan.statements} - {None}:
        return {**shown, "from": f"the row '{root}'"}
    if root in situation.hidden:
        shown["from"] = situation.hidden[root]
    value = slot_value(slot, values, plan.max_rows)
    shown["value"] = shown_value(_json_text(value) if _is_json(value, bound, plan) else value)
    if bound.is_limit:
        shown["note"] = "one more than is shown"
    return shown


def _is_json(value: object, bound: Bound, plan: SqlPlan) -> bool:
    """The engine has no arrays, or it is none: the text of its JSON is bound."""
    if not isinstance(value, list | tuple):
        return isinstance(value, dict)
    is_array = plan.dialect in _WITH_ARRAYS and bound.type not in ("object", "json")
    return not is_array or any(isinstance(item, dict) for item in value)


def _json_text(value: object) -> str:
    return encode(plain(value)).decode()


def _shape(statement: Statement, values: Values) -> Shown:
    """Which `[[ ]]` are there, and which texts were chosen."""
    optional = [
        f"[[ {', '.join(part.parameters)} ]] {'there' if _is_there(part, values) else 'left out'}"
        for part in statement.parts
        if isinstance(part, OptionalPart)
    ]
    chosen = {
        part.parameter: _words(part, values)
        for part in _pieces(statement)
        if isinstance(part, Chosen)
    }
    return {
        **({"optional": optional} if optional else {}),
        **({"chosen": chosen} if chosen else {}),
    }


def _is_there(part: OptionalPart, values: Values) -> bool:
    return all(name in values for name in part.parameters)


def _pieces(statement: Statement) -> Iterator[object]:
    for part in statement.parts:
        if isinstance(part, OptionalPart):
            yield from part.parts
        else:
            yield part


def _words(part: Chosen, values: Values) -> Mapping[str, str]:
    word = values.get(part.parameter)
    words = word if isinstance(word, list) else [word]
    return {str(item): part.texts[str(item)] for item in words if str(item) in part.texts}
