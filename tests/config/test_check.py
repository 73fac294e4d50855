"""`runner.config.check`: the tree becomes a spec, every fault a diagnostic."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from runner.config.check import check, correct
from runner.config.interpolate import Interpolator
from runner.config.nodes import Scalar
from runner.config.source import parse
from runner.config.spec.root import ServerSpec
from runner.diagnostics import Diagnostic, Position

HEAD = "mcp: 1\nserver: {name: x, version: 1}\n"


def checked(
    body: str, environment: Mapping[str, str] | None = None
) -> tuple[ServerSpec | None, tuple[Diagnostic, ...]]:
    """The spec and the faults of a file with `body` below its head."""
    document, faults = parse((HEAD + body).encode(), "mcp.yaml")
    assert document is not None
    spec, found = check(document, Interpolator(environment or {}, lambda path: path))
    return spec, (*faults, *found)


def spec_of(body: str, **environment: str) -> ServerSpec:
    """The spec of a file without a fault."""
    spec, faults = checked(body, environment)
    assert faults == ()
    assert spec is not None
    return spec


def test_thirty_faults_in_one_file_are_thirty_diagnostics_each_in_its_place() -> None:
    document, faults = parse(Path(__file__).with_name("thirty.yaml").read_bytes(), "f")
    assert document is not None
    corrected, misspelt = correct(document, Interpolator({}, lambda path: path))
    _, more = check(corrected, Interpolator({}, lambda path: path))
    found = sorted((*faults, *misspelt, *more))
    assert [f"{item.position.line}:{item.position.column} {item.code}" for item in found] == [
        "1:6 unknown-version",
        "4:3 unknown-field",
        "5:16 cut-text",
        "6:15 wrong-type",
        "6:29 wrong-type",
        "6:40 wrong-type",
        "6:51 unknown-word",
        "8:31 missing-variable",
        "8:45 missing-variable",
        "8:65 wrong-type",
        "9:3 duplicate-key",
        "11:18 bare-variable",
        "11:43 conflicting-fields",
        "11:43 missing-field",
        "12:25 wrong-type",
        "13:1 not-available",
        "14:8 bad-name",
        "18:28 reserved-name",
        "18:43 bad-name",
        "20:21 unknown-word",
        "21:3 name-taken",
        "21:27 unknown-field",
        "22:24 cut-text",
        "23:3 bad-name",
        "23:21 not-available",
        "24:3 missing-field",
        "25:19 missing-field",
        "25:45 wrong-type",
        "26:19 merge-key",
        "26:32 misplaced-field",
    ]


def test_text_stays_as_written_where_text_is_expected() -> None:
    spec = spec_of("vars: {a: 0123}\ntools: {t: {value: 1, title: 1.10, tags: [NO, 2024-01-01]}}")
    tool = spec.tools["t"]
    assert (tool.title, tool.tags) == ("1.10", ("NO", "2024-01-01"))


def test_an_interpolated_value_has_the_type_of_its_field() -> None:
    spec = spec_of(
        "serve: {port: '${PORT}', legacy: '${OFF}', drain: '${T}', host: '${PORT}'}",
        PORT="8080",
        OFF="false",
        T="2m",
    )
    serve = spec.serve
    assert (serve.port, serve.legacy, serve.drain, serve.host) == (8080, False, 120.0, "8080")


def test_an_interpolated_constant_of_a_tree_stays_text() -> None:
    node = spec_of("vars: {hash: '${HASH}', n: 7}", HASH="0757192").vars
    assert {name: leaf.value for name, leaf in node.items() if isinstance(leaf, Scalar)} == {
        "hash": "0757192",
        "n": 7,
    }


def test_a_password_of_any_characters_reaches_the_address_whole() -> None:
    body = 'databases: {a: {url: "mysql://u:${PW}@h/d"}, b: {url: "${URL}"}}'
    spec = spec_of(body, PW="p@ss:w/rd#%?&é \"'", URL="mysql://u:x%40y@h/d")
    assert spec.databases["a"].url.reveal() == (
        "mysql://u:p%40ss%3Aw%2Frd%23%25%3F%26%C3%A9%20%22%27@h/d"
    )
    assert spec.databases["b"].url.reveal() == "mysql://u:x%40y@h/d"


def test_a_dollar_before_template_braces_is_no_reference() -> None:
    tool = spec_of('tools: {t: {value: "costs ${{ price }}", errors: {404: "${{ x }}"}}}').tools[
        "t"
    ]
    assert isinstance(tool.value, Scalar)
    assert tool.value.text == "costs ${{ price }}"


def test_a_reference_of_the_call_is_no_variable() -> None:
    tool = spec_of("tools: {t: {value: {a: $NAME, b: $$NAME}}}").tools["t"]
    assert isinstance(tool.value, dict)
    assert [leaf.text for leaf in tool.value.values() if isinstance(leaf, Scalar)] == [
        "$NAME",
        "$$NAME",
    ]


def test_a_tool_with_a_fault_of_its_work_is_left_out() -> None:
    lines = ["bad: {value: 1, timeout: soon}", "two: {value: 1, python: 'm:f'}", "ok: {value: 1}"]
    spec, faults = checked("tools:\n  " + "\n  ".join(lines))
    assert [fault.code for fault in faults] == ["wrong-type", "conflicting-fields"]
    assert spec is not None
    assert list(spec.tools) == ["bad", "ok"]


def test_a_fault_outside_the_tools_leaves_out_what_has_it_alone() -> None:
    body = "serve: {port: x, host: h}\ndatabases: {a: {url: 'x:', pool: 1}, b: {url: 'y:'}}\n"
    spec, faults = checked(f"{body}tools: {{ok: {{value: 1}}}}\n")
    assert [fault.code for fault in faults] == ["wrong-type", "wrong-type"]
    assert spec is not None
    assert (spec.serve.port, spec.serve.host) == (8000, "h")
    assert (list(spec.databases), list(spec.tools)) == (["b"], ["ok"])


def test_a_fault_of_what_every_tool_may_use_leaves_the_tools_out() -> None:
    spec, faults = checked("vars: {a-b: 1}\ndatabases: {a: {url: 'x:'}}\ntools: {ok: {value: 1}}")
    assert [fault.code for fault in faults] == ["bad-name"]
    assert spec is not None
    assert (list(spec.databases), list(spec.tools)) == (["a"], [])


def test_a_fault_of_the_version_leaves_no_spec() -> None:
    document, _ = parse(b"mcp: 2\nserver: {name: x, version: 1}\n", "f")
    assert document is not None
    assert check(document, Interpolator({}, lambda path: path))[0] is None


def test_a_fault_apart_from_a_tools_work_leaves_that_field_out_alone() -> None:
    spec, faults = checked("tools: {t: {value: 1, timeout: soon, title: Words}}")
    assert [fault.code for fault in faults] == ["wrong-type"]
    assert spec is not None
    assert (spec.tools["t"].timeout, spec.tools["t"].title) == (None, "Words")


def test_a_misspelt_field_is_read_as_the_one_that_was_meant() -> None:
    document, _ = parse(f"{HEAD}tools: {{t: {{value: 1, descripton: x, zz: 1}}}}".encode(), "f")
    assert document is not None
    corrected, faults = correct(document, Interpolator({}, lambda path: path))
    assert [(fault.position.column, fault.code) for fault in faults] == [
        (23, "unknown-field"),
        (38, "unknown-field"),
    ]
    spec, rest = check(corrected, Interpolator({}, lambda path: path))
    assert rest == ()
    assert spec is not None
    assert spec.tools["t"].description == "x"


def test_a_misspelt_field_is_left_out_where_its_value_does_not_fit() -> None:
    document, _ = parse(f"{HEAD}tools: {{t: {{value: 1, timeuot: soon}}}}".encode(), "f")
    assert document is not None
    corrected, faults = correct(document, Interpolator({}, lambda path: path))
    assert [fault.code for fault in faults] == ["unknown-field"]
    assert corrected.find(("tools", "t", "timeout")) is None
    assert check(corrected, Interpolator({}, lambda path: path))[1] == ()


def test_an_error_found_earlier_leaves_its_tool_out_and_is_not_told_again() -> None:
    document, _ = parse(f"{HEAD}tools:\n  a: {{value: 1}}\n  b: {{value: 2}}\n".encode(), "f")
    assert document is not None
    earlier = [Position("f", 4, 8)]
    spec, faults = check(document, Interpolator({}, lambda path: path), errors=earlier)
    assert faults == ()
    assert spec is not None
    assert list(spec.tools) == ["b"]


def test_no_secret_stands_in_a_diagnostic() -> None:
    _, faults = checked("serve: {port: '${PW}'}\n", {"PW": "hunter2-hunter2"})
    assert len(faults) == 1
    assert "hunter2" not in repr(faults)


@pytest.mark.parametrize("word", ["yes", "no", "on", "off", "True_", "1"])
def test_only_true_and_false_are_booleans(word: str) -> None:
    _, faults = checked(f"tools: {{t: {{value: 1, strict: {word}}}}}")
    assert [fault.code for fault in faults] == ["wrong-type"]


KEYS = st.sampled_from([*sorted(ServerSpec.model_fields), "a", "b"])
NODES = st.recursive(
    st.sampled_from(["x", "1", "true", "null", "'q'", "'${A}'", "$a", "sql", "file"]),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]")
        | st.dictionaries(KEYS, inner, max_size=3).map(
            lambda items: f"{{{', '.join(f'{key}: {item}' for key, item in items.items())}}}"
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(sorted(ServerSpec.model_fields)), NODES, max_size=5))
def test_any_tree_is_answered_in_our_own_words(sections: Mapping[str, str]) -> None:
    text = "\n".join(f"{name}: {node}" for name, node in sections.items())
    document, _ = parse(f"{text}\nzzz: 1\n".encode(), "f")
    assert document is not None
    _, faults = check(document, Interpolator({}, lambda path: path))
    told = " ".join(f"{fault.code} {fault.message}" for fault in faults)
    assert "Input should" not in told
    assert not any(
        fault.code.startswith(("model", "dict")) or "_" in fault.code for fault in faults
    )


def test_a_checked_tree_never_lets_the_validators_error_out() -> None:
    """A control for the property above: the models do raise on what it feeds them."""
    with pytest.raises(ValidationError):
        ServerSpec.model_validate({"zzz": Scalar("1", Position("f", 1, 1))})
