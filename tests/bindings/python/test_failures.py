"""What the log is told of an author's exception."""

from runner.bindings.python.failures import explanation, only_cause


def raised(error: BaseException, cause: BaseException | None = None) -> BaseException:
    try:
        raise error from cause
    except BaseException as caught:
        return caught


def test_each_line_of_the_author_is_there() -> None:
    text = explanation(raised(ValueError("x")), {})
    assert text.splitlines()[-2:] == ["    raise error from cause", "ValueError: x"]


def test_argument_values_are_hidden_however_deep() -> None:
    arguments = {"a": ["secret-1", {"b": "secret-2"}], "n": 123456, "flag": True, "none": None}
    text = explanation(ValueError("secret-1 secret-2 123456 True None"), arguments)
    assert text == "ValueError: ‹argument› ‹argument› ‹argument› True None"


def test_short_values_hide_nothing() -> None:
    assert explanation(ValueError("at line 1"), {"a": 1, "b": "at"}) == "ValueError: at line 1"


def test_the_longer_of_two_values_is_hidden_whole() -> None:
    assert explanation(ValueError("secret-1"), {"a": "secret", "b": "secret-1"}) == (
        "ValueError: ‹argument›"
    )


def test_causes_come_first() -> None:
    error = raised(RuntimeError("outer"), raised(ValueError("inner")))
    first, last = explanation(error, {}).split("\ncaused:\n")
    assert (first.endswith("ValueError: inner"), last.endswith("RuntimeError: outer")) == (
        True,
        True,
    )


def test_every_exception_of_a_group_is_told() -> None:
    group = ExceptionGroup("two", [ValueError("a"), ExceptionGroup("one", [KeyError("b")])])
    assert explanation(group, {}) == (
        "ExceptionGroup: two (2 sub-exceptions)"
        "\n  in the group: ValueError: a"
        "\n  in the group: ExceptionGroup: one (1 sub-exception)"
        "\n  in the group: KeyError: 'b'"
    )


def test_errors_that_cause_each_other_end() -> None:
    first, second = ValueError("first"), ValueError("second")
    first.__cause__, second.__cause__ = second, first
    assert explanation(first, {}) == "ValueError: second\ncaused:\nValueError: first"


def test_the_only_exception_of_nested_groups_is_the_cause() -> None:
    error = ValueError("x")
    assert only_cause(ExceptionGroup("a", [ExceptionGroup("b", [error])])) is error
    group = ExceptionGroup("a", [error, error])
    assert only_cause(group) is group
