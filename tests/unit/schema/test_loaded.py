"""Classes of libraries that are loaded, half loaded, or not."""

import sys
from types import ModuleType

import pytest

from airflow_provider.schema.loaded import loaded


def test_classes_of_a_loaded_module() -> None:
    assert loaded("collections", "OrderedDict", "nothing") == (sys.modules["collections"].OrderedDict,)


def test_a_module_that_is_not_imported_has_none() -> None:
    assert loaded("no_such_module", "Table") == ()


def test_a_module_in_the_middle_of_its_import_has_none_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "half_imported", ModuleType("half_imported"))

    assert not isinstance(1, loaded("half_imported", "Table"))
