"""What a `:name.path` of a statement means: a parameter, an element, an earlier row, the cursor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from runner.catalog.schema import Parameter
from runner.diagnostics import did_you_mean


@dataclass(frozen=True, slots=True)
class Meaning:
    """What is bound: a type word (empty where none is declared), and whether it is a list."""

    type: str = ""
    is_list: bool = False


class UnknownNameError(ValueError):
    """A name means nothing here: `code`, `message` and `hint` of the diagnostic."""

    def __init__(self, code: str, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Names:
    """The names that one statement may bind."""

    parameters: Mapping[str, Parameter]
    item: Parameter | None = None
    """The list parameter of `each`: its elements are `:item`, their place `:index`."""
    earlier: Mapping[str, bool] = field(default_factory=dict)
    """`as` names of the statements before, and whether those return rows."""
    page_key: Sequence[str] | None = None
    """The key columns of `result.page`; empty: by `:offset`; None: no paging."""

    @property
    def known(self) -> frozenset[str]:
        """Every first word of a path that means something."""
        more = {"item", "index"} if self.item else set()
        if self.page_key is not None:
            more.add("cursor" if self.page_key else "offset")
        return frozenset({*self.parameters, *self.earlier, *more})

    def meaning(self, path: tuple[str, ...]) -> Meaning:
        """What the driver binds for `path`.

        Raises:
            UnknownNameError: it means nothing in this statement.
        """
        root = path[0]
        if root not in self.known:
            raise self._unknown(root)
        if root == "cursor" and self.page_key:
            return self._of_cursor(path)
        if root in self.parameters:
            parameter = self.parameters[root]
            return _member(parameter, path, is_list=parameter.is_list)
        if root in self.earlier:
            return self._of_earlier(path)
        if root == "item" and self.item is not None:
            return _member(self.item, path, is_list=False)
        return _member(Parameter(root, "integer"), path, is_list=False)

    def _unknown(self, root: str) -> UnknownNameError:
        return UnknownNameError(
            "unknown-parameter",
            f"':{root}' is no parameter of this tool",
            _missing_each(root) or did_you_mean(root, self.known),
        )

    def _of_cursor(self, path: tuple[str, ...]) -> Meaning:
        columns = ", ".join(f":cursor.{column}" for column in self.page_key or ())
        if len(path) == 2 and path[1] in (self.page_key or ()):
            return Meaning()
        raise UnknownNameError(
            "page-cursor", f"expected {columns}, found ':{'.'.join(path)}'", "see result.page.key"
        )

    def _of_earlier(self, path: tuple[str, ...]) -> Meaning:
        root = path[0]
        if not self.earlier[root]:
            raise UnknownNameError(
                "as-without-rows", f"the statement named '{root}' returns no row", "add RETURNING"
            )
        if len(path) == 2:
            return Meaning()
        raise UnknownNameError(
            "unknown-parameter",
            f"expected a column of the row '{root}', found ':{'.'.join(path)}'",
            f"write ':{root}.column'",
        )


def _missing_each(root: str) -> str | None:
    return f"':{root}' needs 'each'" if root in ("item", "index") else None


def _member(parameter: Parameter, path: tuple[str, ...], *, is_list: bool) -> Meaning:
    for depth, step in enumerate(path[1:], start=1):
        if is_list or parameter.type not in ("", "object"):
            name = ".".join(path[:depth])
            kind = "a list" if is_list else f"of type {parameter.type}"
            raise UnknownNameError(
                "no-members",
                f"':{name}' is {kind} and has no member '{step}'",
                "each element is ':item' in a statement with 'each'" if is_list else None,
            )
        if parameter.fields is None:
            return Meaning()
        if step not in parameter.fields:
            raise UnknownNameError(
                "unknown-parameter",
                f"':{'.'.join(path[:depth])}' has no field '{step}'",
                did_you_mean(step, parameter.fields),
            )
        parameter = parameter.fields[step]
        is_list = parameter.is_list
    return Meaning(parameter.type, is_list)
