"""Which targets a relation accepts."""

from typing import Any

import pytest

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.decorators import asset
from airflow_provider.definitions.destination import Destination
from airflow_provider.definitions.relation import Relation
from airflow_provider.definitions.resource import Config
from airflow_provider.definitions.source import Source
from airflow_provider.destinations.csv import CSVDestination
from airflow_provider.destinations.memory import MemoryDestination
from airflow_provider.errors import DefinitionError


class Shop(Source):
    @asset
    def orders(self) -> list[dict[str, Any]]:
        return []


@asset
def orders() -> list[dict[str, Any]]:
    return []


@asset
def customers() -> list[dict[str, Any]]:
    return []


@pytest.mark.parametrize(
    ("key", "sibling", "alone", "other"),
    [
        ("orders", True, True, False),
        ("shop.orders", True, False, False),
        ("ads.orders", False, False, False),
        ("*.orders", True, False, False),
        ("", True, True, True),
        (("shop.orders", "customers"), True, False, True),
    ],
)
def test_which_assets_a_key_accepts(key: Any, sibling: bool, alone: bool, other: bool) -> None:
    """A038: kind, then key."""
    relation = Relation("asset", key)

    accepted = [relation.mismatch(target, None) is None for target in (Shop().orders, orders(), customers())]

    assert accepted == [sibling, alone, other]


def test_a_mismatch_says_what_was_wanted_and_what_came() -> None:
    csv = CSVDestination(base_path="/x")

    assert Relation("asset").mismatch(csv, None) == "takes an asset, not the destination 'csv_destination'"
    assert Relation("asset", ("a.x", "b.x")).mismatch(orders(), None) == "takes a.x or b.x, not orders"
    assert Relation(MemoryDestination).mismatch(csv, None) == "takes MemoryDestination, not CSVDestination"
    assert Relation(Destination).mismatch(csv, None) is None


def test_a_relation_to_one_class_of_asset() -> None:
    assert Relation(orders).mismatch(orders(), None) is None
    assert Relation(orders).mismatch(customers(), None) == "takes orders, not customers"


@pytest.mark.parametrize("target", ["table", 5, int, [], [Asset, CSVDestination], [int]])
def test_a_target_that_is_no_kind_and_no_class_is_refused(target: Any) -> None:
    with pytest.raises((DefinitionError, TypeError)):
        Relation(target)


def test_extra_names_are_refused() -> None:
    for name in ("name", "colour"):
        with pytest.raises(TypeError):
            Relation("asset", **{name: "x"})


def test_narrowing_replaces_classes_and_keys() -> None:
    relation = Relation("asset", "orders", many=True).named("raw").narrowed([customers], "here")

    assert (relation.name, relation.classes, relation.keys, relation.many) == ("raw", (customers,), (), True)
    with pytest.raises(DefinitionError, match="here: relation 'raw' takes an asset, not the config Config"):
        relation.narrowed([Config], "here")


def test_naming_makes_a_copy() -> None:
    relation = Relation("asset", "shop.orders", optional=True, on_delete="detach", default=int)
    named = relation.named("raw")

    assert (relation.name, named.name) == ("", "raw")
    assert (named.keys, named.optional, named.on_delete, named.default) == (("shop.orders",), True, "detach", int)
    assert repr(named) == "Relation(asset, 'shop.orders', many=False, optional=True)"


@pytest.mark.parametrize("key", ["a b", "shop.", ".orders", "a.b.c", "*", "**.a", "1a", 3, ["orders", ""]])
def test_a_key_that_names_nothing_is_refused(key: Any) -> None:
    with pytest.raises(DefinitionError, match="names nothing"):
        Relation("asset", key)


@pytest.mark.parametrize("key", ["orders", "shop.orders", "*.orders", ["orders", "*.users"], ("a",), ""])
def test_the_forms_of_a_key(key: Any) -> None:
    assert Relation("asset", key).keys == (((key,) if key else ()) if isinstance(key, str) else tuple(key))


def test_a_default_is_called_and_on_delete_is_one_of_two_words() -> None:
    with pytest.raises(DefinitionError, match="default=3 cannot be called"):
        Relation("config", default=3)
    with pytest.raises(DefinitionError, match="on_delete='boom'"):
        Relation("config", on_delete="boom")  # type: ignore[arg-type]


def test_a_subclass_with_a_key_of_its_own_is_accepted_and_a_stranger_with_the_key_is_not() -> None:
    class Narrow(Destination):
        key = "narrow"

    class Wider(Narrow):
        key = "wider"

    class Stranger(Destination):
        key = "narrow"

    relation = Relation("destination").named("destinations").narrowed([Narrow], "asset 'x'")

    assert relation.mismatch(Wider(), None) is None
    assert relation.mismatch(Stranger(), None) == "takes Narrow, not Stranger"
