"""What type checkers are told of the decorators is what the decorators do; see also ``tests/typing``."""

import ast
import inspect
from typing import Any

import pytest

import airflow_provider as ap
from airflow_provider.definitions import decorators, signatures
from airflow_provider.definitions.component import class_settings

SYNONYMS = {"partitions", "partitions_def", "table"}
KINDS = {
    "AssetFactory": ap.Asset,
    "ViewFactory": ap.View,
    "ReferenceFactory": ap.Reference,
    "SourceFactory": ap.Source,
    "ClassFactory": ap.Component,
}
TREE = ast.parse(inspect.getsource(signatures))


def options(factory: str) -> set[str]:
    """The keywords of the last overload."""
    (body,) = (node.body for node in TREE.body if isinstance(node, ast.ClassDef) and node.name == factory)
    calls = [node for node in body if isinstance(node, ast.FunctionDef)]
    return {one.arg for one in calls[-1].args.kwonlyargs}


@pytest.mark.parametrize("factory", KINDS)
def test_every_option_is_one_that_the_decorator_takes(factory: str) -> None:
    kind: Any = KINDS[factory]
    taken = class_settings(kind) | set(kind.model_fields) | {"relations"} | SYNONYMS

    assert options(factory) - taken == set()


def test_every_option_of_an_asset_and_of_a_source_is_there() -> None:
    for factory, kind in (("AssetFactory", ap.Asset), ("SourceFactory", ap.Source)):
        wanted = (class_settings(kind) | set(kind.model_fields)) - {"id"}
        assert wanted - options(factory) == set()


def test_every_decorator_is_declared_and_nothing_else() -> None:
    declared = {node.target.id for node in TREE.body if isinstance(node, ast.AnnAssign)}  # type: ignore[union-attr]
    made = {name for name, value in vars(decorators).items() if inspect.isfunction(value) and name in ap.__all__}

    assert declared == made
