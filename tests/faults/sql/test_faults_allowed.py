"""Values that a query allows: row 47 of the faults, on every engine."""

import pytest

from runner.errors import StartError
from tests.faults.sql.conftest import Serve
from tests.faults.sql.served import Source, serve, tool
from tests.faults.sql.test_faults_sources import absent

KINDS = {"sql": "SELECT name FROM kinds ORDER BY name", "refresh": "1ms"}
TOOLS = (
    tool(
        "find",
        "SELECT name FROM kinds WHERE name = :kind",
        input={"kind": {"type": "string", "description": "Which.", "enum_from": KINDS}},
        result={"shape": "value"},
    )
    + tool(
        "several",
        "SELECT name FROM kinds WHERE name IN :kinds ORDER BY name",
        input={"kinds": {"type": "string[]", "maxItems": 5, "enum_from": KINDS}},
        result={"shape": "column"},
    )
    + tool(
        "ranked",
        "SELECT name FROM kinds WHERE rank_no = :rank",
        input={
            "rank": {
                "type": "integer",
                "default": 1,
                "enum_from": {"sql": "SELECT rank_no FROM kinds ORDER BY rank_no"},
            }
        },
        result={"shape": "value"},
    )
    + tool(
        "add",
        "INSERT INTO kinds VALUES (:name, :rank)",
        input={"name": "string", "rank": "integer"},
        writes=True,
    )
)


@pytest.fixture
def kinds(source: Source) -> Source:
    """A table of two kinds."""
    source.execute(
        "CREATE TABLE kinds (name VARCHAR(20), rank_no INTEGER)",
        "INSERT INTO kinds VALUES ('wool', 2), ('jute', 1)",
    )
    return source


def test_values_are_listed_as_if_the_file_named_them(kinds: Source, served: Serve) -> None:
    listed = {
        name: found["inputSchema"]["properties"]  # type: ignore[index]  # an object
        for name, found in served(TOOLS).listed.items()
    }
    assert listed["find"] == {
        "kind": {"type": "string", "description": "Which.", "enum": ["jute", "wool"]}
    }
    assert listed["several"] == {
        "kinds": {
            "type": "array",
            "items": {"type": "string", "enum": ["jute", "wool"]},
            "maxItems": 5,
        }
    }
    assert listed["ranked"] == {"rank": {"type": "integer", "default": 1, "enum": [1, 2]}}


def test_call_is_held_to_the_values(kinds: Source, served: Serve) -> None:
    server = served(TOOLS)
    assert server.value("find", kind="jute") == "jute"
    assert server.value("several", kinds=["wool", "jute"]) == ["jute", "wool"]
    assert server.value("ranked") == "jute"
    assert server.refusal("find", kind="silk") == ("kind: expected 'jute' or 'wool', found 'silk'")
    assert server.refusal("several", kinds=["wool", "silk"]) == (
        "kinds[1]: expected 'jute' or 'wool', found 'silk'"
    )
    assert server.refusal("ranked", rank=3) == "rank: expected 1 or 2, found 3"
    assert server.refusal("find", kind="wool' OR 'a' = 'a") == (
        "kind: expected 'jute' or 'wool', found 'wool' OR 'a' = 'a'"
    )


def test_new_value_is_allowed_once_the_old_ones_are_read_again(
    kinds: Source, served: Serve
) -> None:
    server = served(TOOLS)
    assert server.call("find", kind="silk").is_error
    server.value("add", name="silk", rank=3)
    assert server.value("find", kind="silk") == "silk"


def test_server_does_not_start_without_the_values(source: Source, served: Serve) -> None:
    """The statement is right, and what it returns is not."""
    source.execute(
        "CREATE TABLE kinds (name VARCHAR(20), rank_no INTEGER)",
        "INSERT INTO kinds VALUES ('wool', 2)",
    )
    wrong = {"kind": {"type": "string", "enum_from": {"sql": "SELECT rank_no FROM kinds"}}}
    with pytest.raises(StartError) as caught:
        served(tool("find", "SELECT name FROM kinds WHERE name = :kind", input=wrong))
    assert str(caught.value) == (
        "the values of tools.find.input.kind cannot be read: expected text, found 2"
    )


def test_lazy_database_gives_its_values_when_it_is_there(source: Source, served: Serve) -> None:
    """Until then nothing is known to be allowed, so nothing is."""
    with absent(source) as (url, make):
        lazy = {"main": {"url": url, "startup": "lazy"}}
        values = {"kind": {"type": "integer", "enum_from": {"sql": "SELECT n FROM t"}}}
        find = tool("find", "SELECT n FROM t WHERE n = :kind", input=values)
        with serve(source.folder, source.file(find, databases=lazy)) as server:
            schema = server.listed["find"]["inputSchema"]
            assert isinstance(schema, dict)
            assert schema["properties"] == {"kind": {"type": "integer"}}
            unknown = "the allowed values of 'kind' cannot be read at present"
            assert server.refusal("find", kind=5) == unknown
            make()
            assert server.call("find", kind=5).rows == [{"n": 5}]
            assert server.refusal("find", kind=6) == "kind: expected 5, found 6"
