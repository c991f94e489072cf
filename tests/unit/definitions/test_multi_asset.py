"""Several assets of one function: what each output is, what is inherited, and what is refused when it is defined."""

import datetime as dt
from typing import Any, ClassVar

import pytest

import airflow_provider as ap
from airflow_provider.definitions.component import Component
from airflow_provider.errors import CircularDependencyError, DefinitionError, GraphError

DAILY = ap.TimePartitionConfig(column="day", allow_window=True)


class Line(ap.Schema):
    day: dt.date
    order_id: int


@ap.multi_asset(
    outputs=[
        ap.AssetDef("orders", description="Orders by day.", tags=["core"], on_empty="fail"),
        ap.AssetDef("lines", schema=Line, dataset="detail", stray_rows="drop"),
        ap.AssetDef("shops", partitioning=None, enabled=False),
    ],
    partitioning=DAILY,
    dataset="raw",
    retry=ap.RetryPolicy(max_attempts=2),
    tags=["feed"],
)
def shop_feed(context: ap.ExecutionContext) -> Any:
    """What the shop's feed says."""


def test_each_output_is_an_asset_of_its_own() -> None:
    store = ap.MemoryDestination()
    feed = shop_feed(destinations=store)

    assert list(feed.assets) == ["orders", "lines", "shops"]
    assert feed.orders is feed.assets["orders"]
    assert (feed.orders.key, feed.orders.qualified_key, feed.orders.table) == ("orders", "orders", "orders")
    assert (feed.orders.description, feed.orders.tags, feed.orders.on_empty) == ("Orders by day.", ["core"], "fail")
    assert (feed.lines.schema, feed.lines.stray_rows, feed.lines.on_empty) == (Line, "drop", "keep")
    assert (feed.orders.partitioning, feed.shops.partitioning) == (DAILY, None)
    assert (feed.orders.enabled, feed.shops.enabled) == (True, False)
    assert feed.description == "What the shop's feed says."
    assert {asset.computation for asset in feed.assets.values()} == {feed}


def test_what_an_output_leaves_out_is_read_through_the_multi_asset_and_its_source() -> None:
    one, other = ap.MemoryDestination(), ap.MemoryDestination()

    class Shop(ap.Source):
        feed = shop_feed

    shop = Shop(destinations=[one, other], default_destination_key="memory_destination")
    shop.feed.destinations = other
    shop.lines.destinations = one

    assert (shop.orders.dataset, shop.lines.dataset, shop.feed.dataset) == ("raw", "detail", "raw")
    assert (shop.orders.destinations, shop.lines.destinations) == ([other], [one])
    assert shop.orders.default_destination_key == "memory_destination"
    assert shop.orders.retry == ap.RetryPolicy(max_attempts=2)
    shop.feed.enabled = False
    assert not shop.orders.enabled


def test_a_field_of_the_source_is_filled_into_the_dataset_of_an_output() -> None:
    class Shop(ap.Source):
        region: str = "eu"

        @ap.multi_asset(outputs=["orders", ap.AssetDef("lines", dataset="{region}_lines")], dataset="{region}")
        def feed(self) -> Any: ...

    assert [asset.dataset for asset in Shop().assets.values()] == ["eu", "eu_lines"]

    class Other(ap.Source):
        @ap.multi_asset(outputs=[ap.AssetDef("orders", dataset="{nosuch}")])
        def feed(self) -> Any: ...

    with pytest.raises(ap.errors.ConfigError, match="which is no field"):
        Other()


def test_a_method_of_a_source_gives_its_assets_to_the_source() -> None:
    class Shop(ap.Source):
        @ap.asset
        def users(self) -> Any: ...

        @ap.multi_asset(outputs=["orders", "lines"])
        def feed(self, users: ap.Upstream) -> Any: ...

    shop = Shop()

    assert list(shop.assets) == ["users", "orders", "lines"]
    assert shop.feed is shop.multi_assets["feed"]
    assert (shop.orders.qualified_key, shop.feed.qualified_key) == ("shop.orders", "shop.feed")
    assert shop.orders.source is shop.feed.source is shop
    assert (Shop.feed, Shop.orders.key) == (Shop.asset_types[1], "orders")
    assert shop.orders.uri == "x-asset://shop/orders"
    assert (str(shop.feed.label), str(shop.orders.label)) == ("multi_asset 'shop.feed'", "asset 'shop.orders'")


@pytest.mark.parametrize("is_plain", [True, False])
def test_a_class_may_have_fields_and_data(is_plain: bool) -> None:
    class Plain:
        outputs: ClassVar = [ap.AssetDef("orders"), ap.AssetDef("lines")]
        limit: int = 3

        def data(self) -> Any:
            yield ap.Output("orders", [{"n": self.limit}])  # type: ignore[attr-defined]

    class Own(ap.MultiAsset):
        outputs = (ap.AssetDef("orders"), "lines")
        limit: int = 3

        def data(self) -> Any:
            yield ap.Output("orders", [{"n": self.limit}])

    made = ap.multi_asset(key="feed")(Plain)(limit=4) if is_plain else Own(limit=4)

    assert made.run() == {"orders": [{"n": 4}], "lines": []}
    assert (type(made).key, list(made.assets)) == ("feed" if is_plain else "own", ["orders", "lines"])


def test_a_copy_has_copies_of_the_outputs() -> None:
    feed = shop_feed(destinations=ap.MemoryDestination())
    feed.orders.enabled = False
    copy = feed(dataset="other")

    assert (copy.orders.dataset, feed.orders.dataset) == ("other", "raw")
    assert copy.orders is not feed.orders
    assert (copy.orders.id, copy.orders.enabled, copy.lines.computation) == (feed.orders.id, False, copy)


def test_a_copy_of_one_output_is_filled_by_the_same_function() -> None:
    feed = shop_feed()

    assert feed.orders(dataset="elsewhere").computation is feed


def test_a_source_is_narrowed_to_outputs_or_to_a_function() -> None:
    class Shop(ap.Source):
        @ap.asset
        def users(self) -> Any: ...

        @ap.multi_asset(outputs=["orders", "lines"])
        def feed(self) -> Any: ...

    some, all_of_it = Shop(assets={"orders": {"dataset": "x"}}), Shop(assets={"feed": {"dataset": "y"}, "lines": {}})

    assert (list(some.assets), list(some.feed.assets), some.orders.dataset) == (["orders"], ["orders"], "x")
    assert (list(all_of_it.assets), all_of_it.orders.dataset) == (["orders", "lines"], "y")
    assert list(Shop(assets=["users"]).multi_assets) == []
    with pytest.raises(AttributeError, match="narrowed to orders; 'lines' is not in it"):
        _ = some.lines
    with pytest.raises(AttributeError, match="narrowed to users; 'feed' is not in it"):
        _ = Shop(assets=["users"]).feed
    with pytest.raises(AttributeError, match="narrowed to orders; 'lines' is not in it"):
        _ = some.feed.lines
    with pytest.raises(DefinitionError, match="outputs= names nosuch, which the multi-asset does not have"):
        shop_feed(outputs=["nosuch"])
    with pytest.raises(DefinitionError, match="narrows the multi-asset to nothing"):
        shop_feed(outputs=[])


def test_a_copy_of_a_source_binds_its_own_assets() -> None:
    class Shop(ap.Source):
        @ap.asset
        def users(self) -> Any: ...

        @ap.multi_asset(outputs=["orders"])
        def feed(self, users: ap.Upstream) -> Any: ...

    shop = Shop()
    shop.feed.users = shop.users
    copy = shop()

    assert copy.feed.users is copy.users
    assert copy.orders.computation is copy.feed
    assert copy.orders.source is copy.feed.source is copy


def test_a_subclass_may_have_other_outputs_and_keeps_the_defaults_that_were_declared() -> None:
    class Base(ap.MultiAsset):
        outputs = (ap.AssetDef("orders", partitioning=DAILY),)

        def data(self) -> Any: ...

    class Other(Base):
        outputs = (ap.AssetDef("shops"),)

    assert (Base.partitioning, Other.partitioning) == (DAILY, None)
    assert list(Other().assets) == ["shops"]


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outputs", "said"),
    [
        ([], "has no outputs"),
        ("orders", "give a list of ap.AssetDef"),
        ([3], "give a list of ap.AssetDef"),
        (["orders", "orders"], "declares output 'orders' twice"),
        (["feed"], "has the key of the multi-asset itself"),
        (["dataset"], "is taken by the multi-asset itself"),
        (["materialize"], "is taken by the multi-asset itself"),
        (["two words"], "not a valid name"),
    ],
)
def test_outputs_that_cannot_be_are_refused(outputs: Any, said: str) -> None:
    with pytest.raises(DefinitionError) as caught:

        @ap.multi_asset(outputs=outputs)
        def feed() -> Any: ...

    assert said in str(caught.value)


def test_a_multi_asset_without_outputs_is_refused() -> None:
    with pytest.raises(DefinitionError, match="has no outputs"):

        @ap.multi_asset
        def feed() -> Any: ...

    with pytest.raises(DefinitionError, match="has no outputs"):
        ap.MultiAsset()


def test_an_option_that_is_none_is_refused() -> None:
    with pytest.raises(DefinitionError, match="unknown option 'schema'"):

        @ap.multi_asset(outputs=["orders"], schema=Line)
        def feed() -> Any: ...


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (ap.TimePartitionConfig(column="day"), "allow_window"),
        (ap.TimePartitionConfig(column="at", granularity="hour", allow_window=True), "granularity"),
        (ap.TimePartitionConfig(column="day", timezone="Asia/Tokyo", allow_window=True), "timezone"),
        (ap.TimePartitionConfig(column="day", start="2026-01-01", allow_window=True), "start"),
    ],
)
def test_outputs_whose_windows_differ_are_refused(other: Any, named: str) -> None:
    with pytest.raises(DefinitionError) as caught:

        @ap.multi_asset(outputs=[ap.AssetDef("orders"), ap.AssetDef("lines", partitioning=other)], partitioning=DAILY)
        def feed() -> Any: ...

    assert "outputs 'orders' and 'lines' differ in" in caught.value.what
    assert named in caught.value.what


def test_the_column_may_differ() -> None:
    ordered = ap.TimePartitionConfig(column="ordered_on", allow_window=True)

    @ap.multi_asset(outputs=[ap.AssetDef("orders", partitioning=ordered), ap.AssetDef("lines", partitioning=DAILY)])
    def feed() -> Any: ...

    assert feed.partitioning == ordered


def test_a_parameter_of_the_name_of_an_output_is_refused() -> None:
    with pytest.raises(DefinitionError, match="outputs of one function cannot read each other"):

        @ap.multi_asset(outputs=["orders", "lines"])
        def feed(orders: ap.Upstream) -> Any: ...


@pytest.mark.parametrize("key", ["orders", "users"])
def test_a_key_that_the_source_has_already_is_refused(key: str) -> None:
    with pytest.raises(DefinitionError, match=f"asset key '{key}' is taken twice"):

        class Shop(ap.Source):
            @ap.asset
            def users(self) -> Any: ...

            @ap.multi_asset(outputs=["orders", *({key} - {"orders"})])
            def feed(self) -> Any: ...

            @ap.multi_asset(outputs=["orders" if key == "orders" else "lines"])
            def other(self) -> Any: ...


def test_a_subclass_cannot_replace_one_output_alone() -> None:
    class Shop(ap.Source):
        @ap.multi_asset(outputs=["orders", "lines"])
        def feed(self) -> Any: ...

    with pytest.raises(DefinitionError, match="asset key 'orders' is taken twice"):

        class Special(Shop):
            @ap.asset
            def orders(self) -> Any: ...


def test_a_name_of_the_source_itself_is_refused() -> None:
    with pytest.raises(DefinitionError, match="'region' is taken by the source itself"):

        class Shop(ap.Source):
            region: str = "eu"

            @ap.multi_asset(outputs=["region"])
            def feed(self) -> Any: ...


def test_an_output_made_without_its_function_says_how_to_make_it() -> None:
    orphan = shop_feed.orders(destinations=ap.MemoryDestination())

    for act in (orphan.materialize, lambda: ap.AssetGraph(orphan)):
        with pytest.raises(ap.errors.AssetError, match="made without its multi-asset") as caught:
            act()
        assert "feed(destinations=...).orders" in caught.value.fix


def test_nothing_else_is_a_component_of_the_kind() -> None:
    @ap.asset
    def reader(feed: ap.Upstream) -> Any: ...

    assert issubclass(ap.MultiAsset, Component)
    with pytest.raises(ap.errors.ConfigError, match="takes an asset"):
        reader(feed=shop_feed())


# --- graphs ----------------------------------------------------------------------------------------------------------


def test_every_output_comes_after_what_the_function_reads() -> None:
    class Shop(ap.Source):
        @ap.multi_asset(outputs=["orders", "lines"])
        def feed(self, users: ap.Upstream) -> Any: ...

        @ap.asset
        def users(self) -> Any: ...

        @ap.asset
        def totals(self, lines: ap.Upstream) -> Any: ...

    graph = ap.AssetGraph(Shop())

    assert list(graph.assets) == ["shop.users", "shop.lines", "shop.orders", "shop.totals"]
    assert [up.key for up in graph.upstreams(graph.find("orders"))] == ["users"]
    assert graph.inputs(graph.find("orders")) == graph.inputs(graph.find("orders").computation)  # type: ignore[arg-type]
    assert [asset.key for asset in graph.select(["feed"])] == ["lines", "orders"]
    assert [asset.key for asset in graph.select(["shop.feed", "users"])] == ["users", "lines", "orders"]


def test_a_cycle_through_the_function_is_found() -> None:
    class Shop(ap.Source):
        @ap.multi_asset(outputs=["orders", "lines"])
        def feed(self, users: ap.Upstream) -> Any: ...

        @ap.asset
        def users(self, lines: ap.Upstream) -> Any: ...

    with pytest.raises(CircularDependencyError, match=r"shop\.lines -> shop\.users -> shop\.lines|shop\.users"):
        ap.AssetGraph(Shop())


@pytest.mark.parametrize("key", ["orders", "shop.lines"])
def test_a_function_that_reads_its_own_output_is_found(key: str) -> None:
    class Shop(ap.Source):
        @ap.multi_asset(outputs=["orders", "lines"], relations={"before": ap.Relation("asset", key)})
        def feed(self, before: ap.Upstream) -> Any: ...

    with pytest.raises(GraphError, match="the function's own result"):
        ap.AssetGraph(Shop())


def test_a_partitioning_that_does_not_fit_an_upstream_is_found() -> None:
    class Shop(ap.Source):
        @ap.asset(partitioning=ap.TimePartitionConfig(column="at", granularity="hour"))
        def visits(self) -> Any: ...

        @ap.multi_asset(outputs=["orders"], partitioning=DAILY)
        def feed(self, visits: ap.Upstream) -> Any: ...

    with pytest.raises(GraphError, match=r"multi_asset 'shop\.feed': reads 'shop\.visits'"):
        ap.AssetGraph(Shop())


def test_two_functions_of_one_key_are_refused() -> None:
    @ap.multi_asset(outputs=["orders"], key="feed")
    def one() -> Any: ...

    @ap.multi_asset(outputs=["lines"], key="feed")
    def other() -> Any: ...

    @ap.asset
    def feed() -> Any: ...

    for second in (other(), feed()):
        with pytest.raises(GraphError, match="'feed' is there twice"):
            ap.AssetGraph(one(), second)


def test_two_outputs_in_one_place_are_refused() -> None:
    @ap.multi_asset(outputs=["orders", "Orders"])
    def feed() -> Any: ...

    with pytest.raises(GraphError, match="are both stored as 'orders'"):
        ap.AssetGraph(feed(destinations=ap.MemoryDestination()))


# --- deps ------------------------------------------------------------------------------------------------------------


def test_deps_are_edges_without_data() -> None:
    class Crm(ap.Source):
        @ap.asset(partitioning=ap.TimePartitionConfig(column="at", granularity="hour"))
        def app(self) -> Any: ...

    class Shop(ap.Source):
        @ap.multi_asset(outputs=[ap.AssetDef("orders", deps=[ap.AssetDef.dep("crm.app")]), "lines"], deps=["users"])
        def feed(self) -> Any: ...

        @ap.asset
        def users(self) -> Any: ...

        @ap.asset(deps=["orders"])
        def report(self) -> Any: ...

    graph = ap.AssetGraph(Shop(), Crm())

    assert [up.qualified_key for up in graph.upstreams(graph.find("lines"))] == ["shop.users", "crm.app"]
    assert graph.inputs(graph.find("lines")) == {}
    assert [up.qualified_key for up in graph.upstreams(graph.find("report"))] == ["shop.orders"]
    assert list(ap.AssetGraph(Shop(), among=[Crm()]).read_only) == ["crm.app"]


def test_deps_may_be_assets_and_definitions() -> None:
    @ap.asset
    def users() -> Any: ...

    @ap.asset
    def shops() -> Any: ...

    there = users()

    @ap.asset(deps=[there, shops])
    def report() -> Any: ...

    graph = ap.AssetGraph(report(), shops())

    assert [up.key for up in graph.upstreams(graph.find("report"))] == ["users", "shops"]
    assert list(graph.read_only) == ["users"]


def test_deps_that_cannot_be_are_refused() -> None:
    @ap.asset(deps=["nosuch"])
    def report() -> Any: ...

    class Shop(ap.Source):
        @ap.multi_asset(outputs=["orders", ap.AssetDef("lines", deps=["orders"])])
        def feed(self) -> Any: ...

    with pytest.raises(ap.errors.AssetNotFoundError, match="deps= names 'nosuch', which is not there"):
        ap.AssetGraph(report())
    with pytest.raises(CircularDependencyError, match="which the same function fills"):
        ap.AssetGraph(Shop())
    with pytest.raises(DefinitionError, match="deps="):

        @ap.asset(deps="orders")
        def other() -> Any: ...
