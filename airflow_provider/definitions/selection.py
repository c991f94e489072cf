"""Which definitions a module holds: what it made, and what it only declared.

Names that begin with an underscore are private to the module. A class counts where it is defined, and only while
nothing was made from it: the instance knows its destinations, the class does not.
"""

from collections.abc import Collection
from types import ModuleType
from typing import Any

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.asset_def import OutputAsset
from airflow_provider.definitions.multi_asset import MultiAsset
from airflow_provider.definitions.source import Source


def workloads_of(module: ModuleType) -> list[Asset | MultiAsset | Source]:
    """The sources, multi-assets and stand-alone assets of ``module``: its instances, else instances of its classes."""
    made = instances_in(module)
    return [*made, *(definition() for definition in classes_in(module, made={type(one) for one in made}))]


def instances_in(module: ModuleType) -> list[Asset | MultiAsset | Source]:
    """The sources and what stands alone that ``module`` names, sorted by name, each once.

    An output is not listed beside its multi-asset.
    """
    found = [value for value in _public(module) if isinstance(value, (Source, MultiAsset, Asset))]
    alone = [value for value in found if isinstance(value, Source) or value.source is None]
    return list(dict.fromkeys(v for v in alone if not (isinstance(v, Asset) and v.computation in alone)))


def classes_in(module: ModuleType, *, made: Collection[type]) -> list[type[Asset] | type[MultiAsset] | type[Source]]:
    """What ``module`` defines and of which no class in ``made`` is one, sorted by name; no outputs."""
    return list(
        dict.fromkeys(
            value
            for value in _public(module)
            if isinstance(value, type)
            and issubclass(value, (Source, MultiAsset, Asset))
            and not issubclass(value, OutputAsset)
            and value.__module__ == module.__name__
            and not any(issubclass(cls, value) for cls in made)
        )
    )


def _public(module: ModuleType) -> list[Any]:
    return [value for name, value in sorted(vars(module).items()) if not name.startswith("_")]
