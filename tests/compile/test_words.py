"""What the words of `errors` say of a result."""

from collections.abc import Mapping

import pytest

from runner.compile.expressions import Names
from runner.compile.words import compile_words, may_be_null
from runner.config.nodes import Scalar
from tests.compile.expressions.bench import START, Bench


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ({}, True),
        ({"unique": "Taken."}, True),
        ({"missing": "empty"}, True),
        ({"missing": "No such prompt.", "timeout": "empty"}, True),
        ({"missing": "No such prompt."}, False),
        ({"missing": "No such prompt.", "unique": "Taken."}, False),
    ],
)
def test_a_result_is_never_null_where_a_missing_one_is_an_error(
    bench: Bench, errors: Mapping[str, str], expected: bool
) -> None:
    specs = {kind: Scalar(text, START) for kind, text in errors.items()}
    words = compile_words(specs, bench.site, Names(frozenset()), is_sql=True, is_http=False)
    assert (may_be_null(words), bench.messages()) == (expected, [])
