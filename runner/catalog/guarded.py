"""What the guards of embedded engines let through or refuse by name, whatever a tool may do.

The engine's guard has the last word; who compiles a statement reads the same names, so that the
author is told before anything runs.
"""

from typing import Final

SQLITE_INTROSPECTION: Final = frozenset(
    {
        "collation_list",
        "compile_options",
        "foreign_key_list",
        "function_list",
        "index_info",
        "index_list",
        "index_xinfo",
        "module_list",
        "table_info",
        "table_list",
        "table_xinfo",
    }
)
"""Pragmas that only tell, with an argument too; also as `pragma_…` tables."""
SQLITE_TELLING: Final = frozenset({"data_version", "encoding", "page_count", "schema_version"})
"""Pragmas that only tell, as long as they have no argument."""
SQLITE_FUNCTIONS: Final = frozenset({"load_extension", "fts3_tokenizer", "readfile", "writefile"})
"""Functions that reach beyond the database."""
DUCKDB_FUNCTIONS: Final = frozenset(
    {
        *("checkpoint", "force_checkpoint", "write_log", "truncate_duckdb_logs"),
        *("enable_logging", "disable_logging", "enable_profiling", "disable_profiling"),
        *("pandas_scan", "arrow_scan", "arrow_scan_dumb", "python_arrow_scan"),
        *("python_map_function", "register_external_resource", "register_external_resource_type"),
        *("deregister_external_resource", "create_external_resource", "destroy_external_resource"),
        *("add_grammar_extension", "remove_grammar_extension"),
        *("query", "json_execute_serialized_sql", "setseed"),
    }
)
"""Functions that write, that read the memory of this process, whose effect outlives the call, or
that run a text as a statement, in which the others would hide."""
