"""Statements proven on an engine that is passed in: casts found, columns described, faults placed.

Opens nothing itself; what an engine says of a statement wins over what the parser thought.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from runner.catalog.proving import Description, Prover, Refusal
from runner.catalog.sql import Bound, Column, SqlPlan, Statement
from runner.compile.site import Site
from runner.compile.sql.parts import flat, with_bounds
from runner.compile.sql.shapes import Laid, lay_out, shape_choices
from runner.compile.sql.source import Source
from runner.diagnostics import did_you_mean


def prove_sql(
    plan: SqlPlan, prover: Prover, *, sources: Sequence[Source], result_site: Site
) -> SqlPlan:
    """The plan with casts and described columns; whatever the engine refuses is reported.

    `sources` are those of `runner.compile.sql.plan.sources`, one a statement; `result_site` is
    the tool's `result`.

    Raises:
        StartError: the database cannot be reached.
    """
    statements: list[Statement] = []
    columns: list[Sequence[Column] | None] = []
    earlier: dict[str, Sequence[Column] | None] = {}
    for statement, source in zip(plan.statements, sources, strict=True):
        typed = _typed(statement, earlier, source)
        proven, described = _prove(typed, plan, prover, source)
        statements.append(proven)
        columns.append(described)
        if statement.as_name is not None:
            earlier[statement.as_name] = described
            _check_duplicates(described or (), source)
    described = columns[plan.result] if plan.result is not None else None
    if described is not None and plan.result is not None:
        _check_result(plan, described, sources[plan.result], result_site)
        statements[plan.result] = _with_cursor_types(statements[plan.result], described)
    return replace(plan, statements=tuple(statements), described=described)


def _prove(
    statement: Statement, plan: SqlPlan, prover: Prover, source: Source
) -> tuple[Statement, Sequence[Column] | None]:
    """The statement as the engine has it, and its columns where every shape has the same."""
    casts: dict[int, str] = {}
    found: list[Description] = []
    reported: set[Refusal] = set()
    misfits: dict[Bound, str] = {}
    for choice in shape_choices(statement, plan.parameters):
        laid = lay_out(statement, choice, plan.parameters)
        answer = prover.describe(laid.texts, laid.parameters)
        if isinstance(answer, Refusal):
            placed = replace(answer, offset=_origin(answer, laid))
            if placed not in reported:
                reported.add(placed)
                _report(placed, source)
            continue
        found.append(answer)
        misfits |= {laid.parameters[at]: name for at, name in answer.misfits.items()}
        casts |= {laid.parameters[at].offset: cast for at, cast in answer.casts.items()}
    for bound, name in misfits.items():
        _warn_of_misfit(bound, name, source)
    if reported or not found:
        return statement, None
    _check_writes(found, plan, source)
    proven = replace(
        statement,
        parts=with_bounds(statement.parts, lambda bound: _with_cast(bound, casts)),
        limit=_cast_bound(statement.limit, casts),
        returns_rows=any(item.columns for item in found),
        writes=_writes(statement, found),
    )
    return proven, _common([item.columns for item in found])


def _warn_of_misfit(bound: Bound, name: str, source: Source) -> None:
    source.warning(
        "column-type",
        f"the engine takes ':{'.'.join(bound.path)}' for {name}, which no {bound.type} is",
        bound.offset - source.base,
        hint="declare the type of the column, or cast the parameter",
    )


def _origin(refusal: Refusal, laid: Laid) -> int | None:
    return None if refusal.offset is None else laid.origin(refusal.offset)


def _writes(statement: Statement, found: Sequence[Description]) -> bool:
    known = [item.writes for item in found if item.writes is not None]
    return any(known) if known else statement.writes


def _check_writes(found: Sequence[Description], plan: SqlPlan, source: Source) -> None:
    if not plan.writes and any(item.writes for item in found):
        source.error(
            "writes-in-read-tool",
            "expected a statement that only reads, but the engine says that it writes",
            0,
            hint="say 'writes: true' or 'writes: destructive' if it is meant",
        )


def _with_cast(bound: Bound, casts: Mapping[int, str]) -> Bound:
    return replace(bound, cast=casts.get(bound.offset, bound.cast))


def _cast_bound(limit: Bound | int | None, casts: Mapping[int, str]) -> Bound | int | None:
    return _with_cast(limit, casts) if isinstance(limit, Bound) else limit


def _common(shapes: Sequence[Sequence[Column]]) -> Sequence[Column] | None:
    """The columns that hold for every shape; None where their names differ."""
    first = shapes[0]
    names = [column.name for column in first]
    if any([column.name for column in columns] != names for columns in shapes):
        return None
    return tuple(
        Column(
            name,
            first[place].type if len({columns[place].type for columns in shapes}) == 1 else "",
            any(columns[place].nullable for columns in shapes),
            any(columns[place].holds_nulls for columns in shapes),
        )
        for place, name in enumerate(names)
    )


def _typed(
    statement: Statement, earlier: Mapping[str, Sequence[Column] | None], source: Source
) -> Statement:
    """The statement with the types of earlier rows' columns; unknown ones are reported."""
    types: dict[int, str] = {}
    for part in flat(statement.parts):
        if not isinstance(part, Bound) or earlier.get(part.path[0]) is None:
            continue
        columns = {column.name: column for column in earlier[part.path[0]] or ()}
        name = part.path[-1]
        if name in columns:
            types[part.offset] = columns[name].type
        else:
            source.error(
                "unknown-column",
                f"the row '{part.path[0]}' has no column '{name}'",
                part.offset - source.base,
                hint=did_you_mean(name, columns),
            )
    return _with_types(statement, types)


def _with_cursor_types(statement: Statement, columns: Sequence[Column]) -> Statement:
    """The statement whose `:cursor.column` has the column's type."""
    known = {column.name: column.type for column in columns}
    types = {
        part.offset: known[part.path[-1]]
        for part in flat(statement.parts)
        if isinstance(part, Bound) and part.path[0] == "cursor" and part.path[-1] in known
    }
    return _with_types(statement, types)


def _with_types(statement: Statement, types: Mapping[int, str]) -> Statement:
    def typed(bound: Bound) -> Bound:
        return replace(bound, type=types.get(bound.offset, bound.type))

    return replace(statement, parts=with_bounds(statement.parts, typed))


def _check_duplicates(columns: Sequence[Column], source: Source) -> None:
    for name, count in Counter(column.name for column in columns).items():
        if count > 1:
            source.error(
                "duplicate-column",
                f"{count} columns are named '{name}'",
                0,
                hint="give each a name of its own: … AS other_name",
            )


def _check_result(
    plan: SqlPlan, columns: Sequence[Column], source: Source, result_site: Site
) -> None:
    names = [column.name for column in columns]
    _check_duplicates(columns, source)
    if plan.shape in ("value", "column") and len(names) != 1:
        source.error(
            "result-shape",
            f"expected one column for '{plan.shape}', found {len(names)}: {', '.join(names)}",
            0,
        )
    declared = {"json": plan.columns.json, "columns": frozenset(plan.columns.types)}
    for key, wanted in declared.items():
        _check_known(sorted(wanted), names, result_site / key)
    if plan.page is not None:
        _check_known(plan.page.key, names, result_site / "page" / "key")
    _check_nulls(plan, columns, result_site / "columns")


def _check_nulls(plan: SqlPlan, columns: Sequence[Column], site: Site) -> None:
    """Warns of each declared column that does not admit the null that its table may hold."""
    for column in columns:
        declared = plan.columns.types.get(column.name)
        if declared is None or declared.nullable or declared.type == "json":
            continue
        if column.holds_nulls and site.document.find((*site.path, column.name)) is not None:
            word = f"{declared.type}{'[]' if declared.is_list else ''}"
            (site / column.name).warning(
                "null-not-declared",
                f"the column '{column.name}' of the table may be null, which '{word}' does not"
                " admit",
                hint=f"write '{word}|null', or select no null: coalesce({column.name}, …)",
            )


def _check_known(wanted: Sequence[str], names: Sequence[str], site: Site) -> None:
    for name in wanted:
        if name not in names:
            site.error(
                "unknown-column",
                f"the result has no column '{name}'",
                hint=did_you_mean(name, names) or f"its columns are {', '.join(names)}",
            )


_WORDS = {
    "syntax": "the engine cannot read the statement",
    "unknown-table": "the database has no table",
    "unknown-column": "no table of the statement has a column",
    "unknown-function": "the engine has no function",
    "ambiguous-column": "more than one table has a column",
    "type-mismatch": "types do not fit together",
    "untyped-parameter": "the engine cannot tell the type of a parameter",
    "writes": "the engine refuses to write in a tool that reads",
    "permission": "the login may not do this",
    "no-database": "the address of the database names none, and neither does the statement",
    "file-refused": "no statement of this database may read the file",
    "file-missing": "there is no file",
    "timeout": "the engine took too long to prepare the statement",
    "other": "the engine refuses the statement",
}
_HINTS = {
    "untyped-parameter": "cast it, or declare its type in 'input'",
    "ambiguous-column": "say which one: table.column",
    "no-database": "write its name behind the host in 'url': mariadb://host/NAME",
    "file-refused": "list it, or its folder, in 'external' of the database; what an address or"
    " a link names elsewhere is not read",
    "file-missing": "a relative path starts at the folder of mcp.yaml; 'external' of the database"
    " lists what may be read",
    "writes": "say 'writes: true' or 'writes: destructive' if it is meant",
}


def _report(refusal: Refusal, source: Source) -> None:
    message = _WORDS[refusal.kind]
    refusal = _at_parameter(refusal, source)
    if refusal.name is not None:
        near = " near" if refusal.kind in ("syntax", "type-mismatch", "other") else ""
        message += f"{near} '{refusal.name}'"
    if refusal.kind == "other" and refusal.sqlstate is not None:
        message += f" ({refusal.sqlstate})"
    code = "writes-in-read-tool" if refusal.kind == "writes" else "sql-refused"
    offset = refusal.offset or 0
    hint = _HINTS.get(refusal.kind) or _dialect_hint(refusal, source, offset)
    source.error(code, message, offset, hint=hint)


_QUANTIFIED = re.compile(r"\b(?:any|some|all)\s*\(\s*\Z", re.IGNORECASE)
_PARAMETER = re.compile(r":[\w.]+\Z")
_CAST = "::"


def _at_parameter(refusal: Refusal, source: Source) -> Refusal:
    """An engine that stumbles over a placeholder names nothing, and stops behind it."""
    if refusal.kind != "syntax" or refusal.name is not None or refusal.offset is None:
        return refusal
    mark = _PARAMETER.search(source.text, 0, refusal.offset)
    return refusal if mark is None else replace(refusal, name=mark[0], offset=mark.start())


def _dialect_hint(refusal: Refusal, source: Source, offset: int) -> str | None:
    """What to write instead of what other engines have."""
    if refusal.kind not in ("syntax", "unknown-function"):
        return None
    if source.text.startswith(_CAST, offset):
        return "write CAST(… AS …)"
    is_quantified = (refusal.name or "").upper() in ("ANY", "SOME", "ALL")
    if is_quantified or _QUANTIFIED.search(source.text[:offset]):
        return "a list is JSON text on this engine: write IN (:name)"
    return None
