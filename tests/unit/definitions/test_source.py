"""Assets of a source: collecting, narrowing, copying."""

import copy
from typing import Any

import pytest

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.decorators import asset
from airflow_provider.definitions.graph import AssetGraph
from airflow_provider.definitions.relation import Relation
from airflow_provider.definitions.resource import Config
from airflow_provider.definitions.source import Source
from airflow_provider.definitions.upstream import Upstream
from airflow_provider.destinations.memory import MemoryDestination
from airflow_provider.errors import ConfigError, DefinitionError, GraphError


class Budget(Config):
    limit: int = 5


class Shop(Source):
    region: str = "eu"
    budget: Budget | None

    @asset
    def users(self) -> list[dict[str, Any]]:
        return [{"n": 1}]

    @asset(key="sales")
    def orders(self, users: Upstream) -> list[dict[str, Any]]:
        return users.rows


def test_assets_are_reached_by_name_and_by_key() -> None:
    shop = Shop()

    assert list(shop.assets) == ["users", "sales"]
    assert shop.orders is shop.sales is shop.assets["sales"] is shop.sibling("sales")
    assert issubclass(Shop.users, Asset)
    assert Shop.asset_types == (Shop.users, Shop.orders)
    assert shop.sibling("nosuch") is None


def test_each_instance_has_assets_of_its_own() -> None:
    one, other = Shop(), Shop()

    assert one.users is not other.users
    assert one.users.source is one
    one.assets.clear()
    assert list(one.assets) == ["users", "sales"]


def test_a_subclass_adds_and_replaces_assets() -> None:
    class Bigger(Shop):
        @asset
        def users(self) -> list[dict[str, Any]]:
            return [{"n": 2}]

        @asset
        def returns(self) -> list[dict[str, Any]]:
            return []

    assert list(Bigger().assets) == ["users", "sales", "returns"]
    assert Bigger().users.run() == [{"n": 2}]
    assert Shop().users.run() == [{"n": 1}]


def test_a_mixin_that_is_no_source_may_hold_assets() -> None:
    class WithUsers:
        @asset
        def users(self) -> list[dict[str, Any]]:
            return [{"n": 3}]

    class Small(WithUsers, Source):
        pass

    assert Small().users.run() == [{"n": 3}]


def test_narrowing_with_overrides() -> None:
    memory = MemoryDestination()
    shop = Shop(assets={"users": {"dataset": "own", "destinations": memory}})

    assert list(shop.assets) == ["users"]
    assert (shop.users.dataset, shop.users.destinations) == ("own", [memory])
    with pytest.raises(AttributeError, match="was narrowed to users; 'sales' is not in it"):
        _ = shop.orders


@pytest.mark.parametrize("named", [["users"], ("users",), {"users": None}, {"users": {}}])
def test_narrowing_without_overrides(named: Any) -> None:
    assert list(Shop(assets=named).assets) == ["users"]


@pytest.mark.parametrize("named", [["nosuch"], {"nosuch": {}}, ["users", "nosuch"]])
def test_names_of_no_asset_are_refused(named: Any) -> None:
    with pytest.raises(DefinitionError, match="which the source does not have") as caught:
        Shop(assets=named)
    assert caught.value.fix == "name some of users, sales"


def test_an_override_that_no_asset_takes_is_refused() -> None:
    with pytest.raises(DefinitionError, match=r"got unexpected keyword argument\(s\): colour"):
        Shop(assets={"users": {"colour": "red"}})


def test_the_order_of_narrowing_does_not_matter() -> None:
    assert list(Shop(assets=["sales", "users"]).assets) == ["users", "sales"]


@pytest.mark.parametrize(
    "key", ["copy", "json", "assets", "destinations", "dataset", "enabled", "retry", "id", "label", "table", "_assets"]
)
def test_an_asset_key_that_means_something_on_the_source_is_refused(key: str) -> None:
    def data(self: Any) -> list[dict[str, Any]]:
        return []

    for definition in (asset(key=key)(data), asset(data)):
        body = {"__module__": __name__, "__qualname__": "Wrong", (key if definition.key == "data" else "x"): definition}
        with pytest.raises(DefinitionError, match=f"asset key '{key}' is taken by the source itself"):
            type(Source)("Wrong", (Source,), body)


def test_an_asset_key_that_is_a_field_or_method_of_this_source_is_refused() -> None:
    with pytest.raises(DefinitionError, match="asset key 'region' is taken by the source itself"):

        class Wrong(Source):
            region: str = "eu"

            @asset(key="region")
            def regions(self) -> list[dict[str, Any]]:
                return []

    with pytest.raises(DefinitionError, match="asset key 'helper' is taken by the source itself"):

        class AlsoWrong(Source):
            def helper(self) -> int:
                return 1

            @asset(key="helper")
            def help_me(self) -> list[dict[str, Any]]:
                return []


def test_an_asset_may_be_called_run() -> None:
    class Sports(Source):
        @asset
        def run(self) -> list[dict[str, Any]]:
            return [{"km": 5}]

    assert Sports().run.run() == [{"km": 5}]


def test_two_assets_of_one_key_are_refused() -> None:
    with pytest.raises(DefinitionError, match="asset key 'users' is taken twice"):

        class Wrong(Source):
            @asset
            def users(self) -> list[dict[str, Any]]:
                return []

            @asset(key="users")
            def people(self) -> list[dict[str, Any]]:
                return []


def test_one_asset_may_have_two_names() -> None:
    class Aliased(Source):
        @asset
        def users(self) -> list[dict[str, Any]]:
            return []

        people = users

    made = Aliased()
    assert list(made.assets) == ["users"]
    assert made.people is made.users


def test_a_copy_has_copies_of_the_assets_and_shares_what_is_outside() -> None:
    memory, budget = MemoryDestination(), Budget()
    shop = Shop(destinations=memory, budget=budget)
    shop.users.dataset = "own"
    shop.orders.users = shop.users

    other = shop(region="us")

    assert (other.id, other.region, shop.region) == (shop.id, "us", "eu")
    assert other.users is not shop.users
    assert (other.users.id, other.users.dataset, other.users.source) == (shop.users.id, "own", other)
    assert other.orders.bound("users") == (other.users,)
    assert shop.orders.bound("users") == (shop.users,)
    assert other.destinations == [memory]
    assert other.budget is budget

    other.users.dataset = "changed"
    assert shop.users.dataset == "own"


def test_a_copy_of_a_narrowed_source_is_narrowed() -> None:
    assert list(Shop(assets=["users"])(region="us").assets) == ["users"]


def test_the_assets_of_a_copy_cannot_be_changed() -> None:
    with pytest.raises(DefinitionError, match="has no field or relation named: assets"):
        Shop()(assets=["users"])


def test_a_deep_copy_stands_alone() -> None:
    shop = Shop(region="us")
    other = copy.deepcopy(shop)

    assert (other.region, other.users.source) == ("us", other)
    assert other.users is not shop.users


def test_the_table_of_an_asset_is_its_key() -> None:
    assert Shop().orders.table == "sales"


def test_fields_without_a_value_fill_no_dataset() -> None:
    class Maybe(Source):
        region: str | None = None

    with pytest.raises(ConfigError, match="which is None of the source"):
        Maybe(dataset="lake_{region}")


def test_the_environment_is_left_for_the_worker() -> None:
    assert Shop().fill("{region}_{env.STAGE}") == "eu_{env.STAGE}"


class Ads(Source):
    """One source per advertising account."""

    discriminator = "account"
    account: str | None = None

    @asset
    def campaigns(self) -> list[dict[str, Any]]:
        return [{"account": self.account}]

    @asset
    def spend(self, campaigns: Upstream) -> list[dict[str, Any]]:
        return campaigns.rows


def test_a_discriminator_tells_instances_of_one_source_apart() -> None:
    ads = Ads(account="ACT-42/../x")

    assert (ads.instance_key, ads.key, ads.qualified_key) == ("ads__act_42_x", "ads", "ads__act_42_x")
    assert (ads.campaigns.qualified_key, ads.campaigns.table) == ("ads__act_42_x.campaigns", "campaigns__act_42_x")
    assert tuple(ads.campaigns.identity) == ("ads__act_42_x", "campaigns")
    assert (ads.dataset, ads.campaigns.dataset) == ("ads", "ads")
    assert ads.campaigns.uri == "x-asset://ads__act_42_x/campaigns"
    assert ads(account="other").campaigns.table == "campaigns__other"
    assert Shop().instance_key == "shop"


def test_instances_side_by_side_are_one_graph_each_with_its_own_siblings() -> None:
    one, two = (Ads(account=account, destinations=MemoryDestination()) for account in ("one", "two"))

    @asset(relations={"legs": Relation("asset", "ads.spend"), "first": Relation("asset", "ads__one.spend")})
    def total(legs: list[Upstream], first: Upstream) -> list[dict[str, Any]]:
        return [*first.rows, *[row for leg in legs for row in leg.rows]]

    made = total()
    graph = AssetGraph(one, two, made)
    assert list(graph.inputs(two.spend).values()) == [(two.campaigns,)]
    assert graph.inputs(made) == {"legs": (one.spend, two.spend), "first": (one.spend,)}
    assert graph.materialize().is_success
    assert made.run(dag=graph) == [{"account": "one"}, {"account": "one"}, {"account": "two"}]


def test_a_relation_that_takes_one_needs_the_instance_named() -> None:
    one, two = Ads(account="one"), Ads(account="two")

    @asset(relations={"spend": Relation("asset", "ads.spend")})
    def total(spend: Upstream) -> list[dict[str, Any]]:
        return spend.rows

    with pytest.raises(GraphError, match=r"parameter 'spend' fits ads__one.spend, ads__two.spend"):
        AssetGraph(one, two, total)
    bound = total(spend=two.spend)
    assert AssetGraph(one, two, bound).inputs(bound) == {"spend": (two.spend,)}


def test_two_instances_of_one_account_are_one_too_many() -> None:
    with pytest.raises(GraphError, match=r"'ads__a_1.campaigns' is there twice"):
        AssetGraph(Ads(account="A-1"), Ads(account="a_1"))


@pytest.mark.parametrize("value", [None, "", "--", "{env.ACCOUNT}"])
def test_a_value_that_tells_nothing_apart_is_told_when_the_source_is_made(value: Any) -> None:
    with pytest.raises(ConfigError, match="source 'ads': the discriminator 'account' is"):
        Ads(account=value)


def test_a_discriminator_is_a_field() -> None:
    with pytest.raises(DefinitionError, match="discriminator='account' is no field of the source"):

        class Odd(Source):
            discriminator = "account"


@pytest.mark.parametrize("assets", ["users", [], {}, 3])
def test_narrowing_takes_a_list_or_a_dict_that_names_something(assets: Any) -> None:
    with pytest.raises(DefinitionError, match="narrows the source to nothing that has a name") as caught:
        Shop(assets=assets)
    assert "users, sales" in caught.value.fix
