"""The functions of PostgreSQL, and of the modules that come with it, that do more than read.

`tests/compile/sql/test_postgres_functions.py` asks the server at hand for any that nobody judged.
"""

from runner.compile.sql.words import words

ACTING_ON_POSTGRES = words(
    """set_config setval nextval setseed pg_notify query_to_xml query_to_xmlschema
    query_to_xml_and_xmlschema cursor_to_xml cursor_to_xmlschema ts_stat ts_rewrite lo_close
    lo_creat lo_create lo_export lo_from_bytea lo_get lo_import lo_lseek lo_lseek64 lo_open
    lo_put lo_tell lo_tell64 lo_truncate lo_truncate64 lo_unlink loread lowrite
    pg_terminate_backend pg_cancel_backend pg_log_backend_memory_contexts pg_reload_conf
    pg_rotate_logfile pg_rotate_logfile_old pg_promote pg_advisory_lock pg_advisory_lock_shared
    pg_try_advisory_lock pg_try_advisory_lock_shared pg_advisory_xact_lock
    pg_advisory_xact_lock_shared pg_try_advisory_xact_lock pg_try_advisory_xact_lock_shared
    pg_advisory_unlock pg_advisory_unlock_shared pg_advisory_unlock_all pg_read_file
    pg_read_file_old pg_read_binary_file pg_ls_dir pg_stat_file pg_switch_wal
    pg_wal_replay_pause pg_wal_replay_resume pg_create_restore_point pg_backup_start
    pg_backup_stop pg_start_backup pg_stop_backup pg_export_snapshot pg_logical_emit_message
    pg_create_logical_replication_slot pg_create_physical_replication_slot
    pg_copy_logical_replication_slot pg_copy_physical_replication_slot pg_drop_replication_slot
    pg_replication_slot_advance pg_logical_slot_get_changes pg_logical_slot_get_binary_changes
    pg_logical_slot_peek_changes pg_logical_slot_peek_binary_changes pg_sync_replication_slots
    pg_replication_origin_advance pg_replication_origin_create pg_replication_origin_drop
    pg_replication_origin_session_reset pg_replication_origin_session_setup
    pg_replication_origin_xact_reset pg_replication_origin_xact_setup pg_stat_reset
    pg_stat_reset_shared pg_stat_reset_slru pg_stat_reset_replication_slot
    pg_stat_reset_single_function_counters pg_stat_reset_single_table_counters
    pg_stat_reset_subscription_stats brin_summarize_new_values brin_summarize_range
    brin_desummarize_range gin_clean_pending_list pg_import_system_collations
    pg_extension_config_dump pg_nextoid pg_stop_making_pinned_objects
    pg_isolation_test_session_is_blocked binary_upgrade_create_empty_extension
    binary_upgrade_set_missing_value binary_upgrade_set_next_array_pg_type_oid
    binary_upgrade_set_next_attribute_versions binary_upgrade_set_next_heap_pg_class_oid
    binary_upgrade_set_next_heap_relfilenode binary_upgrade_set_next_index_pg_class_oid
    binary_upgrade_set_next_index_relfilenode
    binary_upgrade_set_next_multirange_array_pg_type_oid
    binary_upgrade_set_next_multirange_pg_type_oid binary_upgrade_set_next_pg_authid_oid
    binary_upgrade_set_next_pg_enum_oid binary_upgrade_set_next_pg_tablespace_oid
    binary_upgrade_set_next_pg_type_oid binary_upgrade_set_next_toast_pg_class_oid
    binary_upgrade_set_next_toast_relfilenode binary_upgrade_set_record_init_privs pg_file_write
    pg_file_rename pg_file_unlink pg_file_sync pg_file_read pg_logdir_ls dblink
    dblink_cancel_query dblink_close dblink_connect dblink_connect_u dblink_current_query
    dblink_disconnect dblink_exec dblink_fetch dblink_get_notify dblink_get_result dblink_open
    dblink_send_query postgres_fdw_disconnect postgres_fdw_disconnect_all pg_prewarm
    autoprewarm_dump_now autoprewarm_start_worker pg_stat_statements_reset set_limit
    heap_force_freeze heap_force_kill pg_truncate_visibility_map xslt_process"""
)
"""No read-only transaction stops what they do, or they run a text, which may call any of them."""
RUNNING_TEXT = words("""crosstab crosstab2 crosstab3 crosstab4 connectby xpath_table""")
"""They run a text too; an author's tool may give them its own, a client may not."""
