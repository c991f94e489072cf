"""Which definitions a module holds: what it made, and what it only declared.

Names that begin with an underscore are private to the module. A class counts where it is defined, and only while
nothing was made from it: the instance knows its destinations, the class does not.
"""

from collections.abc import Collection
from types import ModuleType
from typing import Any

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.source import Source


def workloads_of(module: ModuleType) -> list[Asset | Source]:
    """The sources and stand-alone assets of ``module``: its instances, else instances of its classes."""
    made = instances_in(module)
    return [*made, *(definition() for definition in classes_in(module, made={type(one) for one in made}))]


def instances_in(module: ModuleType) -> list[Asset | Source]:
    """The sources and stand-alone assets that ``module`` names, sorted by name, each once."""
    return list(
        dict.fromkeys(
            value
            for value in _public(module)
            if isinstance(value, Source) or (isinstance(value, Asset) and value.source is None)
        )
    )


def classes_in(module: ModuleType, *, made: Collection[type]) -> list[type[Asset] | type[Source]]:
    """The source and asset classes that ``module`` defines and of which no class in ``made`` is one, sorted by name."""
    return list(
        dict.fromkeys(
            value
            for value in _public(module)
            if isinstance(value, type)
            and issubclass(value, (Source, Asset))
            and value.__module__ == module.__name__
            and not any(issubclass(cls, value) for cls in made)
        )
    )


def _public(module: ModuleType) -> list[Any]:
    return [value for name, value in sorted(vars(module).items()) if not name.startswith("_")]
