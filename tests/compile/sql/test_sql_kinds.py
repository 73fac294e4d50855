"""Which statements only read: honest analytics pass, every way round is seen."""

import pytest

from runner.compile.sql.client import read_client
from runner.errors import BindingError, Kind
from tests.compile.sql.sql_compiler import Compiler
from tests.requirements import requirement

HONEST = [
    ("sqlite", "SELECT 1"),
    ("sqlite", "-- DELETE\nSELECT 1"),
    ("sqlite", "/* DROP */ (SELECT 1)"),
    ("sqlite", "\ufeff\n\n  ((SELECT 1) UNION SELECT 2)"),
    ("sqlite", "WITH a AS (SELECT 1), b(x) AS (SELECT 2) SELECT * FROM a, b"),
    ("sqlite", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"),
    ("sqlite", "SELECT replace(a, 'x', 'y') FROM t WHERE b IN (SELECT (replace(c, 1, 2)) FROM u)"),
    ("sqlite", "SELECT 'DELETE FROM t', \"insert\", `update`, [drop] FROM t"),
    ("sqlite", "VALUES (1), (2)"),
    ("sqlite", "EXPLAIN QUERY PLAN DELETE FROM t"),
    ("sqlite", "PRAGMA table_info(t)"),
    ("sqlite", "PRAGMA main.index_list('t')"),
    ("sqlite", 'SELECT a AS "into", t.into FROM t'),
    ("sqlite", "SELECT updated, deleted_at, create_date FROM inserts"),
    ("sqlite", "SELECT sum(a) OVER (PARTITION BY b ORDER BY c ROWS 3 PRECEDING) FROM t"),
    ("postgresql", "SELECT * FROM a, LATERAL (SELECT * FROM b WHERE b.x = a.x LIMIT 3) c"),
    ("postgresql", "SELECT * FROM a\nUNION ALL\nSELECT * FROM b"),
    ("postgresql", "SELECT *\nFROM a\nEXCEPT\n(SELECT * FROM b)"),
    ("postgresql", "WITH a AS (\nSELECT 1\n)\nSELECT * FROM a"),
    ("postgresql", "WITH a AS MATERIALIZED (SELECT 1)\n(SELECT * FROM a)"),
    ("postgresql", "TABLE t"),
    ("postgresql", "SHOW server_version"),
    ("postgresql", "EXPLAIN (FORMAT json) INSERT INTO t VALUES (1)"),
    ("postgresql", "EXPLAIN ANALYZE SELECT * FROM t"),
    ("postgresql", "SELECT substring(a FOR 3), extract(year FROM b) FROM t"),
    ("postgresql", "SELECT a FILTER (WHERE b) FROM t GROUP BY GROUPING SETS ((a), (b))"),
    ("postgresql", "SELECT e.set_config FROM e"),
    ("postgresql", "SELECT $$ DELETE FROM t $$"),
    ("duckdb", "FROM t SELECT a"),
    ("duckdb", "FROM t\nSELECT a"),
    ("duckdb", "WITH a AS (SELECT 1)\nFROM a\nSELECT x"),
    ("duckdb", "SUMMARIZE t"),
    ("duckdb", "PIVOT t ON a USING sum(b)"),
    ("duckdb", "DESCRIBE t"),
    ("duckdb", "DESCRIBE SELECT * FROM t"),
    ("duckdb", "SHOW TABLES"),
    ("duckdb", "UNPIVOT t ON a, b INTO NAME n VALUE v"),
    ("duckdb", "FROM t"),
    ("duckdb", "FROM (PIVOT t ON a USING sum(b)) SELECT * EXCLUDE (a)"),
    ("duckdb", "SELECT * FROM t ORDER BY ALL LIMIT 10%"),
    ("duckdb", "SELECT {'delete': 1, 'into': [2]}, list_filter(a, lambda query: query > 1) FROM t"),
    ("duckdb", "SELECT checkpoint, query FROM t WHERE a = 'checkpoint()'"),
    ("duckdb", "EXPLAIN ANALYZE SELECT 1"),
    ("mysql", "SHOW TABLES"),
    ("mysql", "SELECT (insert('abc', 1, 2, 'x')) FROM t"),
    ("mysql", "ANALYZE FORMAT=JSON SELECT 1"),
    ("mysql", "DESCRIBE t"),
    ("mysql", "SELECT a FROM t LIMIT 5, 10"),
    ("mysql", "SELECT t.into, 1.5e3, 0x1F, 0b1, 1st FROM t"),
    ("postgresql", "SELECT t . into, 1 AS into, (c).into FROM t"),
    ("postgresql", "EXPLAIN SELECT load_file FROM t"),
]

EVASIONS = [
    ("sqlite", "DELETE FROM t"),
    ("sqlite", "-- SELECT\nDELETE FROM t"),
    ("sqlite", "/* SELECT 1 */ DROP TABLE t"),
    ("sqlite", "\ufeffDELETE FROM t"),
    ("sqlite", "(DELETE FROM t)"),
    ("sqlite", "dElEtE/**/FROM/**/t"),
    ("sqlite", "WITH a AS (SELECT 1) DELETE FROM t"),
    ("sqlite", "WITH a AS (SELECT 1) REPLACE INTO t SELECT * FROM a"),
    ("sqlite", "REPLACE INTO t VALUES (1)"),
    ("sqlite", "INSERT INTO t SELECT 1"),
    ("sqlite", "PRAGMA query_only = 0"),
    ("sqlite", "PRAGMA query_only(0)"),
    ("sqlite", "PRAGMA writable_schema = 1"),
    ("sqlite", "PRAGMA journal_mode(delete)"),
    ("sqlite", "ATTACH 'x.db' AS x"),
    ("sqlite", "DETACH x"),
    ("sqlite", "VACUUM INTO 'copy.db'"),
    ("sqlite", "SELECT load_extension('x')"),
    ("sqlite", "SELECT writefile('a', 'b')"),
    ("sqlite", "COMMIT"),
    ("sqlite", "SELECT 1; DELETE FROM t"),
    ("sqlite", "SELECT 1;;; -- c\nDELETE FROM t"),
    ("sqlite", "SELECT 1\nDELETE FROM t"),
    ("sqlite", "SELECT 1 -- c\n/* d */ DROP TABLE t"),
    ("postgresql", "WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d"),
    ("postgresql", "WITH d AS (/* c */ update t SET a = 1 RETURNING *) SELECT * FROM d"),
    ("postgresql", "WITH d AS (WITH e AS (SELECT 1) DELETE FROM t RETURNING 1) SELECT * FROM d"),
    ("postgresql", "WITH d AS MATERIALIZED (INSERT INTO t VALUES (1) RETURNING 1) TABLE d"),
    ("postgresql", "SELECT * INTO u FROM t"),
    ("postgresql", "SELECT * FROM t FOR UPDATE"),
    ("postgresql", "SELECT * FROM t FOR NO KEY UPDATE"),
    ("postgresql", "SELECT * FROM t FOR KEY SHARE"),
    ("postgresql", "EXPLAIN ANALYZE DELETE FROM t"),
    ("postgresql", "EXPLAIN (ANALYZE, FORMAT json) WITH d AS (DELETE FROM t) SELECT 1"),
    ("postgresql", "EXPLAIN ANALYZE EXECUTE p"),
    ("postgresql", "COPY t TO PROGRAM 'x'"),
    ("postgresql", "COPY (SELECT 1) TO '/tmp/x'"),
    ("postgresql", "CALL p()"),
    ("postgresql", "DO $$ BEGIN DELETE FROM t; END $$"),
    ("postgresql", "SET transaction_read_only = off"),
    ("postgresql", "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE"),
    ("postgresql", "SET LOCAL default_transaction_read_only = off"),
    ("postgresql", "RESET ALL"),
    ("postgresql", "SELECT set_config('transaction_read_only', 'off', false)"),
    ("postgresql", "SELECT pg_catalog.\"set_config\"('x', 'off', false)"),
    ("postgresql", "SELECT /* c */ nextval /* d */ ('s')"),
    ("postgresql", "SELECT pg_terminate_backend(1)"),
    ("postgresql", "SELECT dblink_exec('x', 'DELETE FROM t')"),
    ("postgresql", "MERGE INTO t USING u ON true WHEN MATCHED THEN DELETE"),
    ("postgresql", "PREPARE TRANSACTION 'x'"),
    ("postgresql", "ROLLBACK TO SAVEPOINT x"),
    ("postgresql", "LISTEN x"),
    ("postgresql", "TRUNCATE t"),
    ("postgresql", "SELECT U&\"set\\005fconfig\"('x', 'off', false)"),
    ("postgresql", "WITH RECURSIVE a AS (SELECT 1) CYCLE x SET y USING values DELETE FROM t"),
    ("postgresql", "WITH a AS (SELECT 1) TABLE a\nDELETE FROM t"),
    ("postgresql", "WITH a AS (SELECT 1) (DELETE FROM t)"),
    ("postgresql", "WITH a AS (SELECT 1) (WITH b AS (SELECT 1) DELETE FROM t)"),
    ("postgresql", "SELECT 1 /* /* */ ; */ ; DROP TABLE t"),
    ("mysql", "SELECT 1 /*! INTO OUTFILE '/tmp/x' */"),
    ("mysql", "SELECT 1 /*!50000 ; DROP TABLE t */"),
    ("mysql", "/*M! DELETE FROM t */"),
    ("mysql", "SELECT 1 INTO/**/OUTFILE '/tmp/x'"),
    ("mysql", "SELECT 1 INTO @a"),
    ("mysql", "SELECT * FROM t LOCK IN SHARE MODE"),
    ("mysql", "SELECT load_file('/etc/passwd')"),
    ("mysql", "ANALYZE DELETE FROM t"),
    ("mysql", "ANALYZE TABLE t"),
    ("mysql", "SET autocommit = 1"),
    ("mysql", "SET @@session.transaction_read_only = 0"),
    ("mysql", "LOCK TABLES t WRITE"),
    ("mysql", "HANDLER t OPEN"),
    ("mysql", "SELECT 1 --DELETE\n; DROP TABLE t"),
    ("mysql", "ANALYZE SELECT 1. INTO OUTFILE '/tmp/x'"),
    ("mysql", "ANALYZE SELECT 1.INTO OUTFILE '/tmp/x'"),
    ("mysql", "ANALYZE SELECT 1.5INTO OUTFILE '/tmp/x'"),
    ("mysql", "ANALYZE SELECT .5INTO DUMPFILE '/tmp/x'"),
    ("mysql", "ANALYZE SELECT 1e5INTO OUTFILE '/tmp/x'"),
    ("mysql", "ANALYZE SELECT 1e+5INTO OUTFILE '/tmp/x'"),
    ("mysql", "ANALYZE SELECT id FROM t WHERE id < 9.5INTO OUTFILE '/tmp/x'"),
    ("mysql", "ANALYZE SELECT 1 AS 1AS INTO OUTFILE '/tmp/x'"),
    ("mysql", "ANALYZE SELECT @a. INTO OUTFILE '/tmp/x'"),
    ("mysql", "ANALYZE SELECT t.\u00a0 INTO OUTFILE '/tmp/x' FROM (SELECT 1 AS \u00a0) AS t"),
    ("mysql", "ANALYZE SELECT t.$ INTO OUTFILE '/tmp/x' FROM (SELECT 1 AS $) AS t"),
    ("mysql", "SELECT id FROM t WHERE id < 1.5LOCK IN SHARE MODE"),
    ("mysql", "SELECT id FROM t WHERE id < 1.5FOR UPDATE"),
    ("mysql", "SELECT 1.5, 1.5load_file('/etc/passwd')"),
    ("mysql", "EXPLAIN SELECT * FROM t WHERE load_file('/etc/passwd') LIKE 'root%'"),
    ("mysql", "EXPLAIN (SELECT load_file('/etc/passwd'))"),
    ("mysql", "DESC SELECT `load_file`('/etc/passwd')"),
    ("mysql", "EXPLAIN UPDATE t SET a = get_lock('x', 1)"),
    ("mariadb", "ANALYZE FORMAT=JSON SELECT 1.5INTO OUTFILE '/tmp/x'"),
    ("postgresql", "EXPLAIN SELECT pg_read_file('/etc/passwd') LIKE 'root%'"),
    ("postgresql", "EXPLAIN (VERBOSE) (SELECT pg_advisory_lock(1))"),
    ("postgresql", "SELECT id FROM t WHERE id < 1.5FOR UPDATE"),
    ("postgresql", "SELECT $€$ '$€$, set_config('x', 'y', false), $€$' $€$"),
    ("postgresql", "SELECT 1E'\\'', set_config('x', 'y', false) --'"),
    ("sqlite", "EXPLAIN SELECT writefile('a', 'b')"),
    ("duckdb", "EXPLAIN SELECT * FROM checkpoint()"),
    ("postgresql", "SELECT setseed(0.5)"),
    ("duckdb", "SELECT setseed(0.5)"),
    ("duckdb", "INSTALL httpfs"),
    ("duckdb", "LOAD httpfs"),
    ("duckdb", "EXPORT DATABASE 'x'"),
    ("duckdb", "COPY t TO 'x.csv'"),
    ("duckdb", "EXPLAIN ANALYZE INSERT INTO t VALUES (1)"),
    ("duckdb", "USE other"),
    ("duckdb", "PRAGMA table_info('t')"),
    ("duckdb", "CALL pragma_version()"),
    ("duckdb", "SELECT * FROM checkpoint()"),
    ("duckdb", "WITH d AS (DELETE FROM t RETURNING a) SELECT * FROM d"),
    ("duckdb", "SET VARIABLE a = 1"),
    ("duckdb", "ATTACH ':memory:' AS b"),
    ("duckdb", "VACUUM"),
    ("mssql", "SELECT 1\nEXEC('DELETE FROM t')"),
    ("mssql", "SELECT 1 DELETE FROM t"),
    ("mssql", "EXEC('DELETE FROM t')"),
    ("mssql", "SELECT * FROM t\nWAITFOR DELAY '0:0:10'"),
    ("mssql", "SELECT * INTO u FROM t"),
]


@pytest.mark.parametrize(("dialect", "text"), HONEST)
def test_honest_sql_is_a_query(dialect: str, text: str, compile_text: Compiler) -> None:
    result = compile_text(text, dialect=dialect)
    assert result.found == ()
    assert result.plan is not None
    assert (result.plan.statements[0].returns_rows, result.plan.statements[0].writes) == (
        True,
        False,
    )


@pytest.mark.parametrize(("dialect", "text"), HONEST)
def test_honest_sql_is_allowed_to_clients(dialect: str, text: str) -> None:
    statement = read_client(text, dialect)
    assert (statement.parts, statement.writes) == ((text.removeprefix("\ufeff"),), False)


@pytest.mark.parametrize(("dialect", "text"), EVASIONS)
def test_no_evasion_passes_in_a_read_tool(dialect: str, text: str, compile_text: Compiler) -> None:
    result = compile_text(text, dialect=dialect)
    assert result.plan is None
    assert set(result.codes) <= {
        "writes-in-read-tool",
        "transaction-control",
        "never-allowed",
        "several-statements",
        "executable-comment",
        "foreign-placeholder",
    }


@pytest.mark.parametrize(("dialect", "text"), EVASIONS)
def test_no_evasion_passes_from_a_client(dialect: str, text: str) -> None:
    with pytest.raises(BindingError) as caught:
        read_client(text, dialect)
    assert caught.value.kind in (Kind.READ_ONLY, Kind.INVALID)


@pytest.mark.parametrize(
    "text", ["BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT a", "RELEASE a", "START TRANSACTION", "END"]
)
def test_the_transaction_is_the_servers_even_where_a_tool_writes(
    text: str, compile_text: Compiler
) -> None:
    assert compile_text(text, may_write=True).codes == ["transaction-control"]


@pytest.mark.parametrize("may_write", [True, False])
@pytest.mark.parametrize(
    ("dialect", "text", "word"),
    [
        ("sqlite", "ATTACH 'x.db' AS x", "ATTACH"),
        ("sqlite", "PRAGMA foreign_keys = OFF", "PRAGMA"),
        ("sqlite", "PRAGMA integrity_check", "PRAGMA"),
        ("sqlite", "PRAGMA page_count(1)", "PRAGMA"),
        ("sqlite", "VACUUM", "VACUUM"),
        ("sqlite", "SELECT load_extension('x')", "load_extension"),
        ("duckdb", "COPY t TO 'x.csv'", "COPY"),
        ("duckdb", "SET threads = 1", "SET"),
        ("duckdb", "FORCE CHECKPOINT", "FORCE"),
        ("duckdb", "UPDATE EXTENSIONS", "UPDATE"),
        ("duckdb", "SELECT * FROM query('SELECT 1')", "query"),
        ("postgresql", "PRAGMA x", "PRAGMA"),
        ("postgresql", "VACUUM t", "VACUUM"),
        ("postgresql", "COPY t TO STDOUT", "STDOUT"),
        ("postgresql", "DROP DATABASE x", "DROP"),
        ("postgresql", "CREATE UNIQUE INDEX CONCURRENTLY i ON t (a)", "CONCURRENTLY"),
        ("mariadb", "ATTACH 'x.db' AS x", "ATTACH"),
        ("mysql", "EXECUTE IMMEDIATE 'SELECT 1'", "EXECUTE"),
        ("mysql", "LOAD DATA LOCAL INFILE 'x' INTO TABLE t", "LOCAL"),
    ],
)
def test_what_no_tool_may_have_is_told_whether_it_writes_or_not(
    dialect: str, text: str, word: str, may_write: bool, compile_text: Compiler
) -> None:
    result = compile_text(text, dialect=dialect, may_write=may_write)
    assert [(item.code, item.message) for item in result.found] == [
        ("never-allowed", f"no tool may have '{word}' on {dialect}, whatever 'writes' says")
    ]


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("sqlite", "ANALYZE"),
        ("sqlite", "PRAGMA main.table_info(t)"),
        ("sqlite", "PRAGMA page_count;"),
        ("duckdb", "TRUNCATE t"),
        ("duckdb", "WITH query AS (SELECT 1) SELECT * FROM query"),
        ("postgresql", "COPY t TO '/tmp/x'"),
        ("postgresql", "REFRESH MATERIALIZED VIEW CONCURRENTLY v"),
        ("postgresql", "SET work_mem = '4MB'"),
        ("mysql", "LOAD DATA INFILE '/x' INTO TABLE t"),
        ("mysql", "CALL p()"),
    ],
)
def test_what_engines_allow_to_tools_that_write_is_allowed(
    dialect: str, text: str, compile_text: Compiler
) -> None:
    assert compile_text(text, dialect=dialect, may_write=True).codes == []


@pytest.mark.parametrize(
    ("text", "returns_rows"),
    [
        ("DELETE FROM t", False),
        ("DELETE FROM t RETURNING id", True),
        ("INSERT INTO t SELECT * FROM u", False),
        ("INSERT INTO t (a)\nSELECT a FROM u\nRETURNING id", True),
        ("INSERT INTO t VALUES (1) ON CONFLICT (a) DO\nUPDATE SET a = 2 RETURNING *", True),
        ("WITH a AS (SELECT 1) UPDATE t SET b = 2 RETURNING b", True),
        ("WITH a AS (DELETE FROM t RETURNING id) SELECT id FROM a", True),
        ("INSERT INTO t (note) VALUES ('RETURNING')", False),
        ("CREATE TABLE u AS\nSELECT 1", False),
        ("WITH a AS (SELECT 1)\nINSERT INTO t (b)\nSELECT 1 FROM a", False),
        ("INSERT INTO t (b)\nWITH a AS (SELECT 1)\nSELECT 1 FROM a", False),
        ("MERGE INTO t USING u ON true WHEN MATCHED THEN\nUPDATE SET a = 1", False),
    ],
)
def test_a_write_returns_rows_where_it_says_returning(
    text: str, returns_rows: bool, compile_text: Compiler
) -> None:
    result = compile_text(text, dialect="postgresql", may_write=True)
    assert result.plan is not None, result.found
    statement = result.plan.statements[0]
    assert (statement.writes, statement.returns_rows) == (True, returns_rows)


@requirement("P-215")
def test_a_write_is_reported_at_its_word(compile_text: Compiler) -> None:
    text = "WITH d AS (\n  DELETE FROM t RETURNING id)\nSELECT id FROM d"
    assert compile_text(text, dialect="postgresql").places == [("writes-in-read-tool", 2, 3)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", Kind.INVALID),
        ("SELECT 'open", Kind.INVALID),
        ("SELECT 1; SELECT 2", Kind.INVALID),
        ("DELETE FROM t", Kind.READ_ONLY),
    ],
)
def test_a_client_learns_why_its_statement_is_refused(text: str, kind: Kind) -> None:
    with pytest.raises(BindingError) as caught:
        read_client(text, "sqlite")
    assert caught.value.kind is kind


@pytest.mark.parametrize(("dialect", "codes"), [("mysql", ["implicit-commit"]), ("sqlite", [])])
def test_ddl_that_commits_by_itself_is_a_warning(
    dialect: str, codes: list[str], compile_text: Compiler
) -> None:
    assert compile_text("CREATE TABLE u (a int)", dialect=dialect, may_write=True).codes == codes
