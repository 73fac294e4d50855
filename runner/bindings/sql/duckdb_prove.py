"""Proves statements on DuckDB: they are parsed, bound and planned, never run."""

from collections.abc import Sequence

import duckdb

from runner.bindings.sql.duckdb_describe import AskError, Describer, described_columns
from runner.bindings.sql.duckdb_errors import refusal
from runner.catalog.proving import Description, Refusal
from runner.catalog.rendering import Rendered, Slot
from runner.catalog.sql import Bound
from runner.errors import BindingError


class DuckdbProver:
    """Describes statements on one connection."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._describer = Describer(connection)

    def describe(self, texts: Sequence[str], parameters: Sequence[Bound]) -> Description | Refusal:
        """See `runner.catalog.proving.Prover`."""
        rendered = Rendered(texts, [Slot(bound) for bound in parameters])
        try:
            described = self._describer.rendered(rendered, writes=True)
        except AskError as asked:
            return refusal(asked.error, texts, asked.text, prefix=asked.prefix)
        except BindingError as error:
            return Refusal("other", sqlstate=error.reason)
        forms = self._describer.forms(described.columns)
        return Description(
            described_columns(described.columns, forms),
            described.casts,
            self._describer.misfits(described, parameters),
            writes=described.kind in ("change", "definition"),
        )
