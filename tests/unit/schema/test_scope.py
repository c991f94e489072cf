"""Annotations kept as text, in definitions made inside functions: this file's are all text."""

from __future__ import annotations

from typing import Any

import pytest

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.decorators import asset
from airflow_provider.definitions.resource import Config
from airflow_provider.definitions.source import Source
from airflow_provider.definitions.upstream import Upstream
from airflow_provider.errors import DefinitionError
from airflow_provider.schema import Schema
from airflow_provider.schema.scope import locals_around


def test_a_parameter_names_a_class_of_the_function_around_it() -> None:
    class Budget(Config):
        limit: int = 5

    @asset
    def orders(budget: Budget, spare: Budget | None = None, other: list["Upstream"] | None = None) -> Any: ...  # noqa: UP037

    assert orders.relations["budget"].classes == (Budget,)
    assert orders.relations["spare"].optional
    assert orders.relations["other"].many


def test_a_quoted_annotation_is_read_twice() -> None:
    @asset
    def orders(items: "Upstream | None") -> Any: ...  # noqa: UP037

    assert orders.relations["items"].optional


def test_classes_and_their_methods_name_classes_of_the_functions_around_them() -> None:
    def outer() -> Any:
        class Budget(Config):
            limit: int = 5

        def inner() -> Any:
            class Shop(Source):
                budget: Budget

                @asset
                def orders(self, budget: Budget) -> Any:
                    return [{"limit": budget.limit}]

            class Lines(Asset):
                budget: Budget

                def data(self) -> Any:
                    return [{"limit": self.budget.limit}]

            return Shop(budget=Budget(limit=7)), Lines(budget=Budget(limit=8))

        return inner()

    shop, lines = outer()
    assert shop.orders.run() == [{"limit": 7}]
    assert lines.run() == [{"limit": 8}]


def test_a_schema_names_what_a_function_further_out_holds() -> None:
    def outer() -> Any:
        Code = str

        def inner() -> Any:
            class Row(Schema):
                code: Code

            return Row

        return inner()

    assert [spec.type for spec in outer().field_specs()] == [str]


def test_the_locals_of_a_mere_caller_are_not_taken() -> None:
    def define() -> Any:
        @asset
        def orders(budget: Hidden) -> Any: ...  # noqa: F821

        return orders

    def elsewhere() -> Any:
        class Hidden(Config): ...

        return Hidden, define()

    with pytest.raises(DefinitionError, match="'Hidden', which does not resolve"):
        elsewhere()


def test_at_the_top_of_a_module_there_is_nothing_around() -> None:
    assert locals_around("orders", __name__) == {}
