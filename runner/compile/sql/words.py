"""The words by which `kinds` and `batch` know what a statement does."""


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


QUERIES = words("SELECT VALUES TABLE FROM PIVOT UNPIVOT SUMMARIZE SHOW DESCRIBE DESC EXPLAIN WITH")
EXPLAINS = words("EXPLAIN DESCRIBE DESC")
CHANGES = words("INSERT UPDATE DELETE MERGE")
MAIN = CHANGES | words("SELECT VALUES TABLE FROM REPLACE")
NAMING = words("WITH RECURSIVE , SET TO DEFAULT USING BY")
"""Words behind which WITH takes a name, so that what follows is no statement."""
DEFINITIONS = words("CREATE ALTER DROP TRUNCATE RENAME GRANT REVOKE")
EXPLAINED = (MAIN | QUERIES | words("EXECUTE CREATE CALL COPY")) - EXPLAINS
"""What may stand behind EXPLAIN."""
TRANSACTIONS = words("BEGIN START COMMIT ROLLBACK SAVEPOINT RELEASE END ABORT XA UNLOCK")
SESSION = words(
    """TRANSACTION AUTOCOMMIT TRANSACTION_READ_ONLY DEFAULT_TRANSACTION_READ_ONLY TX_READ_ONLY
    TRANSACTION_ISOLATION TX_ISOLATION QUERY_ONLY"""
)
"""Settings that hold the session or its transaction: the server's to set, no statement's."""
ACTING = words(
    """load_file get_lock release_lock release_all_locks sys_exec sys_eval load_extension writefile
    readfile edit fts3_tokenizer checkpoint force_checkpoint write_log truncate_duckdb_logs
    enable_logging disable_logging enable_profiling disable_profiling json_execute_serialized_sql
    setseed"""
)
"""Functions whose effect an engine's read-only transaction does not stop, or stops too late; those
of PostgreSQL stand in `postgres_words`."""
READING_PRAGMAS = words(
    """table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list
    foreign_key_check database_list collation_list function_list module_list pragma_list
    compile_options integrity_check quick_check show_tables show database_size storage_info
    version platform"""
)
LOCKS = frozenset({("NO", "KEY"), ("KEY", "SHARE")})
"""What follows FOR besides UPDATE and SHARE where rows are locked."""

BEGINNERS = {
    "INSERT": words("THEN ON FOR DO INSTEAD"),
    "UPDATE": words("FOR DO KEY ON THEN OF INSTEAD"),
    "DELETE": words("ON THEN FOR DO INSTEAD"),
    "SELECT": words("UNION ALL EXCEPT INTERSECT DISTINCT MINUS AS NAME"),
    **dict.fromkeys(
        words("MERGE DROP CREATE ALTER TRUNCATE GRANT REVOKE EXEC EXECUTE CALL WAITFOR DECLARE"),
        words("AS FOR"),
    ),
}
"""Words that begin a statement → what may stand before them inside one."""
UNFINISHED = words(
    """SELECT FROM WHERE AND OR NOT ON BY HAVING SET VALUES AS IN LIKE ILIKE BETWEEN IS THEN ELSE
    WHEN CASE JOIN LIMIT OFFSET INTO UPDATE EXPLAIN ANALYZE VERBOSE PLAN RETURNING USING"""
)
"""Words behind which a statement cannot be over."""
_ANY = MAIN | words("WITH")
_QUERY = words("SELECT WITH")
EXPECTED = {
    **dict.fromkeys(words("WITH EXPLAIN DESCRIBE DESC ANALYZE"), _ANY),
    **dict.fromkeys(words("INSERT REPLACE CREATE COPY FROM"), _QUERY),
}
"""A statement's word → the words of a statement that belong to it and are no second one."""
