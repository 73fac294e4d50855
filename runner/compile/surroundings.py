"""What the tools of a file are compiled against: the spec, its sources, its files, its code."""

from collections.abc import Mapping
from dataclasses import dataclass

from runner.catalog.catalog import Budgets
from runner.catalog.sources import Api, Database
from runner.compile.python.callables import Loader
from runner.config.nodes import Document, Scalar
from runner.config.spec.root import ServerSpec
from runner.config.spec.tools import ToolSpec


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What every tool is compiled against."""

    spec: ServerSpec
    tools: Mapping[str, ToolSpec]
    """Every tool, with the defaults merged in."""
    budgets: Budgets
    databases: Mapping[str, Database]
    apis: Mapping[str, Api]
    texts: Mapping[str, Scalar]
    """Text files that the file names, by path as written."""
    schemas: Mapping[str, Document]
    """Schema files likewise."""
    loader: Loader | None
    """Imports the project's callables; None: they are not imported."""
