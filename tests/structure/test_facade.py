"""What users import: complete, sorted, and changed only on purpose.

``public_api.txt`` is the snapshot. A difference in it is a change for users and wants a line in CHANGELOG.md. To write
it anew: ``python tests/structure/test_facade.py``.
"""

import ast
import importlib.metadata
import inspect
import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

import airflow_provider

HERE = Path(__file__).parent
FACADE = HERE.parents[1] / "airflow_provider" / "__init__.py"
SNAPSHOT = HERE / "public_api.txt"


def parameters(called: Any) -> str:
    """Names and defaults of what a callable takes; annotations may be reworded without breaking anybody."""
    if isinstance(called, type) and issubclass(called, Enum):
        return "(value)"  # the rest is Python's own and differs between its versions
    try:
        found = inspect.signature(called).parameters.values()
    except (TypeError, ValueError):
        return "(?)"
    plain = inspect.Signature([one.replace(annotation=inspect.Parameter.empty) for one in found])
    return re.sub(r" at 0x[0-9a-f]+", "", str(plain))


def members(kind: type) -> Iterator[str]:
    """The public methods and properties that the package itself gives a class."""
    own = [base for base in kind.__mro__ if base.__module__.startswith("airflow_provider")]
    for name in sorted({name for base in own for name in vars(base)}):
        if name.startswith("_"):
            continue
        value = inspect.getattr_static(kind, name)
        if isinstance(value, property):
            yield f"  {name}"
        elif callable(value) or isinstance(value, (classmethod, staticmethod)):
            yield f"  {name}{parameters(getattr(kind, name))}"


def snapshot() -> str:
    lines = []
    for name in airflow_provider.__all__:
        value = getattr(airflow_provider, name)
        if inspect.ismodule(value):
            lines.append(f"{name}: module")
        elif isinstance(value, type):
            lines += [f"{name}{parameters(value)}", *members(value)]
        else:
            lines.append(f"{name}{parameters(value)}")
    return "\n".join(lines) + "\n"


def names_for_type_checkers() -> set[str]:
    """What the facade imports under ``if TYPE_CHECKING``, so that editors and mypy see the same names."""
    tree = ast.parse(FACADE.read_text(encoding="utf-8"))
    blocks = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    imports = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.asname or alias.name for node in imports for alias in node.names}


def test_the_public_names_are_sorted_and_unique() -> None:
    assert airflow_provider.__all__ == sorted(set(airflow_provider.__all__))


def test_type_checkers_see_the_same_names() -> None:
    assert names_for_type_checkers() == set(airflow_provider.__all__)


@pytest.mark.parametrize("name", airflow_provider.__all__)
def test_every_public_name_can_be_had(name: str) -> None:
    assert getattr(airflow_provider, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = airflow_provider.no_such_name


def test_the_version_is_the_one_that_is_installed() -> None:
    assert airflow_provider.__version__ == importlib.metadata.version("airflow-provider-assets")


def test_the_public_interface_is_the_one_that_was_agreed() -> None:
    assert snapshot() == SNAPSHOT.read_text(encoding="utf-8"), "see the top of this file"


if __name__ == "__main__":
    SNAPSHOT.write_text(snapshot(), encoding="utf-8")
