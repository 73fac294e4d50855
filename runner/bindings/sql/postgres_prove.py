"""Proves statements on PostgreSQL: the server parses and describes them, they never run."""

from collections.abc import Sequence

from runner.bindings.sql.postgres_describe import Described, Describer
from runner.bindings.sql.postgres_errors import EngineError, refusal
from runner.bindings.sql.postgres_types import WORD_BY_TYPE, is_misfit
from runner.bindings.sql.session import SessionLostError
from runner.catalog.proving import Description, Refusal
from runner.catalog.rendering import Rendered, Slot
from runner.catalog.sql import Bound, Column
from runner.errors import StartError


class PostgresProver:
    """Describes statements on one connection."""

    def __init__(self, describer: Describer) -> None:
        self._describer = describer

    def describe(self, texts: Sequence[str], parameters: Sequence[Bound]) -> Description | Refusal:
        """See `runner.catalog.proving.Prover`."""
        rendered = Rendered(texts, [Slot(bound) for bound in parameters])
        plain = rendered.text(lambda index, _bound: f"${index + 1}")
        try:
            described = self._describer.rendered(rendered)
            nulls = self._describer.holding_nulls(described.origins)
        except EngineError as error:
            return refusal(error, texts, plain)
        except SessionLostError as error:
            raise StartError(
                "the database's connection broke while statements were proven"
            ) from error
        columns = [
            Column(name, self._word(oid), holds_nulls=origin in nulls)
            for (name, oid), origin in zip(described.columns, described.origins, strict=True)
        ]
        return Description(columns, described.casts, self._misfits(parameters, described))

    def _misfits(self, bounds: Sequence[Bound], described: Described) -> dict[int, str]:
        """Every value travels as text: it is a question of what a type reads of the other's."""
        names = [self._describer.known.names.get(oid, "") for oid in described.parameters]
        return {
            index: name
            for index, (bound, name) in enumerate(zip(bounds, names, strict=True))
            if index not in described.casts and is_misfit(bound.type, name)
        }

    def _word(self, oid: int) -> str:
        known = self._describer.known
        element = known.arrays.get(oid)
        if element is not None:
            word = WORD_BY_TYPE.get(known.names.get(element, ""), "")
            return f"{word}[]" if word else ""
        return WORD_BY_TYPE.get(known.names.get(oid, ""), "")
