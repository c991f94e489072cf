"""Names of destinations -> classes, imported when first asked for."""

import difflib
import importlib
from typing import TYPE_CHECKING

from airflow_provider.errors import ConfigError

if TYPE_CHECKING:
    from airflow_provider.definitions.destination import Destination

CLASSES = {
    "FileDestination": "file",
    "CSVDestination": "csv",
    "ParquetDestination": "parquet",
    "MemoryDestination": "memory",
}
"""Public class name -> short name, which is also the name of its module."""

_MODULES = {short: f"{__package__}.{short}" for short in CLASSES.values()}
_NAMES = {short: name for name, short in CLASSES.items()}


def find(connector: str) -> "type[Destination]":
    """The class of a short name (``csv``), a class name (``CSVDestination``) or a key (``csv_destination``).

    Raises:
        ConfigError: No destination has that name.
    """
    short = CLASSES.get(connector, connector.strip().lower().removesuffix("_destination"))
    if short not in _MODULES:
        near = difflib.get_close_matches(short, _MODULES, n=1)
        raise ConfigError(
            f"no destination is called {connector!r}",
            where="Destination.of",
            fix=f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(sorted(_MODULES))}",
        )
    found: type[Destination] = getattr(importlib.import_module(_MODULES[short]), _NAMES[short])
    return found
