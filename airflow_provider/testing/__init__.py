"""What users and this project test assets with: a runner, contract suites, and a real Airflow.

::

    from airflow_provider.testing import DestinationContract

    class TestMine(DestinationContract):
        def make(self, folder):
            return MyDestination(root=str(folder))

Names are loaded on first use, so that what needs pytest is loaded by tests alone.
"""

import importlib
import sys
from typing import TYPE_CHECKING, Any

_MODULES = {
    "Cannot": "contract",
    "DestinationContract": "destination_contract",
    "RepresentationContract": "representation_contract",
    "run_asset": "asset_run",
}

__all__ = [
    "Cannot",
    "DestinationContract",
    "RepresentationContract",
    "run_asset",
]

if TYPE_CHECKING:
    from airflow_provider.testing.asset_run import run_asset as run_asset
    from airflow_provider.testing.contract import Cannot as Cannot
    from airflow_provider.testing.destination_contract import DestinationContract as DestinationContract
    from airflow_provider.testing.representation_contract import RepresentationContract as RepresentationContract

_SUITES = (
    "commit_contract",
    "destination_contract",
    "partition_contract",
    "representation_contract",
    "round_trip_contract",
    "run_contract",
    "samples",
)

if "pytest" in sys.modules:  # a failed assert of a suite shows both sides, as in a test of one's own
    sys.modules["pytest"].register_assert_rewrite(*(f"{__name__}.{suite}" for suite in _SUITES))


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
