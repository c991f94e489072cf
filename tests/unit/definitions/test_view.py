"""Views and references in graphs and runs, against a real SQLite file."""

import asyncio
import contextlib
import datetime as dt
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import airflow_provider as ap
from airflow_provider.definitions.view import ViewStore, placed
from airflow_provider.errors import (
    AssetError,
    AssetNotFoundError,
    ConfigError,
    DefinitionError,
    GraphError,
    SupersededError,
)
from airflow_provider.execution.events import Event, listening

DAYS = ap.TimePartitionWindow(dt.date(2026, 3, 1), dt.date(2026, 3, 2))


@ap.source
class Shop(ap.Source):
    """A daily table, a view of it, a view of the view, and an asset that reads that."""

    @ap.asset(partitioning=ap.TimePartitionConfig(column="day", allow_window=True))
    def orders(self, context: ap.ExecutionContext):
        return [{"day": partition.key, "units": n} for partition in context.window for n in (1, 2)]

    @ap.view
    def per_day(self, orders: ap.Upstream):
        """Units of each day."""
        return f"SELECT day, sum(units) AS units FROM {orders.data} GROUP BY day"

    @ap.view(dialect="sqlite")
    def total(self, per_day: ap.Upstream):
        return f"SELECT sum(units) AS units FROM {per_day.data}"

    @ap.asset
    def report(self, total: ap.Upstream):
        return [{"total": total.rows[0]["units"]}]


@pytest.fixture
def place(sqlite_file: Any, tmp_path: Path) -> Any:
    return sqlite_file(path=str(tmp_path / "shop.db"))


def query(place: Any, text: str) -> list[tuple[Any, ...]]:
    with contextlib.closing(sqlite3.connect(place.path)) as db:
        return db.execute(text).fetchall()


def test_a_graph_creates_views_after_what_they_read_and_others_read_them(place: Any) -> None:
    result = ap.AssetGraph(Shop(destinations=place)).materialize(DAYS)

    assert result.is_success
    assert list(result.statuses) == ["shop.orders", "shop.per_day", "shop.total", "shop.report"]
    assert query(place, "SELECT * FROM shop__per_day") == [("2026-03-01", 3.0), ("2026-03-02", 3.0)]
    assert query(place, "SELECT * FROM shop__report") == [("6",)]


def test_a_view_run_again_is_replaced_and_reads_what_is_there_now(place: Any) -> None:
    shop = Shop(destinations=place)
    graph = ap.AssetGraph(shop)
    graph.materialize(DAYS.first)
    graph.materialize(DAYS)

    assert query(place, "SELECT * FROM shop__total") == [(6.0,)]
    assert query(place, "SELECT count(*) FROM sqlite_master WHERE type = 'view'") == [(2,)]


def test_materialize_returns_the_query_and_run_creates_nothing(place: Any) -> None:
    shop = Shop(destinations=place)
    shop.orders.materialize(DAYS)
    text = 'SELECT day, sum(units) AS units FROM "shop__orders" GROUP BY day'

    assert shop.per_day.run() == text
    assert query(place, "SELECT count(*) FROM sqlite_master WHERE type = 'view'") == [(0,)]
    assert shop.per_day.materialize() == text
    assert asyncio.run(shop.per_day.materialize_async()) == text
    assert query(place, "SELECT count(*) FROM sqlite_master WHERE type = 'view'") == [(1,)]


def test_the_events_and_the_index_know_a_view_as_any_asset(place: Any) -> None:
    shop = Shop(destinations=place)
    shop.orders.materialize(DAYS)
    heard: list[Event] = []
    with listening(heard.append):
        shop.per_day.materialize()

    assert [event.name for event in heard] == [
        "asset_data_started", "asset_data_completed", "dest_write_started", "dest_write_completed",
    ]  # fmt: skip
    (record,) = place.committer(ap.IOContext(shop.per_day), call=lambda f, *a: f(*a)).all_records()
    assert (record.asset, record.destination, record.key, record.state) == (
        "shop.per_day", place.address, None, "committed",
    )  # fmt: skip


def test_a_query_that_the_destination_refuses_fails_the_view_and_keeps_the_old_one(place: Any) -> None:
    @ap.view
    def broken():
        return "SELEKT 1"

    with pytest.raises(AssetError, match="OperationalError"):
        broken(destinations=place).materialize()


def test_an_older_run_does_not_replace_a_newer_view(place: Any) -> None:
    shop = Shop(destinations=place)
    shop.orders.materialize(DAYS)

    @ap.view
    def slow():
        newer(destinations=place).materialize()
        return "SELECT 1 AS n"

    @ap.view(key="slow")
    def newer():
        return "SELECT 2 AS n"

    with pytest.raises(SupersededError):
        slow(destinations=place).materialize()
    assert query(place, "SELECT * FROM slow") == [(2,)]


class Query:
    def compile(self, dialect: str) -> str:
        return f"SELECT '{dialect}' AS dialect"


def test_an_object_is_compiled_for_the_dialect(place: Any) -> None:
    @ap.view
    def compiled():
        return Query()

    assert compiled(destinations=place).materialize() == "SELECT 'sqlite' AS dialect"


def test_a_select_of_sqlalchemy_is_compiled_with_its_values_in_it(place: Any) -> None:
    @ap.view
    def selected(orders: ap.Upstream):
        import sqlalchemy as sa

        table = sa.table(orders.data.strip('"'), sa.column("day"))
        return sa.select(table.c.day).where(table.c.day == "it's")

    @ap.asset
    def orders():
        return [{"day": "it's"}, {"day": "no"}]

    ap.AssetGraph(orders(destinations=place), view := selected(destinations=place)).materialize()

    assert view.key == "selected"
    assert query(place, "SELECT * FROM selected") == [("it's",)]


def test_without_any_dialect_an_object_cannot_be_compiled(place: Any) -> None:
    class Plain(type(place)):  # type: ignore[misc]
        dialect = ""

    @ap.view
    def compiled():
        return Query()

    with pytest.raises(ConfigError, match="a Query cannot be compiled without a dialect"):
        compiled(destinations=Plain(path=place.path)).run()


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (None, "returned nothing, which is no query"),
        ([{"a": 1}], "returned a list"),
        (3, "returned a int"),
        (" \n", "returned an empty query"),
    ],
)
def test_what_is_no_query_is_an_error(returned: Any, message: str, place: Any) -> None:
    @ap.view
    def odd():
        return returned

    with pytest.raises(AssetError, match=f"asset 'odd': {message}"):
        odd(destinations=place).materialize()


def test_async_hooks_are_awaited(place: Any) -> None:
    class Slow(type(place)):  # type: ignore[misc]
        async def reference(self, asset: Any) -> str:
            await asyncio.sleep(0)
            return type(place).reference(self, asset)

        async def create_view(self, asset: Any, definition: Any) -> None:
            await asyncio.sleep(0)
            with contextlib.closing(sqlite3.connect(self.path)) as db, db:
                db.execute(f"CREATE VIEW {asset.table} AS {definition}")

    @ap.asset
    def base():
        return []

    @ap.view
    async def on_top(base: ap.Upstream):
        return f"SELECT 1 AS n, '{base.data.strip(chr(34))}' AS place"

    slow = Slow(path=place.path)
    on_top(base=base(destinations=slow), destinations=slow).materialize()

    assert query(place, "SELECT * FROM on_top") == [(1, "base")]


def test_several_upstreams_of_one_parameter_and_none_of_an_optional_one(place: Any) -> None:
    @ap.asset
    def a():
        return []

    @ap.view(relations={"all_of": ap.Relation("asset", ["a"])})
    def union(all_of: list[ap.Upstream], missing: ap.Upstream | None):
        assert missing is None
        return " UNION ".join(f"SELECT * FROM {one.data}" for one in all_of)

    assert union(all_of=[a(destinations=place)], destinations=place).run() == 'SELECT * FROM "a"'


class Text(ap.Destination):
    key = "text"
    path: str = ""


def test_a_view_needs_exactly_one_destination_that_holds_views(place: Any) -> None:
    @ap.view
    def alone():
        return "SELECT 1"

    for destinations in ([], [place, Text()]):
        with pytest.raises(ConfigError, match=f"needs exactly one destination, {len(destinations)} given"):
            ap.AssetGraph(alone(destinations=destinations))
    with pytest.raises(ConfigError, match="asset 'alone': 'text' holds no views"):
        ap.AssetGraph(alone(destinations=Text()))


def test_a_view_in_another_dialect_is_refused(place: Any) -> None:
    @ap.view(dialect="snowflake")
    def alone():
        return "SELECT 1"

    with pytest.raises(ConfigError, match="is written in 'snowflake', but 'sqlite_file' speaks 'sqlite'"):
        ap.AssetGraph(alone(destinations=place))


def test_an_upstream_out_of_reach_is_refused(place: Any, tmp_path: Path) -> None:
    @ap.asset
    def base():
        return []

    @ap.view
    def on_top(base: ap.Upstream):
        return "SELECT 1"

    def graph(*places: Any) -> ap.AssetGraph:
        return ap.AssetGraph(base(destinations=list(places)), on_top(destinations=place))

    same, elsewhere = type(place)(path=place.path), type(place)(path=str(tmp_path / "other.db"))
    assert len(graph(place)) == len(graph(Text(), same)) == 2
    with pytest.raises(ConfigError, match="reads 'base', which is in sqlite_file, out of reach of 'sqlite_file'"):
        graph(elsewhere)
    with pytest.raises(ConfigError, match="which is in nowhere"):
        graph()


def test_a_partitioned_view_is_refused_and_one_may_read_partitioned_assets() -> None:
    with pytest.raises(DefinitionError, match="view 'daily': is partitioned, but a view holds no partitions"):

        @ap.view(partitioning=ap.TimePartitionConfig(column="day"))
        def daily():
            return ""


def test_a_class_may_be_a_view(place: Any) -> None:
    class Latest(ap.View):
        """The newest."""

        def data(self, **kwargs: Any) -> str:
            return "SELECT 1 AS n"

    assert (Latest.key, Latest.description) == ("latest", "The newest.")
    Latest(destinations=place).materialize()
    assert query(place, "SELECT * FROM latest") == [(1,)]


def test_the_store_in_front_speaks_for_its_place(place: Any) -> None:
    store = ViewStore.before(place)

    assert (store.key, store.address, store.label) == (place.key, place.address, place.label)


def test_variables_of_a_dataset_are_filled_in_for_the_hooks(place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    @ap.view(dataset="{env.STAGE}")
    def staged():
        return "SELECT 1 AS n"

    monkeypatch.setenv("STAGE", "dev")
    view = staged(destinations=place)
    view.materialize()

    assert query(place, "SELECT * FROM dev__staged") == [(1,)]
    assert placed(view).id == view.id
    assert placed(staged(dataset="plain")).dataset == "plain"


@ap.source(dataset="warehouse")
class Warehouse(ap.Source):
    region: str = "eu"

    @ap.reference(table="raw_{region}", dataset="landing")
    def raw_orders(self):
        """What the shop's own system writes."""

    @ap.asset
    def counted(self, raw_orders: ap.Upstream):
        return [{"n": len(raw_orders.rows)}]

    @ap.view
    def seen(self, raw_orders: ap.Upstream):
        return f"SELECT * FROM {raw_orders.data}"


def test_a_reference_is_read_by_its_templated_name_and_never_run(place: Any) -> None:
    with contextlib.closing(sqlite3.connect(place.path)) as db, db:
        db.execute("CREATE TABLE landing__raw_us (n)")
        db.execute("INSERT INTO landing__raw_us VALUES (7), (8)")
    warehouse = Warehouse(region="us", destinations=place)
    graph = ap.AssetGraph(warehouse)

    assert (list(graph.assets), list(graph.read_only)) == (
        ["warehouse.counted", "warehouse.seen"], ["warehouse.raw_orders"],
    )  # fmt: skip
    assert graph.materialize().is_success
    assert query(place, "SELECT * FROM warehouse__counted") == [("2",)]
    assert query(place, "SELECT * FROM warehouse__seen") == [(7,), (8,)]
    with pytest.raises(AssetNotFoundError, match="only read here"):
        graph.select(["raw_orders"])


def test_running_a_reference_does_nothing() -> None:
    raw = Warehouse().raw_orders

    assert (raw.table, raw.dataset, raw.description) == ("raw_eu", "landing", "What the shop's own system writes.")
    assert raw.materialize() is None
    assert raw.run() is None
    assert asyncio.run(raw.materialize_async()) is None
    assert asyncio.run(raw.run_async()) is None


def test_a_partitioned_reference_is_read_for_the_window(place: Any) -> None:
    with contextlib.closing(sqlite3.connect(place.path)) as db, db:
        db.execute("CREATE TABLE theirs (day, n)")
        db.execute("INSERT INTO theirs VALUES ('2026-03-01', 1), ('2026-03-02', 2), ('2026-03-03', 3)")
    daily = ap.TimePartitionConfig(column="day", allow_window=True)
    theirs = ap.reference(partitioning=daily, key="theirs", table="theirs")(lambda: None)(destinations=place)

    @ap.asset(partitioning=daily)
    def ours(theirs: ap.Upstream):
        return theirs.rows

    rows = ours(theirs=theirs, destinations=place).materialize(DAYS)
    assert [row["n"] for row in rows] == [1, 2]


def test_the_name_of_a_reference_is_its_key_where_nothing_is_said_and_stays_as_it_is_written() -> None:
    @ap.reference
    def LandedOrders(): ...

    @ap.reference(table="RAW.Orders-1")
    def other(): ...

    assert (LandedOrders().table, other().table) == ("landed_orders", "RAW.Orders-1")


@pytest.mark.parametrize("table", ["a/b", "../x", "a b", "x;drop"])
def test_a_name_that_is_none_is_refused(table: str) -> None:
    with pytest.raises(DefinitionError, match="is not a name"):
        ap.reference(key="odd", table=table)(lambda: None)


def test_a_field_that_no_source_fills_is_told_when_the_source_is_made() -> None:
    class Odd(ap.Source):
        @ap.reference(table="x_{nope}")
        def raw(self): ...

    with pytest.raises(ConfigError, match=r"table 'x_\{nope\}' names \{nope\}, which is no field of the source"):
        Odd()
    with pytest.raises(ConfigError, match="but it has no source"):
        _ = ap.reference(key="odd", table="x_{nope}")(lambda: None)().table


def test_a_reference_takes_no_parameters() -> None:
    with pytest.raises(DefinitionError, match="has the parameter 'orders', but a reference is never run"):

        @ap.reference
        def odd(orders: ap.Upstream): ...


def test_two_references_may_name_one_table_and_what_another_asset_fills() -> None:
    memory = ap.MemoryDestination()

    @ap.asset
    def filled():
        return []

    references = [ap.reference(key=key, table="filled")(lambda: None)(destinations=memory) for key in ("a", "b")]

    assert len(ap.AssetGraph(filled(destinations=memory), *references)) == 1


def test_references_alone_make_no_dag_and_no_task() -> None:
    raw = ap.reference(key="raw")(lambda: None)

    assert len(ap.AssetGraph(raw)) == 0
    assert ap.build_dags(raw) == {}
    with pytest.raises(GraphError, match="holds references only"):
        ap.build_dag(raw)
    with pytest.raises(DefinitionError, match="is a reference, which is never run"):
        ap.AssetOperator(task_id="raw", asset=raw)
