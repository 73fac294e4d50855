"""What a client sends never becomes SQL, whatever it holds and wherever it goes.

Elsewhere a parameter was put into the text: as a name, as an order, in a list, in a template.
"""

from collections.abc import Sequence

import pytest

from tests.faults.sql.conftest import Serve
from tests.faults.sql.recorded import record
from tests.faults.sql.served import Server, Source, checked, codes, tool
from tests.requirements import requirement

MARKER = 'x"; drop'
MARKERS = (
    MARKER,
    "x'; drop table t; --",
    "x' OR '1'='1",
    "x`; drop",
    "x]; drop",
    "$$; drop; $$",
    "x\\'; drop",
    "/* x */ drop",
    ":q ? $1 %s {sort} [[ x ]] {{ x }} drop",
    "x\n--\ndrop",
)
INPUT = {
    "q": "string",
    "many": "string[]",
    "tree": "object",
    "sort": {"choose": {"up": "x ASC", "down": "x DESC"}, "default": "up"},
    "part?": "string",
    "limit": {"type": "integer", "default": 5},
}


class Witness:
    """What SQL the engine saw."""

    def __init__(self, source: Source, texts: list[str]) -> None:
        self._source = source
        self._texts = texts

    def seen(self) -> Sequence[str]:
        """Every text: the server's own in PostgreSQL, elsewhere as it was sent to the engine."""
        if self._source.is_postgres:
            return [str(text) for (text,) in self._source.rows("SELECT text FROM seen")]
        return self._texts


@pytest.fixture
def witness(source: Source, monkeypatch: pytest.MonkeyPatch) -> Witness:
    """Tables `t` and, in PostgreSQL, `seen`, where a trigger notes each statement that writes."""
    source.execute("CREATE TABLE t (n integer, x text)")
    if source.is_postgres:
        source.execute(
            "CREATE TABLE seen (text text)",
            "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            " INSERT INTO seen VALUES (current_query()); RETURN NULL; END $$",
            "CREATE TRIGGER note AFTER INSERT OR UPDATE ON t FOR EACH STATEMENT"
            " EXECUTE FUNCTION note()",
        )
    return Witness(source, record(monkeypatch))


@pytest.fixture
def server(witness: Witness, source: Source, served: Serve) -> Server:
    """A tool that reads and one that writes, with parameters of every kind."""
    shown = "current_query()" if source.is_postgres or source.is_duckdb else "''"
    tree = "CAST(:tree AS char)" if source.is_mariadb else "CAST(:tree AS text)"
    read = (
        f"SELECT :q AS q, {tree} AS tree, {shown} AS seen FROM (SELECT :q AS x) AS s"
        " WHERE x IN :many [[ AND x <> :part ]] ORDER BY {sort} LIMIT :limit"
    )
    write = [
        "DELETE FROM t",
        {"each": "many", "run": "INSERT INTO t (n, x) VALUES (:index, :item)"},
        {"run": "INSERT INTO t (n, x) VALUES (-1, :q) RETURNING x", "as": "made"},
        "UPDATE t SET x = :made.x WHERE n = -1 AND x = :q",
        "SELECT x FROM t ORDER BY n",
    ]
    written = {"q": "string", "many": "string[]"}
    return served(
        tool("read", read, input=INPUT)
        + tool("write", write, input=written, writes=True, result={"shape": "column"})
    )


@pytest.mark.parametrize("marker", MARKERS)
@requirement("P-212")
def test_argument_comes_back_as_it_was_and_is_seen_in_no_statement(
    server: Server, witness: Witness, marker: str
) -> None:
    arguments = {"q": marker, "many": [marker, "other"]}

    rows = server.call("read", **arguments, tree={"k": marker}, part="another", sort="down").rows
    written = server.value("write", **arguments)

    assert [row["q"] for row in rows] == [marker]
    assert written == [marker, marker, "other"]
    seen = [*witness.seen(), str(rows[0]["seen"])]
    assert len(seen) > 2
    assert [text for text in seen if "drop" in text or "OR '1'='1" in text] == []


def test_choice_outside_the_map_is_refused_before_any_statement(
    server: Server, witness: Witness
) -> None:
    refusal = server.refusal("read", q="x", many=[], tree={}, sort=f"x ASC, {MARKER}")

    assert refusal == f"sort: expected 'up' or 'down', found 'x ASC, {MARKER}'"
    assert [text for text in witness.seen() if "drop" in text] == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("SELECT 1 AS a ORDER BY {q}", "not-a-choice"),
        ("SELECT {{ q }} AS a", "sql-refused"),
        ("SELECT '{{ q }}' AS a", None),
        ("SELECT ${q} AS a", "interpolation-refused"),
    ],
)
def test_no_notation_puts_an_argument_into_the_text(
    source: Source, text: str, code: str | None
) -> None:
    """Only words of a `choose` map have a text, and the author wrote it."""
    found = checked(source.folder, source.file(tool("probe", text, input={"q": "string"})), {})

    assert codes(found) == ([code] if code else [])


def test_text_of_a_template_is_no_parameter(served: Serve) -> None:
    """What is quoted in SQL is text for the engine, not a template."""
    server = served(
        tool("probe", "SELECT '{{ q }} :q $q {q}' AS a, :q AS b", input={"q": "string"})
    )

    assert server.call("probe", q=MARKER).rows == [{"a": "{{ q }} :q $q {q}", "b": MARKER}]
