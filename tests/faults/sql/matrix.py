"""Each kind of value: how each engine writes it, how its column is declared, what comes."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cell:
    """One column of one row."""

    postgres: str | None
    """The expression; None where the engine has no such value."""
    sqlite: str | None
    expected: object
    text: str
    """In CSV, before quoting, and in Markdown."""
    declared: object = None
    """The entry in `result.columns` for SQLite and MariaDB, of which the others have no need."""

    def written(self, engine: str, name: str) -> str | None:
        """The expression on one engine."""
        if engine == "duckdb":
            return DUCKDB.get(name)
        if engine == "mariadb":
            return MARIADB.get(name, self.sqlite)
        return self.postgres if engine == "postgresql" else self.sqlite


UUID = "6f1e4c0e-9c3f-4f0a-8f0e-1d2c3b4a5f60"
BYTES = {"type": "string", "contentEncoding": "base64"}
CELLS = {
    "uuid": Cell(f"upper('{UUID}')::uuid", f"upper('{UUID}')", UUID, UUID, "uuid"),
    "uuid as bytes": Cell(None, f"x'{UUID.replace('-', '')}'", UUID, UUID, "uuid"),
    "decimal": Cell(
        "12345678901234567890.0123456789::numeric(38,10)",
        "'12345678901234567890.0123456789'",
        "12345678901234567890.0123456789",
        "12345678901234567890.0123456789",
        "decimal",
    ),
    "decimal of zeros": Cell(
        "1.5::numeric(38,10)", None, "1.5000000000", "1.5000000000", "decimal"
    ),
    "not a decimal": Cell("'NaN'::numeric", None, "NaN", "NaN"),
    "bytes": Cell(r"'\x00ff'::bytea", "x'00ff'", "AP8=", "AP8=", BYTES),
    "no bytes": Cell("''::bytea", "x''", "", "", BYTES),
    "json": Cell(
        """'{"a":[1,null,9007199254740993]}'::json""",
        """'{"a":[1,null,9007199254740993]}'""",
        {"a": [1, None, "9007199254740993"]},
        '{"a":[1,null,"9007199254740993"]}',
        "object",
    ),
    "jsonb": Cell("'[1.5]'::jsonb", "'[1.5]'", [1.5], "[1.5]", "number[]"),
    "list": Cell("ARRAY[1,NULL,3]", "'[1,null,3]'", [1, None, 3], "[1,null,3]", "integer|null[]"),
    "list of uuids": Cell(f"ARRAY['{UUID}'::uuid]", None, [UUID], f'["{UUID}"]'),
    "table of texts": Cell("ARRAY[['a'],['b']]", None, [["a"], ["b"]], '[["a"],["b"]]'),
    "empty list": Cell("'{}'::int[]", "'[]'", [], "[]", "integer[]"),
    "enum": Cell("'happy'::mood", "'happy'", "happy", "happy", {"enum": ["happy", "sad"]}),
    "list of enums": Cell("ARRAY['sad']::mood[]", None, ["sad"], '["sad"]'),
    "date": Cell("'2026-03-29'::date", "'2026-03-29'", "2026-03-29", "2026-03-29", "date"),
    "date without end": Cell("'infinity'::date", None, "infinity", "infinity"),
    "timestamp": Cell(
        "'2026-03-29 02:30:00.25'::timestamp",
        "'2026-03-29T02:30:00.25'",
        "2026-03-29T02:30:00.25",
        "2026-03-29T02:30:00.25",
        "string",
    ),
    "instant": Cell(
        "'2026-03-29 02:30:00+05:30'::timestamptz",
        "'2026-03-28T21:00:00+00:00'",
        "2026-03-28T21:00:00+00:00",
        "2026-03-28T21:00:00+00:00",
        "date-time",
    ),
    "time": Cell("'10:00:00.5'::time", "'10:00:00.5'", "10:00:00.5", "10:00:00.5", "time"),
    "time with offset": Cell("'10:00+02'::timetz", None, "10:00:00+02:00", "10:00:00+02:00"),
    "interval": Cell(
        "'1 year 2 mons -3 days 04:05:06.7'::interval",
        None,
        "P1Y2M-3DT4H5M6.7S",
        "P1Y2M-3DT4H5M6.7S",
    ),
    "duration": Cell("'90 seconds'::interval", "'PT1M30S'", "PT1M30S", "PT1M30S", "duration"),
    "yes": Cell("true", "1", True, "true", "boolean"),
    "no": Cell("false", "0", False, "false", "boolean"),
    "float": Cell("0.1::float8", "0.1", 0.1, "0.1", "number"),
    "not a number": Cell("'NaN'::float8", None, "NaN", "NaN"),
    "infinity": Cell("'Infinity'::float8", "9e999", "Infinity", "Infinity", "number"),
    "below all": Cell("'-Infinity'::float4", "-9e999", "-Infinity", "-Infinity", "number"),
    "largest safe": Cell(
        "9007199254740991::int8", "9007199254740991", 9007199254740991, "9007199254740991", "int64"
    ),
    "beyond safe": Cell(
        "9007199254740993::int8",
        "9007199254740993",
        "9007199254740993",
        "9007199254740993",
        "int64",
    ),
    "lowest": Cell(
        "'-9223372036854775808'::int8",
        "-9223372036854775807 - 1",
        "-9223372036854775808",
        "-9223372036854775808",
        "int64",
    ),
    "text": Cell("'東京 é😀'", "'東京 é😀'", "東京 é😀", "東京 é😀", "string"),
    "type of its own": Cell("ROW(1, 'a b')::pair", None, '(1,"a b")', '(1,"a b")'),
    "point": Cell("point(1, 2)", None, "(1,2)", "(1,2)"),
    "null": Cell("NULL::uuid", "NULL", None, "", "uuid|null"),
    "null number": Cell("NULL::float8", "NULL", None, "", "number|null"),
}
DUCKDB: Mapping[str, str] = {
    "uuid": f"upper('{UUID}')::UUID",
    "decimal": "12345678901234567890.0123456789::DECIMAL(38,10)",
    "decimal of zeros": "1.5::DECIMAL(38,10)",
    "bytes": r"'\x00\xFF'::BLOB",
    "no bytes": "''::BLOB",
    "json": """'{"a":[1,null,9007199254740993]}'::JSON""",
    "list": "[1,NULL,3]",
    "list of uuids": f"['{UUID}'::UUID]",
    "table of texts": "[['a'],['b']]",
    "empty list": "[]::INTEGER[]",
    "enum": "'happy'::mood",
    "list of enums": "['sad']::mood[]",
    "date": "'2026-03-29'::DATE",
    "date without end": "'infinity'::DATE",
    "timestamp": "'2026-03-29 02:30:00.25'::TIMESTAMP",
    "instant": "'2026-03-29 02:30:00+05:30'::TIMESTAMPTZ",
    "time": "'10:00:00.5'::TIME",
    "time with offset": "'10:00:00+02'::TIMETZ",
    "interval": "INTERVAL '1 year 2 months -3 days 04:05:06.7'",
    "duration": "INTERVAL '90 seconds'",
    "yes": "true",
    "no": "false",
    "float": "0.1::DOUBLE",
    "not a number": "'NaN'::DOUBLE",
    "infinity": "'Infinity'::DOUBLE",
    "below all": "'-Infinity'::FLOAT",
    "largest safe": "9007199254740991::BIGINT",
    "beyond safe": "9007199254740993::BIGINT",
    "lowest": "(-9223372036854775808)::BIGINT",
    "text": "'東京 é😀'",
    "null": "NULL::UUID",
    "null number": "NULL::DOUBLE",
}
"""All that DuckDB has."""
MARIADB: Mapping[str, str | None] = {
    "uuid": f"CAST(upper('{UUID}') AS uuid)",
    "decimal": "CAST('12345678901234567890.0123456789' AS decimal(38, 10))",
    "decimal of zeros": "CAST(1.5 AS decimal(38, 10))",
    "json": """json_extract('{"a":[1,null,9007199254740993]}', '$')""",
    "jsonb": "json_extract('[1.5]', '$')",
    "list": "json_array(1, NULL, 3)",
    "empty list": "json_array()",
    "date": "DATE '2026-03-29'",
    "timestamp": "TIMESTAMP '2026-03-29 02:30:00.25'",
    "time": "TIME '10:00:00.5'",
    "float": "0.1e0",
    "infinity": None,
    "below all": None,
}
"""What MariaDB writes otherwise than SQLite, and what it lacks."""
