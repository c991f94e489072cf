"""The table of types is what the type maps say."""

import importlib.util
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def script() -> Any:
    spec = importlib.util.spec_from_file_location("generate_types", ROOT / "docs" / "generate_types.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_is_up_to_date() -> None:
    module = script()

    assert module.PAGE.read_text(encoding="utf-8") == module.page(), "run python docs/generate_types.py"


def test_every_destination_with_a_map_of_its_own_has_a_column() -> None:
    from airflow_provider.definitions.destination import Destination

    module = script()
    shown = {destination.name for destination in module.DESTINATIONS}
    own = {cls.name for cls in _subclasses(Destination) if not cls.type_map.is_open and _is_ours(cls)}

    assert own <= shown


def _subclasses(cls: Any) -> set[Any]:
    return {cls, *(found for direct in cls.__subclasses__() for found in _subclasses(direct))}


def _is_ours(cls: Any) -> bool:
    return bool(cls.__module__.startswith("airflow_provider.destinations."))
