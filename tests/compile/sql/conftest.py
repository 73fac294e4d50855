"""Fixtures of the SQL compiler's tests."""

import pytest

from tests.compile.sql.sql_compiler import Compiler


@pytest.fixture
def compile_text() -> Compiler:
    """Compiles statements against a tool with a parameter of each kind."""
    return Compiler()
