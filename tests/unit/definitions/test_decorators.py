"""Every option and channel of the decorators, on functions, subclasses and plain classes."""

import datetime as dt
import functools
import textwrap
from pathlib import Path
from typing import Any, ClassVar

import pytest

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.connection import Connection
from airflow_provider.definitions.decorators import asset, config, connection, destination, resource, source
from airflow_provider.definitions.destination import Destination
from airflow_provider.definitions.relation import Relation
from airflow_provider.definitions.resource import Config, Resource
from airflow_provider.definitions.retry import RetryPolicy
from airflow_provider.definitions.source import Source
from airflow_provider.definitions.task_options import TaskOptions
from airflow_provider.definitions.upstream import Upstream
from airflow_provider.destinations.csv import CSVDestination
from airflow_provider.destinations.memory import MemoryDestination
from airflow_provider.errors import AssetError, ConfigError, DefinitionError, SchemaError
from airflow_provider.partitioning import TimePartitionConfig
from airflow_provider.schema import MaterializationStrategy, Normalizer, Schema


class Ads(Schema):
    n: int


class DailyAds(Ads):
    day: dt.date


class Budget(Config):
    limit: int = 5


DAILY = TimePartitionConfig(column="day")


def test_every_option_of_an_asset_arrives() -> None:
    """A055: a Relation of a class, and one of kind and key."""
    retry, normalizer = RetryPolicy(2), Normalizer(flatten_max_level=1)

    @asset(
        key="ads_stats",
        name="Ads statistics",
        icon="carbon:chart-line",
        tags=["Report"],
        description="What ads cost.",
        schema=DailyAds,
        partitioning=DAILY,
        airflow=TaskOptions(pool="ads"),
        stray_rows="drop",
        on_empty="replace",
        code_version="7",
        relations={
            "destinations": [MemoryDestination],
            "limits": Relation(Budget),
            "users": Relation("asset", "crm.users"),
        },
        dataset="ads",
        default_destination_key="memory_destination",
        materialization_strategy=MaterializationStrategy.STRICT,
        normalizer=normalizer,
        retry=retry,
        enabled=False,
    )
    def stats(limits: Budget, users: Upstream) -> list[dict[str, Any]]:
        return []

    made = stats()
    assert (made.key, made.name, made.icon, made.tags) == (
        "ads_stats",
        "Ads statistics",
        "carbon:chart-line",
        ["Report"],
    )
    assert (made.description, made.schema, made.partitioning) == ("What ads cost.", DailyAds, DAILY)
    assert (made.stray_rows, made.on_empty, made.code_version) == ("drop", "replace", "7")
    assert made.airflow == TaskOptions(pool="ads")
    assert (made.dataset, made.default_destination_key, made.enabled) == ("ads", "memory_destination", False)
    assert (made.normalizer, made.retry, made.strategy) == (normalizer, retry, MaterializationStrategy.STRICT)
    assert stats.relations["destinations"].classes == (MemoryDestination,)
    assert stats.relations["users"].keys == ("crm.users",)


def test_the_bare_decorator_and_the_called_one_do_the_same() -> None:
    assert asset(_users).key == asset()(_users).key == "users"


def _users() -> list[dict[str, Any]]:
    return []


def test_the_key_is_the_snake_cased_name() -> None:
    """A008."""

    def usersReport() -> list[dict[str, Any]]:
        return []

    assert asset(usersReport).key == "users_report"


@pytest.mark.parametrize("decorate", [asset, source, destination, config, connection, resource])
def test_an_unknown_option_is_refused_and_the_known_ones_named(decorate: Any) -> None:
    """D012: a TypeError when the decorator runs."""

    class Thing:
        pass

    with pytest.raises(DefinitionError, match="unknown option 'colour'") as caught:
        decorate(colour="red")(Thing)
    assert "key" in caught.value.fix
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize("name", ["id", "kind"])
def test_what_no_option_is_is_refused(name: str) -> None:
    with pytest.raises(DefinitionError, match=f"unknown option '{name}'"):
        asset(**{name: "x"})(_users)


def test_destinations_are_bound_to_instances_not_given_to_the_decorator() -> None:
    with pytest.raises(DefinitionError, match=r"destinations= names a relation") as caught:
        asset(destinations=[CSVDestination])(_users)
    assert "relations={'destinations': [...]}" in caught.value.fix


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("tags", "Report"),
        ("tags", [1]),
        ("key", 1),
        ("name", 1),
        ("partitioning", "daily"),
        ("airflow", {"pool": "x"}),
        ("stray_rows", "quarantine"),
        ("on_empty", "drop"),
        ("schema", 5),
    ],
)
def test_a_wrong_class_setting_fails_at_definition(option: str, value: Any) -> None:
    with pytest.raises(DefinitionError):
        asset(**{option: value})(_users)
    with pytest.raises(DefinitionError):
        type(Asset)("Users", (Asset,), {"__module__": __name__, "__qualname__": "Users", option: value})
    body = type("Users", (), {option: value, "data": lambda self: []})
    with pytest.raises(DefinitionError):
        asset(body)


@pytest.mark.parametrize(
    ("option", "value"), [("materialization_strategy", "lax"), ("dataset", 5), ("enabled", "perhaps")]
)
def test_a_wrong_default_of_a_field_fails_at_definition(option: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=option):
        asset(**{option: value})(_users)
    with pytest.raises(ConfigError, match=option):
        type(Asset)("Users", (Asset,), {"__module__": __name__, "__qualname__": "Users", option: value})


@pytest.mark.parametrize("key", ["1a", "a-b", "a.b", "ä", "a b", "x" * 201])
def test_a_key_that_is_no_name_is_refused(key: str) -> None:
    with pytest.raises(DefinitionError, match="is not a valid name"):
        asset(key=key)(_users)


def test_strict_as_a_string_is_strict() -> None:
    @asset(schema=Ads, materialization_strategy="strict")
    def ads() -> list[dict[str, Any]]:
        return [{"n": "1"}]

    assert ads().strategy is MaterializationStrategy.STRICT
    with pytest.raises(SchemaError):
        ads().run()
    assert ads(materialization_strategy="reconcile").run() == [{"n": 1}]


def test_strict_without_a_schema_is_an_error() -> None:
    @asset(materialization_strategy="strict")
    def ads() -> list[dict[str, Any]]:
        return [{"n": 1}]

    with pytest.raises(SchemaError, match="strict needs a schema"):
        ads().run()


def test_tags_may_be_a_dict_or_a_set() -> None:
    assert asset(tags={"team": "ads"})(_users).tags == ["team:ads"]
    assert asset(tags={"b", "a"})(_users).tags == ["a", "b"]


@pytest.mark.parametrize("name", ["partitioning", "partitions", "partitions_def"])
def test_partitioning_has_two_other_spellings(name: str) -> None:
    assert asset(**{name: DAILY})(_users).partitioning is DAILY


def test_two_spellings_at_once_are_refused() -> None:
    with pytest.raises(DefinitionError, match="say the same"):
        asset(partitions=DAILY, partitioning=DAILY)(_users)


def test_a_list_of_classes_narrows_a_parameter() -> None:
    class Strict(Budget):
        pass

    def users(limits: Budget) -> list[dict[str, Any]]:
        return [{"n": limits.limit}]

    narrowed = asset(relations={"limits": [Strict]})(users)

    assert narrowed(limits=Strict(limit=3)).run() == [{"n": 3}]
    with pytest.raises(ConfigError, match="takes Strict, not Budget"):
        narrowed(limits=Budget())


def test_a_class_of_an_asset_narrows_an_upstream() -> None:
    @asset
    def raw() -> list[dict[str, Any]]:
        return [{"n": 1}]

    @asset(relations={"orders": raw})
    def report(orders: Upstream) -> list[dict[str, Any]]:
        return orders.rows

    made = raw(destinations=MemoryDestination())
    made.materialize()

    assert report(orders=made).run() == [{"n": 1}]


def test_a_list_parameter_stays_a_list_whatever_the_relation_says() -> None:
    @asset(relations={"campaigns": Relation("asset", "*.campaigns")})
    def report(campaigns: list[Upstream]) -> list[dict[str, Any]]:
        return []

    assert report.relations["campaigns"].many is True
    assert report.relations["campaigns"].keys == ("*.campaigns",)


def test_several_for_one_parameter_are_refused() -> None:
    def report(campaigns: Upstream) -> list[dict[str, Any]]:
        return []

    with pytest.raises(DefinitionError, match="gives several, but the parameter asks for one"):
        asset(relations={"campaigns": Relation("asset", "*.campaigns", many=True)})(report)


def test_what_cannot_be_decorated_is_named() -> None:
    with pytest.raises(DefinitionError, match="cannot decorate 5"):
        asset(5)
    with pytest.raises(DefinitionError, match=r"cannot decorate functools\.partial"):
        asset(functools.partial(print))
    with pytest.raises(DefinitionError, match="@destination: cannot decorate"):
        destination(_users)


def test_a_plain_source_class_keeps_all_it_says() -> None:
    @source(tags=["demo"])
    class Shop:
        dataset = "lake"
        region: str = "eu"

        @asset
        def users(self) -> list[dict[str, Any]]:
            return [{"region": self.region}]

        def helper(self) -> str:
            return self.region

    shop: Any = Shop(region="us")

    assert isinstance(shop, Source)
    assert (shop.key, shop.tags, shop.users.dataset, shop.helper()) == ("shop", ["demo"], "lake", "us")
    assert shop.users.run() == [{"region": "us"}]


def test_a_plain_asset_class_declares_its_parameters() -> None:
    @asset(tags=["x"])
    class Report:
        schema = Ads
        key = "daily_report"
        dataset = "lake"

        def data(self, limits: Budget, orders: Upstream | None = None) -> list[dict[str, Any]]:
            assert orders is None
            return [{"n": limits.limit}]

    made: Any = Report()

    assert isinstance(made, Asset)
    assert (made.key, made.schema, made.tags, made.dataset) == ("daily_report", Ads, ["x"], "lake")
    assert made.run() == [{"n": 5}]


def test_a_plain_destination_class_with_write_and_read_only(tmp_path: Path) -> None:
    """D013, D055: no partition hook is needed."""

    @destination
    class Box:
        path: str

        def write(self, context: Any, data: Any) -> None:
            Path(self.path).write_text(str(len(data)), encoding="utf-8")

        def read(self, context: Any) -> Any:
            return [{"n": int(Path(self.path).read_text(encoding="utf-8"))}]

    box: Any = Box(path=str(tmp_path / "box"))
    assert isinstance(box, Destination)
    assert box.key == "box"

    @asset
    def users() -> list[dict[str, Any]]:
        return [{"n": 1}, {"n": 2}]

    @asset
    def report(users: Upstream) -> list[dict[str, Any]]:
        return users.rows

    users()(destinations=box).materialize()

    assert report(users=users(destinations=box)).run() == [{"n": 2}]


def test_a_plain_config_class(monkeypatch: pytest.MonkeyPatch) -> None:
    @config(env_prefix="SHOP_")
    class Settings:
        region: str
        size: int = 3

    @config
    class Other:
        env_prefix = "OTHER_"
        region: str

    monkeypatch.setenv("SHOP_REGION", "eu")
    monkeypatch.setenv("SHOP_SIZE", "4")
    monkeypatch.setenv("OTHER_REGION", "us")
    made, other = Settings(), Other()

    assert isinstance(made, Config)
    assert (made.region, made.size, other.region) == ("eu", 4, "us")


def test_a_plain_connection_class() -> None:
    @connection
    class Shop:
        conn_id = "shop_api"
        host: str

    made: Any = Shop()

    assert isinstance(made, Connection)
    assert made.conn_id == "shop_api"
    assert "host" not in made.__dict__


def test_a_plain_resource_class() -> None:
    @resource
    class Client:
        url: str = "http://shop.test"

        def get(self) -> str:
            return self.url

    made: Any = Client()

    assert isinstance(made, Resource)
    assert made.get() == "http://shop.test"


def test_a_decorated_subclass_keeps_its_fields_and_relations() -> None:
    @source(dataset="lake")
    class Shop(Source):
        limits: Budget
        region: str = "eu"

        @asset
        def users(self, limits: Budget) -> list[dict[str, Any]]:
            return [{"n": limits.limit, "region": self.region}]

    assert Shop(limits=Budget(limit=7)).users.run() == [{"n": 7, "region": "eu"}]
    assert Shop.key == "shop"
    assert Shop().users.dataset == "lake"


def test_a_source_from_a_function() -> None:
    @source(tags=["made"])
    def shopFront(region: str = "eu") -> list[type[Asset]]:
        """Everything sold."""

        @asset
        def users(self) -> list[dict[str, Any]]:
            return [{"region": self.region}]

        return [users]

    made: Any = shopFront(region="us")

    assert isinstance(made, Source)
    assert (made.key, made.tags, made.description) == ("shop_front", ["made"], "Everything sold.")
    assert made.users.run() == [{"region": "us"}]
    assert shopFront().users.run() == [{"region": "eu"}]
    with pytest.raises(DefinitionError, match="unexpected keyword"):
        shopFront(colour="red")


def test_a_source_function_may_return_one_asset() -> None:
    @source
    def shop() -> Any:
        return asset(_users)

    assert list(shop().assets) == ["users"]


@pytest.mark.parametrize("returned", [[], None, [5], "users"])
def test_a_source_function_must_return_assets(returned: Any) -> None:
    def shop() -> Any:
        return returned

    with pytest.raises(DefinitionError, match="source 'shop': returned"):
        source(shop)


def test_the_parameters_of_a_source_function_are_annotated_and_have_defaults() -> None:
    def unannotated(region="eu"):
        return []

    def bare(region: str) -> Any:
        return []

    with pytest.raises(DefinitionError, match="parameter 'region' has no annotation"):
        source(unannotated)
    with pytest.raises(DefinitionError, match="has no default"):
        source(bare)


class Bucket(Connection):
    name_of: str = "b"


class SafeBucket(Bucket):
    """Narrower."""


def test_an_annotation_that_names_a_component_class_is_a_relation_and_no_field() -> None:
    """D009: on a plain class, too."""

    @destination
    class Box:
        bucket: Bucket
        spare: Bucket | None
        path: str = "/a"

    made: Any = Box
    assert (sorted(made.relations), "bucket" in made.model_fields, "path" in made.model_fields) == (
        ["bucket", "spare"], False, True,
    )  # fmt: skip
    assert (made.relations["bucket"].optional, made.relations["spare"].optional) == (False, True)
    bucket = Bucket()
    assert made(bucket=bucket).bucket is bucket


@pytest.mark.parametrize(
    ("value", "classes"),
    [(Relation(Bucket, optional=True), (Bucket,)), (Bucket, (Bucket,)), ([SafeBucket, Bucket], (SafeBucket, Bucket))],
)
def test_a_relation_is_declared_by_a_relation_a_class_or_a_list_of_classes(
    value: Any, classes: tuple[type, ...]
) -> None:
    """D010: a list narrows what the annotation declared."""

    @destination(relations={"bucket": value})
    class Box:
        bucket: Bucket

    relation = Box.relations["bucket"]
    assert (relation.name, relation.kind, relation.classes) == ("bucket", "connection", classes)


def test_a_list_of_classes_needs_something_to_narrow_and_keeps_to_its_kind() -> None:
    """D010."""
    with pytest.raises(DefinitionError, match="narrows a relation that is not declared"):
        destination(relations={"bucket": [Bucket]})(type("Box", (), {}))
    for wrong, message in (
        ({"destinations": [Budget]}, "takes a destination, not the config Budget"),
        ({"destinations": []}, "non-empty list"),
        ({"destinations": [MemoryDestination()]}, "give a Relation, a component class"),
        ([MemoryDestination], "a dict of relation name"),
    ):
        with pytest.raises(DefinitionError) as caught:
            asset(relations=wrong)(_users)
        assert message in str(caught.value)


def test_what_relations_says_wins_over_the_annotation() -> None:
    """D011."""

    @destination(relations={"bucket": Relation(SafeBucket, optional=True)})
    class Box:
        bucket: Bucket

    made: Any = Box
    assert (made.relations["bucket"].classes, made.relations["bucket"].optional) == ((SafeBucket,), True)
    with pytest.raises(ConfigError, match="relation 'bucket' takes SafeBucket, not Bucket"):
        made(bucket=Bucket())


def test_a_list_of_destination_classes_limits_the_instances_that_are_bound_later(tmp_path: Path) -> None:
    """A054: a subclass is accepted, whatever its key."""

    class Mine(CSVDestination):
        key = "mine"

    limited = asset(relations={"destinations": [CSVDestination]})(_users)

    assert limited(destinations=Mine(base_path=str(tmp_path))).default_destination.key == "mine"
    with pytest.raises(ConfigError, match="relation 'destinations' takes CSVDestination, not MemoryDestination"):
        limited(destinations=MemoryDestination())


def test_a_relation_of_a_class_takes_its_kind_from_it() -> None:
    """A039."""
    relation = Relation(Bucket)

    assert (relation.kind, relation.classes, relation.keys, relation.many) == ("connection", (Bucket,), (), False)


def test_options_reach_the_fields_of_a_users_own_destination() -> None:
    """D003: options are class settings, or defaults of the class's own fields."""

    @destination(path="/a", tags=["x"])
    class Box(Destination):
        representation: ClassVar[str | None] = "arrow"
        path: str

    assert (Box().path, Box(path="/b").path, Box.tags) == ("/a", "/b", ["x"])
    with pytest.raises(ConfigError, match="path"):
        destination(path=5)(Box)


def test_annotations_as_text_work_for_whole_modules(tmp_path: Path) -> None:
    code = """
    from __future__ import annotations
    import airflow_provider as ap

    class Budget(ap.Config):
        limit: int = 5

    @ap.source
    class Shop(ap.Source):
        budget: Budget | None
        region: str = "eu"

        @ap.asset
        def users(self, context: ap.ExecutionContext, limits: Budget, orders: ap.Upstream | None = None) -> list[dict]:
            return [{"n": limits.limit}]

    @ap.source
    def other(size: int = 3) -> ap.Asset:
        @ap.asset
        def sizes(self, users: list[ap.Upstream]) -> list[dict]:
            return [{"n": self.size}]
        return sizes
    """
    namespace: dict[str, Any] = {"__name__": __name__}
    exec(compile(textwrap.dedent(code), "shop.py", "exec"), namespace)

    assert namespace["Shop"]().users.run() == [{"n": 5}]
    assert namespace["Shop"].relations["budget"].optional is True
    assert namespace["Shop"].users.relations["orders"].optional is True
    assert namespace["other"]().sizes.relations["users"].many is True


def test_a_failing_asset_error_is_not_wrapped() -> None:
    @asset
    def users() -> list[dict[str, Any]]:
        raise ZeroDivisionError(dt.date(2026, 1, 1))

    with pytest.raises(ZeroDivisionError):
        users().run()
    with pytest.raises(ZeroDivisionError):
        users(destinations=MemoryDestination()).materialize()


def test_a_value_that_is_no_table_is_an_error_with_a_schema_only() -> None:
    """A022, A023."""
    assert asset(key="a")(lambda: {1, 2})().run() == {1, 2}
    with pytest.raises(AssetError, match="returned a set, which is no table"):
        asset(key="a", schema=Ads)(lambda: {1, 2})().run()
