"""Which assets a key names."""

from typing import Any

import pytest

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.catalog import Catalog, assets_of, distinct_assets
from airflow_provider.definitions.decorators import asset
from airflow_provider.definitions.source import Source
from airflow_provider.destinations.parquet import ParquetDestination
from airflow_provider.errors import GraphError


@asset
def orders() -> list[dict[str, Any]]:
    return []


class Shop(Source):
    @asset
    def orders(self) -> list[dict[str, Any]]:
        return []

    @asset
    def users(self) -> list[dict[str, Any]]:
        return []


class Ads(Source):
    @asset
    def orders(self) -> list[dict[str, Any]]:
        return []


def found(catalog: Catalog, key: str, reader: Asset) -> list[str]:
    return [candidate.qualified_key for candidate in catalog.candidates(key, reader)]


def test_a_key_names_a_sibling_one_source_or_any_source() -> None:
    catalog, shop, alone = Catalog.of([Shop, Ads, orders]), Shop(), orders()

    assert found(catalog, "orders", shop.users) == ["shop.orders"]
    assert catalog.candidates("orders", shop.users) == [shop.orders]
    assert found(catalog, "orders", alone) == ["orders"]
    assert found(catalog, "ads.orders", shop.users) == ["ads.orders"]
    assert found(catalog, "*.orders", alone) == ["shop.orders", "ads.orders"]
    assert found(catalog, "nosuch", alone) == found(catalog, "nosuch", shop.users) == []


def test_what_is_not_here_is_looked_for_outside() -> None:
    inner = Catalog.of([Shop])
    catalog = Catalog(assets_of(Ads) or [], outer=inner)

    assert found(catalog, "shop.orders", orders()) == ["shop.orders"]
    assert found(catalog, "*.orders", orders()) == ["ads.orders", "shop.orders"]
    assert [one.qualified_key for one in catalog.of_classes((Shop.users,))] == ["shop.users"]
    assert catalog.names() == ["ads.orders", "shop.orders", "shop.users"]


def test_the_assets_of_a_workload() -> None:
    assert [one.key for one in assets_of(Shop) or ()] == ["orders", "users"]
    assert [one.key for one in assets_of(orders()) or ()] == ["orders"]
    assert assets_of(5) is None


def test_distinct_assets_have_one_key_each() -> None:
    shop = Shop()

    assert list(distinct_assets([shop, orders, shop])) == ["shop.orders", "shop.users", "orders"]
    with pytest.raises(GraphError, match="is there twice"):
        distinct_assets([orders, orders])


def test_two_sources_of_one_key_are_refused_also_without_a_common_asset() -> None:
    class Again(Source):
        key = "shop"

        @asset
        def lines(self) -> list[dict[str, Any]]:
            return []

    with pytest.raises(GraphError, match=r"two sources are called 'shop': Shop and .*Again"):
        distinct_assets([Shop, Again])
    assert len(distinct_assets([Shop(assets=["orders"]), Shop(assets=["users"])])) == 2


def test_two_assets_in_one_place_are_refused() -> None:
    class Cased(Source):
        @asset
        def orders(self) -> list[dict[str, Any]]:
            return []

        @asset(key="Orders")
        def other(self) -> list[dict[str, Any]]:
            return []

    def lake(path: str = "/lake") -> ParquetDestination:
        return ParquetDestination(base_path=path)

    with pytest.raises(GraphError, match=r"'cased.orders' and 'cased.Orders' are both stored as 'orders'"):
        distinct_assets([Cased(destinations=lake())])
    with pytest.raises(GraphError, match=r"'shop.orders' and 'ads.orders' are both"):
        distinct_assets([Shop(destinations=lake(), dataset="bronze"), Ads(destinations=lake(), dataset="bronze")])

    distinct_assets([Shop(destinations=lake()), Ads(destinations=lake())])
    distinct_assets([Shop(destinations=lake(), dataset="b"), Ads(destinations=lake("/other"), dataset="b")])
    distinct_assets([Cased()])
