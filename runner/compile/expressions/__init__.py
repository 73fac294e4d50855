"""Expressions and templates of the file: sandboxed Jinja2, checked and compiled at start."""

from runner.compile.expressions.compiling import (
    compile_checks,
    compile_expression,
    compile_template,
)
from runner.compile.expressions.names import Names

__all__ = ["Names", "compile_checks", "compile_expression", "compile_template"]
