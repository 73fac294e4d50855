"""The functions of DuckDB that may have an effect are judged, each of them."""

from typing import Final

from runner.bindings.sql.duckdb_guard import acts
from tests.bindings.sql.lab import Lab

_LISTED: Final = """
    current_connection_id current_query current_query_id current_transaction_id currval error
    gen_random_uuid random sleep_ms stats uuid uuidv4 uuidv7 vector_type
    duckdb_approx_database_count duckdb_available_metrics duckdb_columns
    duckdb_connection_count duckdb_constraints duckdb_coordinate_systems duckdb_databases
    duckdb_dependencies duckdb_dialects duckdb_eviction_queues duckdb_extension_repositories
    duckdb_extensions duckdb_external_file_cache duckdb_external_resource_types
    duckdb_external_resources duckdb_functions duckdb_grammar_extensions duckdb_indexes
    duckdb_keywords duckdb_live_query_metrics duckdb_log_contexts duckdb_logs duckdb_memory
    duckdb_optimizers duckdb_prepared_statements duckdb_schemas duckdb_secret_type_parameters
    duckdb_secret_types duckdb_secrets duckdb_sequences duckdb_settings duckdb_table_sample
    duckdb_tables duckdb_temporary_files duckdb_triggers duckdb_types duckdb_variables
    duckdb_views generate_series glob icu_calendar_names json_each json_tree
    parquet_bloom_probe parquet_file_metadata parquet_full_metadata parquet_kv_metadata
    parquet_metadata parquet_page_index parquet_scan parquet_schema pg_timezone_names
    pragma_collations pragma_database_size pragma_metadata_info pragma_platform pragma_show
    pragma_storage_info pragma_table_info pragma_user_agent pragma_version query_table range
    read_blob read_csv read_csv_auto read_duckdb read_json read_json_auto read_json_objects
    read_json_objects_auto read_ndjson read_ndjson_auto read_ndjson_objects read_parquet
    read_single_csv_file read_single_json_file read_single_parquet_file read_text repeat
    repeat_row seq_scan sniff_csv summary test_all_types test_vector_types unnest which_secret
"""
READING: Final = frozenset(_LISTED.split())
"""What was looked at, and does nothing but read."""
STOPPED_BY_THE_TRANSACTION: Final = {"nextval", "setval"}
POSSIBLY_ACTING: Final = """
SELECT DISTINCT function_name AS name FROM duckdb_functions()
WHERE function_type = 'table' OR has_side_effects OR stability = 'VOLATILE' ORDER BY 1
"""


def test_each_function_that_may_act_is_judged(duck: Lab) -> None:
    """A function that a new version of DuckDB brings fails this until somebody looked at it."""
    plan = duck.plan(POSSIBLY_ACTING, max_rows=1000, shape="column")
    found = duck.invoke(plan).value
    assert isinstance(found, list)
    acting = {str(name) for name in found if acts(f"SELECT * FROM {name}()")}
    assert {*found} - acting == READING | STOPPED_BY_THE_TRANSACTION
    assert acting & READING == set()
