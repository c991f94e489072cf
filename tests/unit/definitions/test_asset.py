"""The three forms of an asset, its settings, and what it inherits."""

import asyncio
import datetime as dt
from typing import Any

import pytest

from airflow_provider.definitions.asset import Asset, to_identifier
from airflow_provider.definitions.decorators import asset, source
from airflow_provider.definitions.graph import AssetGraph
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.definitions.relation import Relation
from airflow_provider.definitions.resource import Config
from airflow_provider.definitions.retry import RetryPolicy
from airflow_provider.definitions.source import Source
from airflow_provider.definitions.upstream import Upstream
from airflow_provider.destinations.csv import CSVDestination
from airflow_provider.destinations.memory import MemoryDestination
from airflow_provider.destinations.parquet import ParquetDestination
from airflow_provider.errors import AssetError, ConfigError, DefinitionError
from airflow_provider.partitioning import TimePartitionConfig, TimePartitionWindow
from airflow_provider.schema import MaterializationStrategy, Normalizer, Schema

ROWS = [{"n": 1}, {"n": 2}]


def _nothing() -> list[dict[str, Any]]:
    return []


def method_form() -> Asset:
    @source
    class Shop(Source):
        @asset
        def users(self) -> list[dict[str, Any]]:
            assert isinstance(self, Source)
            return ROWS

    return Shop().users


def async_method_form() -> Asset:
    @source
    class Shop(Source):
        @asset
        async def users(self) -> list[dict[str, Any]]:
            await asyncio.sleep(0)
            return ROWS

    return Shop().users


def function_form() -> Asset:
    @asset
    def users() -> list[dict[str, Any]]:
        return ROWS

    return users()


def async_function_form() -> Asset:
    @asset
    async def users() -> list[dict[str, Any]]:
        await asyncio.sleep(0)
        return ROWS

    return users()


def class_form() -> Asset:
    class Users(Asset):
        def data(self, **kwargs: Any) -> list[dict[str, Any]]:
            assert kwargs == {}
            return self.rows()

        def rows(self) -> list[dict[str, Any]]:
            return ROWS

    return Users()


def async_class_form() -> Asset:
    class Users(Asset):
        async def data(self) -> list[dict[str, Any]]:
            await asyncio.sleep(0)
            return ROWS

    return Users()


def generator_form() -> Asset:
    @asset
    def users() -> Any:
        yield from ROWS

    return users()


def async_generator_form() -> Asset:
    @asset
    async def users() -> Any:
        for row in ROWS:
            await asyncio.sleep(0)
            yield row

    return users()


def plain_class_form() -> Asset:
    @asset
    class Users:
        def data(self) -> list[dict[str, Any]]:
            return ROWS

    return Users()


FORMS = [
    method_form, async_method_form, function_form, async_function_form, class_form, async_class_form,
    generator_form, async_generator_form, plain_class_form,
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_an_asset_gives_its_rows(form: Any) -> None:
    """A006: method, function and class make one kind of thing."""
    made = form()

    assert made.key == "users"
    assert made.run() == ROWS
    assert asyncio.run(made.run_async()) == ROWS


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_an_asset_can_be_stored(form: Any) -> None:
    made = form()(destinations=MemoryDestination())

    assert made.materialize() == ROWS
    assert asyncio.run(made.materialize_async()) == ROWS


def test_the_first_parameter_of_a_method_is_the_source() -> None:
    """A013."""

    @source
    class Shop(Source):
        region: str = "eu"

        @asset
        def users(self) -> list[dict[str, Any]]:
            return [{"region": self.region}]

    assert Shop(region="us").users.run() == [{"region": "us"}]


def test_the_first_parameter_of_a_class_form_is_the_asset() -> None:
    class Users(Asset):
        size: int = 1

        def data(self) -> list[dict[str, Any]]:
            return [{"n": n} for n in range(self.size)]

    assert Users(size=2).run() == [{"n": 0}, {"n": 1}]


def test_source_and_context_are_given_by_name() -> None:
    """A025, A026."""

    @source
    class Shop(Source):
        @asset
        def users(self, source: Source, ctx: Any) -> list[dict[str, Any]]:
            return [{"same": self is source, "key": ctx.asset.key}]

    assert Shop().users.run() == [{"same": True, "key": "users"}]


def test_a_subclass_that_overrides_data_runs_its_own() -> None:
    @asset
    def users() -> list[dict[str, Any]]:
        return ROWS

    class Better(users):  # type: ignore[misc, valid-type]
        def data(self) -> list[dict[str, Any]]:
            return [{"n": 3}]

    assert Better().run() == [{"n": 3}]


def test_a_subclass_without_data_runs_what_it_inherits() -> None:
    @asset
    def users() -> list[dict[str, Any]]:
        return ROWS

    class Again(users):  # type: ignore[misc, valid-type]
        """The same."""

    assert Again().run() == ROWS
    assert Again.key == "again"


def test_an_asset_without_data_says_so() -> None:
    class Users(Asset):
        pass

    with pytest.raises(AssetError, match=r"asset 'users': defines no data\(\)"):
        Users().data()


def test_identity_names_source_and_key() -> None:
    assert tuple(method_form().identity) == ("shop", "users")
    assert tuple(function_form().identity) == ("", "users")
    assert method_form().qualified_key == "shop.users"
    assert method_form().uri == "x-asset://shop/users"


def test_the_table_is_a_lower_case_identifier() -> None:
    assert to_identifier("ACT-42/../x") == "act_42_x"
    assert asset(key="AdsStats")(_nothing).key == "AdsStats"
    assert asset(key="AdsStats")(_nothing)().table == "adsstats"


def test_the_docstring_is_the_description() -> None:
    """A009."""

    @asset
    def users() -> list[dict[str, Any]]:
        """People.

        Who buy.
        """
        return ROWS

    assert users.description == "People.\n\nWho buy."


class Two(Source):
    """A source of two assets, one with settings of its own."""

    region: str = "eu"

    @asset
    def plain(self) -> list[dict[str, Any]]:
        return ROWS

    @asset(dataset="own_{region}", materialization_strategy="strict")
    def special(self) -> list[dict[str, Any]]:
        return ROWS


def test_unset_settings_are_read_through_the_source_on_every_read() -> None:
    """A080."""
    two = Two(dataset="lake", normalizer=Normalizer(), default_destination_key="csv_destination", retry=RetryPolicy(7))

    assert two.plain.dataset == "lake"
    assert two.plain.normalizer is two.normalizer
    assert two.plain.default_destination_key == "csv_destination"
    assert two.plain.retry == RetryPolicy(7)
    assert two.plain.strategy is MaterializationStrategy.RECONCILE
    assert two.special.strategy is MaterializationStrategy.STRICT

    two.dataset, two.materialization_strategy, two.normalizer = "swamp", "strict", None

    assert two.plain.dataset == "swamp"
    assert two.plain.strategy is MaterializationStrategy.STRICT
    assert two.plain.normalizer is None


def test_none_and_empty_text_inherit_again() -> None:
    """A079."""
    two = Two(dataset="lake", default_destination_key="a")
    two.plain.dataset, two.plain.default_destination_key = "own", "b"
    assert (two.plain.dataset, two.plain.default_destination_key) == ("own", "b")

    two.plain.dataset, two.plain.default_destination_key = None, ""

    assert (two.plain.dataset, two.plain.default_destination_key) == ("lake", "a")


def test_an_asset_runs_only_while_its_source_is_enabled_too() -> None:
    two = Two()
    assert two.plain.enabled is True

    two.enabled = False
    assert two.plain.enabled is False

    two.enabled, two.plain.enabled = True, False
    assert two.plain.enabled is False
    assert two.special.enabled is True
    assert two.plain.materialize() is None


def test_the_dataset_is_the_sources_key_when_nothing_else_is_said() -> None:
    assert Two().plain.dataset == "two"
    assert function_form().dataset is None


def test_fields_of_the_source_fill_the_dataset() -> None:
    two = Two(region="us", dataset="lake_{region}")

    assert two.dataset == "lake_us"
    assert two.plain.dataset == "lake_us"
    assert two.special.dataset == "own_us"

    two.region = "asia"
    assert two.special.dataset == "own_asia"


def test_a_value_that_makes_a_path_of_the_dataset_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"dataset 'lake_\{region\}' becomes 'lake_\.\./x', which is not a name"):
        Two(region="../x", dataset="lake_{region}")


def test_environment_variables_stay_in_the_dataset_until_it_is_used() -> None:
    assert Two(dataset="lake_{env.STAGE}").plain.dataset == "lake_{env.STAGE}"


@pytest.mark.parametrize("name", ["dataset", "id", "nosuch"])
def test_a_template_that_nothing_fills_fails_when_the_source_is_made(name: str) -> None:
    with pytest.raises(ConfigError, match=f"names {{{name}}}, which is no field of the source"):
        Two(dataset=f"lake_{{{name}}}")
    with pytest.raises(ConfigError, match=f"names {{{name}}}, which is no field of the source"):
        Two(assets={"plain": {"dataset": f"lake_{{{name}}}"}})


def test_a_template_needs_a_source() -> None:
    with pytest.raises(ConfigError, match="it has no source"):
        _ = function_form()(dataset="lake_{region}").dataset


@pytest.mark.parametrize("dataset", ["../escape", "a/b", "/etc", "a\\b", "..", ".", "a b", "ends."])
def test_a_dataset_that_is_a_path_is_refused(dataset: str) -> None:
    with pytest.raises(ConfigError, match="is not a name"):
        function_form()(dataset=dataset)
    with pytest.raises(ConfigError, match="is not a name"):
        Two(dataset=dataset)
    with pytest.raises(ConfigError, match="is not a name"):
        asset(key="users", dataset=dataset)(_nothing)


def test_the_default_destination_is_the_one_named_else_the_first(tmp_path: Any) -> None:
    csv, parquet = CSVDestination(base_path=tmp_path), ParquetDestination(base_path=tmp_path)
    users = function_form()(destinations=[csv, parquet])

    assert users.default_destination is csv
    assert users(default_destination_key="parquet_destination").default_destination is parquet
    assert users(default_destination_key="nosuch").default_destination is csv


def test_without_a_destination_there_is_no_default_one() -> None:
    with pytest.raises(AssetError, match="asset 'users': has no destination"):
        _ = function_form().default_destination


def test_row_counts_come_from_the_default_destination() -> None:
    @asset(partitioning=TimePartitionConfig(column="day", allow_window=True))
    def users() -> list[dict[str, Any]]:
        return [{"day": dt.date(2026, 3, 1)}, {"day": dt.date(2026, 3, 2)}, {"day": dt.date(2026, 3, 2)}]

    made = users(destinations=MemoryDestination())
    made.materialize(window=TimePartitionWindow(dt.date(2026, 3, 1), dt.date(2026, 3, 2)))

    assert made.partition_row_counts() == {"2026-03-01": 1, "2026-03-02": 2}


def test_row_counts_need_partitions_and_a_destination() -> None:
    """A123."""
    with pytest.raises(ConfigError, match="is not partitioned"):
        function_form().partition_row_counts()

    @asset(partitioning=TimePartitionConfig(column="day"))
    def users() -> list[dict[str, Any]]:
        return []

    with pytest.raises(AssetError, match="has no destination"):
        users().partition_row_counts()


def test_a_reconfigured_copy_leaves_the_original_alone() -> None:
    users = function_form()(dataset="shop", normalizer=Normalizer())

    read_only = users(enabled=False)
    bare = users(normalizer=None)

    assert (users.enabled, read_only.enabled) == (True, False)
    assert read_only.dataset == "shop"
    assert (users.normalizer is None, bare.normalizer is None) == (False, True)
    assert read_only.id == users.id


def test_a_copy_of_a_sources_asset_inherits_still() -> None:
    two = Two(dataset="lake")
    copy = two.special(dataset=None)

    assert (copy.dataset, two.special.dataset) == ("lake", "own_eu")
    assert copy.source is two


def test_no_destination_just_returns_the_data() -> None:
    assert function_form().materialize() == ROWS


def test_relations_must_fit_the_function() -> None:
    class Setting(Config):
        size: int = 1

    with pytest.raises(DefinitionError, match="names orders, but the function has no such parameter"):
        asset(relations={"orders": Setting})(_nothing)

    def users(orders: Upstream) -> list[dict[str, Any]]:
        return []

    with pytest.raises(DefinitionError, match="takes an asset, not the config"):
        asset(relations={"orders": Setting})(users)


def test_a_schema_that_cannot_hold_the_partition_column_is_refused() -> None:
    daily = TimePartitionConfig(column="day")

    def declare(**columns: Any) -> Any:
        return asset(partitioning=daily, schema=Schema.from_fields("Row", columns))(function())

    def function() -> Any:
        def orders() -> Any: ...

        return orders

    assert declare(day=dt.date, n=int).key == "orders"
    with pytest.raises(DefinitionError, match="schema 'Row' has no partition column 'day'"):
        declare(n=int)
    for wrong in (float, bool, list[int]):
        with pytest.raises(DefinitionError, match="partition column 'day' is a"):
            declare(day=wrong)


def test_relations_are_keywords_of_the_constructor() -> None:
    """A074, A081: every relation is a keyword; a many-valued one takes instances of several sources."""

    class Limits(Config):
        top: int = 1

    class Facebook(Source):
        @asset
        def campaigns(self) -> list[dict[str, Any]]:
            return [{"n": 1}]

    class Tiktok(Facebook):
        pass

    @asset(relations={"campaigns": Relation("asset", "*.campaigns")})
    def spend(limits: Limits, campaigns: list[Upstream], rates: Upstream | None = None) -> list[dict[str, Any]]:
        return [
            {"top": limits.top, "source": one.asset.source.key, "n": row["n"], "rates": rates}
            for one in campaigns
            for row in one.rows
        ]

    memory = MemoryDestination()
    fb, tt = Facebook(destinations=memory), Tiktok(destinations=memory)
    for one in (fb, tt):
        one.campaigns.materialize()
    made = spend(limits=Limits(top=3), campaigns=[fb.campaigns, tt.campaigns], destinations=memory)

    assert (made.campaigns, made.destinations) == ([fb.campaigns, tt.campaigns], [memory])
    assert made.materialize() == [
        {"top": 3, "source": "facebook", "n": 1, "rates": None}, {"top": 3, "source": "tiktok", "n": 1, "rates": None},
    ]  # fmt: skip


def test_an_optional_upstream_that_is_not_bound_is_none() -> None:
    """A030: by ``| None`` or by ``= None``, alone and in a graph."""

    @asset
    def report(one: Upstream | None, other: Upstream = None) -> list[dict[str, Any]]:  # type: ignore[assignment]
        return [{"one": one, "other": other}]

    assert report().run() == [{"one": None, "other": None}]
    made = report()
    assert made.run(dag=AssetGraph(made)) == [{"one": None, "other": None}]


def test_a_frame_is_a_table_without_any_further_package(tmp_path: Any) -> None:
    """A016, A017: pandas comes with the core."""
    import pandas as pd

    @asset(schema=Schema.from_fields("Rows", {"n": int}))
    def users() -> Any:
        return pd.DataFrame({"n": [1, 2]})

    made = users(destinations=CSVDestination(base_path=str(tmp_path)))

    assert isinstance(made.materialize(), pd.DataFrame)
    assert made.default_destination.read(IOContext(made, None, {}, made.schema)).to_pylist() == ROWS


@pytest.mark.parametrize("value", [3, "text", {1, 2}, (1, 2), b"x", range(3), object()])
def test_any_value_may_be_returned_and_comes_back_as_it_is(value: Any) -> None:
    """A014, A022."""

    def users() -> Any:
        return value

    assert asset(users)().run() is value
