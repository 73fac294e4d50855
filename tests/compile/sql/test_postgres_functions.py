"""Every function of PostgreSQL that may act is judged: the server at hand is asked for others."""

import os
from collections.abc import Iterator

import psycopg
import pytest

from runner.compile.sql.client import read_client
from runner.compile.sql.postgres_words import ACTING_ON_POSTGRES, RUNNING_TEXT
from runner.compile.sql.words import words
from runner.errors import BindingError, Kind

SERVER = "postgresql://postgres@127.0.0.1:5432/test"
VOLATILE = """SELECT DISTINCT p.proname FROM pg_proc p WHERE p.provolatile = 'v'
AND p.prorettype NOT IN (2279, 3838, 2280, 325, 269, 3115, 3310) AND 2281 <> ALL (p.proargtypes)
AND 2281 <> p.prorettype AND p.proname !~ '(_handler|_validator)$'"""
"""What a query may call: no trigger, handler, or function of internal values."""
HARMLESS = words(
    """amvalidate bernoulli clock_timestamp current_query currtid2 currval gen_random_uuid
    lastval pg_blocking_pids pg_collation_actual_version pg_control_checkpoint pg_control_init
    pg_control_recovery pg_control_system pg_current_logfile pg_current_wal_flush_lsn
    pg_current_wal_insert_lsn pg_current_wal_lsn pg_database_collation_actual_version
    pg_database_size pg_get_backend_memory_contexts pg_get_multixact_members
    pg_get_shmem_allocations pg_get_wal_replay_pause_state pg_get_wal_resource_managers
    pg_hba_file_rules pg_ident_file_mappings pg_indexes_size pg_is_in_recovery
    pg_is_wal_replay_paused pg_jit_available pg_last_committed_xact pg_last_wal_receive_lsn
    pg_last_wal_replay_lsn pg_last_xact_replay_timestamp pg_lock_status pg_ls_archive_statusdir
    pg_ls_logdir pg_ls_logicalmapdir pg_ls_logicalsnapdir pg_ls_replslotdir pg_ls_tmpdir
    pg_ls_waldir pg_notification_queue_usage pg_partition_ancestors pg_partition_tree
    pg_prepared_xact pg_relation_size pg_replication_origin_progress
    pg_replication_origin_session_is_setup pg_replication_origin_session_progress
    pg_safe_snapshot_blocking_pids pg_sequence_last_value pg_show_all_file_settings
    pg_show_replication_origin_status pg_sleep pg_sleep_for pg_sleep_until
    pg_stat_clear_snapshot pg_stat_force_next_flush pg_stat_get_recovery_prefetch
    pg_stat_get_xact_blocks_fetched pg_stat_get_xact_blocks_hit pg_stat_get_xact_function_calls
    pg_stat_get_xact_function_self_time pg_stat_get_xact_function_total_time
    pg_stat_get_xact_numscans pg_stat_get_xact_tuples_deleted pg_stat_get_xact_tuples_fetched
    pg_stat_get_xact_tuples_hot_updated pg_stat_get_xact_tuples_inserted
    pg_stat_get_xact_tuples_returned pg_stat_get_xact_tuples_updated pg_stat_have_stats
    pg_table_size pg_tablespace_size pg_total_relation_size pg_xact_commit_timestamp
    pg_xact_commit_timestamp_origin pg_xact_status random system timeofday txid_status
    bt_index_check bt_index_parent_check verify_heapam dblink_build_sql_delete
    dblink_build_sql_insert dblink_build_sql_update dblink_error_message dblink_get_connections
    dblink_get_pkey dblink_is_busy int_agg_final_array int_agg_state
    pg_old_snapshot_time_mapping brin_metapage_info brin_page_items brin_page_type
    brin_revmap_data bt_metap bt_page_items bt_page_stats fsm_page_contents get_raw_page
    gin_leafpage_items gin_metapage_info gin_page_opaque_info gist_page_items
    gist_page_items_bytea gist_page_opaque_info hash_bitmap_info hash_metapage_info
    hash_page_items hash_page_stats hash_page_type heap_page_item_attrs heap_page_items
    heap_tuple_infomask_flags page_checksum page_header tuple_data_split pg_buffercache_pages
    pg_freespace pg_stat_statements pg_stat_statements_info pg_check_frozen pg_check_visible
    pg_visibility pg_visibility_map pg_visibility_map_summary pg_get_wal_record_info
    pg_get_wal_records_info pg_get_wal_records_info_till_end_of_wal pg_get_wal_stats
    pg_get_wal_stats_till_end_of_wal gen_random_bytes gen_salt pgp_pub_encrypt
    pgp_pub_encrypt_bytea pgp_sym_encrypt pgp_sym_encrypt_bytea pgrowlocks pg_relpages
    pgstatginindex pgstathashindex pgstatindex pgstattuple pgstattuple_approx
    postgres_fdw_get_connections ssl_cipher ssl_client_cert_present ssl_client_dn
    ssl_client_dn_field ssl_client_serial ssl_extension_info ssl_is_used ssl_issuer_dn
    ssl_issuer_field ssl_version normal_rand system_rows system_time uuid_generate_v1
    uuid_generate_v1mc uuid_generate_v4"""
)
"""They tell something, or make a value; what they may tell is the login's right."""


@pytest.fixture
def server() -> Iterator[psycopg.Connection[tuple[str]]]:
    """The server with every module that it has, none of which stays."""
    try:
        connection = psycopg.connect(SERVER)
    except psycopg.OperationalError:
        if os.environ.get("MCP_RUN_SERVICES") == "optional":
            pytest.skip("PostgreSQL cannot be reached and services are optional")
        raise
    with connection:
        connection.execute("CREATE SCHEMA modules")
        connection.execute("SET search_path = modules")
        yield connection
        connection.rollback()


def volatile(server: psycopg.Connection[tuple[str]], where: str) -> set[str]:
    return {str(name) for (name,) in server.execute(f"{VOLATILE} AND {where}").fetchall()}


def test_each_volatile_function_of_the_server_is_judged(
    server: psycopg.Connection[tuple[str]],
) -> None:
    """A new version fails here until somebody has said of its functions what they do."""
    found = volatile(server, "pronamespace = 'pg_catalog'::regnamespace")
    assert found - ACTING_ON_POSTGRES - HARMLESS == set()


def test_each_volatile_function_of_its_modules_is_judged(
    server: psycopg.Connection[tuple[str]],
) -> None:
    names = server.execute("SELECT name FROM pg_available_extensions").fetchall()
    for (name,) in names:
        server.execute("SAVEPOINT module")
        try:
            server.execute(f'CREATE EXTENSION IF NOT EXISTS "{name}" CASCADE')
        except psycopg.Error:  # it wants what is not there
            server.execute("ROLLBACK TO SAVEPOINT module")
    found = volatile(server, "pronamespace = 'modules'::regnamespace")
    found |= volatile(server, "pronamespace = 'pg_catalog'::regnamespace")
    assert found - ACTING_ON_POSTGRES - HARMLESS == set()


def test_no_function_is_judged_twice() -> None:
    assert set() == HARMLESS & (ACTING_ON_POSTGRES | RUNNING_TEXT)


@pytest.mark.parametrize("function", sorted({*ACTING_ON_POSTGRES, *RUNNING_TEXT}))
def test_clients_statement_calls_none_that_acts(function: str) -> None:
    for text in (f"SELECT {function}('x')", f'SELECT * FROM pg_catalog."{function}" (1) AS t'):
        with pytest.raises(BindingError) as caught:
            read_client(text, "postgresql")
        assert caught.value.kind is Kind.READ_ONLY
