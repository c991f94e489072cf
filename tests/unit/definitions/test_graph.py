"""How assets are joined, ordered and checked."""

import datetime as dt
import time
from typing import Any, ClassVar

import pytest

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.decorators import asset
from airflow_provider.definitions.destination import Destination
from airflow_provider.definitions.graph import AssetGraph
from airflow_provider.definitions.relation import Relation
from airflow_provider.definitions.source import Source
from airflow_provider.definitions.upstream import Upstream
from airflow_provider.destinations.memory import MemoryDestination
from airflow_provider.errors import AssetNotFoundError, CircularDependencyError, ConfigError, GraphError
from airflow_provider.partitioning import ListPartitionConfig, MultiPartitionConfig, TimePartitionConfig
from airflow_provider.schema import Schema
from airflow_provider.schema.type_map import TypeMap


def of(key: str, *upstreams: str, **settings: Any) -> type[Asset]:
    """An asset that reads ``upstreams``: a bare key by a parameter, any other by a relation of its last part's name."""
    names = [up.rpartition(".")[2].replace("*", "") for up in upstreams]
    relations = {n: Relation("asset", up) for n, up in zip(names, upstreams, strict=True) if "." in up}
    namespace: dict[str, Any] = {"Upstream": Upstream}
    parameters = ", ".join(f"{name}: Upstream" for name in names)
    exec(f"def {key}({parameters}): return [dict(n=1)]", namespace)
    made: type[Asset] = asset(relations=relations, **settings)(namespace[key])
    return made


def source_of(key: str, *assets: type[Asset]) -> type[Source]:
    made: type[Source] = type(Source)(
        key.title(), (Source,), {"__module__": __name__, "__qualname__": key, "key": key, "asset_types": assets}
    )
    return made


def keys(graph: AssetGraph) -> list[str]:
    return list(graph.assets)


def test_upstreams_come_first_whatever_the_order_of_definition() -> None:
    assets = [of("a", "b", "c"), of("b", "c"), of("c"), of("d")]

    orders = [keys(AssetGraph(source_of("shop", *some))) for some in (assets, assets[::-1], assets[2:] + assets[:2])]

    assert orders == [["shop.c", "shop.d", "shop.b", "shop.a"]] * 3


def test_sources_and_assets_classes_and_instances_may_be_given() -> None:
    shop = source_of("shop", of("a"))
    graph = AssetGraph(shop, source_of("ads", of("a"))(), of("b"), of("c")())

    assert keys(graph) == ["ads.a", "b", "c", "shop.a"]
    assert len(graph) == 4
    assert repr(graph) == "AssetGraph(4 assets)"


@pytest.mark.parametrize("wrong", [5, "shop", None])
def test_other_things_are_refused(wrong: Any) -> None:
    with pytest.raises(GraphError, match="is no source and no asset"):
        AssetGraph(wrong)
    with pytest.raises(GraphError, match="has no assets"):
        AssetGraph()


def test_a_missing_upstream_is_named_with_a_suggestion() -> None:
    """A031: another source's asset is named in ``relations=``."""
    with pytest.raises(AssetNotFoundError, match=r"parameter 'ordes' reads 'shop.ordes'.*did you mean 'shop.orders'"):
        AssetGraph(source_of("shop", of("orders")), source_of("ads", of("report", "shop.ordes")))


def test_a_bare_name_means_a_sibling_only() -> None:
    """A028: inside a source the name of the parameter is a sibling's key."""
    with pytest.raises(AssetNotFoundError, match=r"asset 'ads.report': parameter 'orders' reads 'orders'"):
        AssetGraph(source_of("shop", of("orders")), source_of("ads", of("report", "orders")))
    with pytest.raises(AssetNotFoundError):
        AssetGraph(source_of("shop", of("orders")), of("report", "orders"))


def test_standalone_assets_find_each_other_by_bare_name() -> None:
    graph = AssetGraph(of("report", "orders"), of("orders"))

    assert keys(graph) == ["orders", "report"]


def test_a_star_finds_the_asset_of_any_source_and_no_standalone_one() -> None:
    report = of("report", "*.orders")
    shop = source_of("shop", of("orders"))

    assert keys(AssetGraph(report, shop, of("orders"))) == ["orders", "shop.orders", "report"]
    with pytest.raises(
        GraphError, match=r"parameter 'orders' fits ads.orders, shop.orders|fits shop.orders, ads.orders"
    ):
        AssetGraph(report, shop, source_of("ads", of("orders")))


def test_a_list_takes_all_that_fit() -> None:
    @asset(relations={"legs": Relation("asset", "*.orders", many=True)})
    def report(legs: list[Upstream]) -> list[dict[str, Any]]:
        return []

    made = report()
    graph = AssetGraph(made, source_of("shop", of("orders")), source_of("ads", of("orders")))

    assert [up.qualified_key for up in graph.upstreams(made)] == ["shop.orders", "ads.orders"]


def test_what_is_bound_wins_over_what_would_be_found() -> None:
    shop, ads = source_of("shop", of("orders"))(), source_of("ads", of("orders"))()
    report = of("report", "*.orders")(orders=ads.assets["orders"])

    assert AssetGraph(report, shop, ads).inputs(report) == {"orders": (ads.assets["orders"],)}


def test_a_bound_upstream_outside_joins_read_only() -> None:
    shop = source_of("shop", of("raw"), of("orders", "raw"))()
    report = of("report", "shop.orders")(orders=shop.assets["orders"])
    graph = AssetGraph(report)

    assert keys(graph) == ["report"]
    assert list(graph.read_only) == ["shop.orders"]
    assert graph.inputs(shop.assets["orders"]) == {}
    assert len(graph) == 1


def test_among_is_where_relations_may_look_further() -> None:
    shop = source_of("shop", of("orders"), of("other"))
    report = of("report", "shop.orders")()
    graph = AssetGraph(report, among=[shop])

    assert (keys(graph), list(graph.read_only)) == (["report"], ["shop.orders"])


def test_an_optional_upstream_that_is_not_there_is_left_out() -> None:
    @asset
    def report(orders: Upstream | None) -> list[dict[str, Any]]:
        return []

    made = report()
    assert AssetGraph(made).inputs(made) == {"orders": ()}


def test_a_relation_to_a_class_of_asset_finds_its_instance() -> None:
    orders = of("orders")
    shop = source_of("shop", orders)

    @asset(relations={"raw": orders})
    def report(raw: Upstream) -> list[dict[str, Any]]:
        return []

    made = report()
    graph = AssetGraph(made, among=[shop])

    assert [up.qualified_key for up in graph.upstreams(made)] == ["shop.orders"]
    with pytest.raises(AssetNotFoundError, match="reads 'orders', which is not there"):
        AssetGraph(made)


def test_a_cycle_is_named() -> None:
    with pytest.raises(CircularDependencyError, match=r"shop\.\w -> shop\.\w -> shop\.\w -> shop\.\w"):
        AssetGraph(source_of("shop", of("a", "b"), of("b", "c"), of("c", "a")))


def test_an_asset_that_reads_itself_is_refused() -> None:
    with pytest.raises(CircularDependencyError, match=r"asset 'shop.a': parameter 'a' asks for the asset's own result"):
        AssetGraph(source_of("shop", of("a", "a")))


def test_the_same_key_twice_is_refused() -> None:
    shop = source_of("shop", of("a"))
    with pytest.raises(GraphError, match=r"'shop\.a' is there twice"):
        AssetGraph(shop(), shop())


DAILY = TimePartitionConfig(column="day")
BERLIN = TimePartitionConfig(column="day", timezone="Europe/Berlin")
HOURLY = TimePartitionConfig(column="at", granularity="hour")


def test_an_unpartitioned_asset_reading_a_partitioned_one_is_refused() -> None:
    with pytest.raises(
        GraphError, match=r"asset 'b': reads 'a', which is partitioned by day in UTC, but itself is not"
    ):
        AssetGraph(of("a", partitioning=DAILY), of("b", "a"))


@pytest.mark.parametrize(("other", "said"), [(HOURLY, "hour in UTC"), (BERLIN, "day in Europe/Berlin")])
def test_another_granularity_or_zone_is_refused(other: TimePartitionConfig, said: str) -> None:
    with pytest.raises(GraphError, match=f"partitioned by day in UTC, but itself is partitioned by {said}"):
        AssetGraph(of("a", partitioning=DAILY), of("b", "a", partitioning=other))


def test_a_partitioned_asset_may_read_an_unpartitioned_one() -> None:
    assert len(AssetGraph(of("a"), of("b", "a", partitioning=DAILY))) == 2


def test_find_takes_the_qualified_key_or_a_bare_one_that_is_unique() -> None:
    graph = AssetGraph(source_of("shop", of("a"), of("b")), source_of("ads", of("a")), of("a"))

    assert graph.find("shop.a").qualified_key == "shop.a"
    assert graph.find("b").qualified_key == "shop.b"
    assert graph.find("a").qualified_key == "a"
    with pytest.raises(AssetNotFoundError, match=r"no asset is called 'shop.c'; did you mean 'shop.[ab]'"):
        graph.find("shop.c")
    with pytest.raises(AssetNotFoundError, match="several assets are called 'a'"):
        AssetGraph(source_of("shop", of("a")), source_of("ads", of("a"))).find("a")


def test_select_keeps_the_order_of_the_graph() -> None:
    graph = AssetGraph(source_of("shop", of("a", "b"), of("b")))

    assert [one.key for one in graph.select(["a", "shop.b"])] == ["b", "a"]
    assert [one.key for one in graph.select(None)] == ["b", "a"]
    with pytest.raises(AssetNotFoundError):
        graph.select(["nosuch"])


def test_what_is_read_only_cannot_be_selected() -> None:
    graph = AssetGraph(of("report", "shop.orders"), among=[source_of("shop", of("orders"))])

    with pytest.raises(AssetNotFoundError, match=r"shop\.orders is only read here"):
        graph.select(["shop.orders"])


def test_an_asset_of_another_graph_has_no_inputs_here() -> None:
    with pytest.raises(AssetNotFoundError, match="asset 'b': is not part of the graph"):
        AssetGraph(of("a")).inputs(of("b")())


def test_a_graph_changes_no_component() -> None:
    shop = source_of("shop", of("a", "b"), of("b"))()
    AssetGraph(shop)

    assert shop.assets["a"].bound("b") == ()


def test_a_chain_of_a_thousand_assets_builds_in_a_second() -> None:
    shop = source_of("shop", *[of(f"a{n:04}", *([f"a{n - 1:04}"] if n else [])) for n in range(999, -1, -1)])()
    started = time.process_time()
    graph = AssetGraph(shop)
    seconds = time.process_time() - started

    assert keys(graph) == [f"shop.a{n:04}" for n in range(1000)]
    assert seconds < 1


def test_a_copy_of_an_asset_reads_what_it_was_bound_to() -> None:
    shop = source_of("shop", of("a", "b"), of("b"))()
    other = of("b")()
    rewired = shop.assets["a"](b=other)

    assert AssetGraph(rewired).inputs(rewired) == {"b": (other,)}
    assert dt.date.max


def test_a_parameter_that_no_worker_could_fill_is_told_when_the_graph_is_built() -> None:
    @asset(relations={"store": Relation("destination")})
    def copy(store: Destination) -> list[dict[str, Any]]:
        return []

    with pytest.raises(GraphError, match="asset 'copy': parameter 'store' needs a destination, but none is bound"):
        AssetGraph(copy)
    assert len(AssetGraph(copy(store=MemoryDestination()))) == 1


@pytest.mark.parametrize("length", [2_000, pytest.param(20_000, marks=pytest.mark.full)])
def test_a_long_chain_is_no_recursion_in_either_order(length: int) -> None:
    links = [of(f"a{n:05}", *([f"a{n - 1:05}"] if n else []))() for n in range(length)]

    started = time.process_time()
    forth, back = AssetGraph(*links), AssetGraph(*reversed(links))
    seconds = time.process_time() - started

    assert keys(forth) == keys(back) == [link.key for link in links]
    assert seconds < length / 1000


def test_a_long_cycle_is_named_and_no_recursion() -> None:
    ring = [of(f"a{n:04}", f"a{(n - 1) % 3_000:04}")() for n in range(3_000)]

    with pytest.raises(CircularDependencyError, match="a0000 -> a0001 -> a0002") as caught:
        AssetGraph(*ring)
    assert caught.value.what.count("->") == 3_000


def test_a_declared_column_that_a_destination_cannot_hold_is_told_when_the_graph_is_built() -> None:
    class Narrow(Destination):
        type_map: ClassVar[TypeMap] = TypeMap(refused={"list": "it has no arrays"})

    class Tagged(Schema):
        tags: list[str]

    wide, narrow = of("a", schema=Tagged)(destinations=MemoryDestination()), of("b", schema=Tagged)

    assert AssetGraph(wide).assets
    with pytest.raises(
        ConfigError, match=r"asset 'b': column 'tags' of type list\[str\] cannot be stored in .* no arrays"
    ):
        AssetGraph(wide, narrow(destinations=[MemoryDestination(), Narrow()]))


REGION = ListPartitionConfig(["us", "eu"], column="region")
BY_DAY = TimePartitionConfig(column="day")
BOTH = MultiPartitionConfig(BY_DAY, REGION)


@pytest.mark.parametrize(
    ("reader", "upstream", "fits"),
    [
        (REGION, ListPartitionConfig(["us", "eu"], column="area", allow_window=True), True),
        (REGION, ListPartitionConfig(["eu", "us"], column="region"), False),
        (REGION, None, True),
        (None, REGION, False),
        (BOTH, MultiPartitionConfig(BY_DAY, REGION, allow_window=True), True),
        (BOTH, BY_DAY, False),
        (BY_DAY, BOTH, False),
        (BOTH, REGION, False),
        (BOTH, None, True),
        (BOTH, MultiPartitionConfig(REGION, BY_DAY), False),
    ],
)
def test_lists_and_several_dimensions_are_read_only_where_they_are_the_same(
    reader: Any, upstream: Any, fits: bool
) -> None:
    class Pair(Source):
        @asset(partitioning=upstream)
        def first(self): ...

        @asset(partitioning=reader)
        def second(self, first: Upstream): ...

    if fits:
        assert list(AssetGraph(Pair()).assets) == ["pair.first", "pair.second"]
        return
    with pytest.raises(GraphError, match="which is partitioned by") as caught:
        AssetGraph(Pair())
    assert "give both the same partitioning" in caught.value.fix
