"""A run of one function that fills several assets: what each output gets, and what one output's failure costs."""

import asyncio
import datetime as dt
import logging
from collections.abc import Iterator
from typing import Any, ClassVar

import pyarrow as pa
import pytest

import airflow_provider as ap
from airflow_provider.definitions.computation import Computation
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.errors import (
    AssetError,
    AssetNotFoundError,
    DataNotFoundError,
    PartitionsFailedError,
    SchemaError,
)
from airflow_provider.execution import runner
from airflow_provider.execution.events import Event, listening
from airflow_provider.execution.outcome import ComputationResult
from airflow_provider.execution.window import windows_for
from airflow_provider.execution.write import RunInfo
from airflow_provider.storage.index import open_index

DAYS = ap.TimePartitionConfig(column="day", allow_window=True)
ONE_BY_ONE = ap.TimePartitionConfig(column="day")
FIRST = dt.date(2026, 3, 1)

SEEN: list[tuple[str, ...]] = []


class Failing(ap.MemoryDestination):
    """Takes no partition of the tables that are named."""

    fails: ClassVar[set[str]] = set()

    def committer(self, context: IOContext, *, call: Any = None) -> Any:
        inner = super().committer(context)
        commit = inner.commit

        def failing(partition: Any, data: Any, stamp: Any) -> Any:
            if context.table in self.fails:
                raise OSError("no space left")
            return commit(partition, data, stamp)

        inner.commit = failing  # type: ignore[method-assign]
        return inner


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    Failing.fails = set()
    SEEN.clear()
    yield
    Failing.fails = set()


def day(number: int) -> dt.date:
    return FIRST + dt.timedelta(days=number - 1)


def days(first: int, last: int) -> ap.TimePartitionWindow:
    return ap.TimePartitionWindow(day(first), day(last))


def rows(context: ap.ExecutionContext) -> list[dict[str, Any]]:
    return [{"day": partition.date, "n": 1} for partition in context.window]


def feed(
    give: Any, partitioning: Any = DAYS, outputs: Any = ("orders", "lines"), store: Any = None, **settings: Any
) -> ap.MultiAsset:
    """A multi-asset that returns what ``give`` returns for the context; who was asked for is in SEEN."""

    @ap.multi_asset(outputs=list(outputs), partitioning=partitioning, **settings)
    def feed(context: ap.ExecutionContext) -> Any:
        SEEN.append(context.selected_outputs)
        return give(context)

    made: ap.MultiAsset = feed(destinations=store or Failing())
    return made


def both(context: ap.ExecutionContext) -> Iterator[ap.Output]:
    yield ap.Output("orders", rows(context))
    yield ap.Output("lines", rows(context))


def execute(multi: ap.MultiAsset, window: Any = None, attempt: str = "first", select: Any = None) -> ComputationResult:
    computation = Computation.of(multi, select)
    info = RunInfo(attempt, {"run_id": "r"})
    return runner.execute_computation(computation, windows=windows_for(computation, window), info=info)


def told(result: ComputationResult) -> list[str]:
    return [f"{outcome.asset} {outcome.key or 'whole'} {outcome.status}" for outcome in result.outcomes]


def stored(asset: ap.Asset, window: Any = None) -> Any:
    return asset.default_destination.read(IOContext(asset, window))


# --- what may be returned --------------------------------------------------------------------------------------------


async def _async(context: Any) -> Any:
    return list(both(context))


async def _async_generator(context: Any) -> Any:
    for output in both(context):
        yield output


@pytest.mark.parametrize(
    "give",
    [
        both,
        lambda context: list(both(context)),
        lambda context: tuple(both(context)),
        lambda context: {"lines": rows(context), "orders": rows(context)},
        lambda context: reversed(list(both(context))),
        lambda context: iter([ap.Output("lines", pa.table({"day": [day(1)], "n": [1]})), *list(both(context))[:1]]),
        _async,
        _async_generator,
    ],
)
def test_every_form_fills_every_output(give: Any) -> None:
    multi = feed(give)

    result = execute(multi, days(1, 1))

    assert told(result) == ["orders 2026-03-01 committed", "lines 2026-03-01 committed"]
    assert [len(stored(asset, days(1, 1))) for asset in multi.assets.values()] == [1, 1]
    assert SEEN == [("orders", "lines")]


def test_one_output_may_be_returned_alone_and_the_other_has_no_rows(caplog: pytest.LogCaptureFixture) -> None:
    multi = feed(lambda context: ap.Output("lines", rows(context)))

    result = execute(multi, days(1, 1))

    assert told(result) == ["orders 2026-03-01 kept", "lines 2026-03-01 committed"]
    assert "asset 'orders' was asked for and not given: it has no rows" in caplog.text


@pytest.mark.parametrize("give", [lambda context: None, lambda context: [], lambda context: iter(())])
@pytest.mark.parametrize(("on_empty", "status"), [("keep", "kept"), ("replace", "empty"), ("fail", "failed")])
def test_nothing_given_is_no_rows_for_each_by_its_own_rule(give: Any, on_empty: Any, status: str) -> None:
    multi = feed(give, outputs=[ap.AssetDef("orders", on_empty=on_empty), "lines"])

    assert told(execute(multi, days(1, 1))) == [f"orders 2026-03-01 {status}", "lines 2026-03-01 kept"]


def test_what_is_given_in_pieces_is_joined_in_order() -> None:
    def pieces(context: ap.ExecutionContext) -> Iterator[ap.Output]:
        yield ap.Output("orders", [{"day": day(1), "n": 1}])
        yield ap.Output("lines", pa.table({"day": [day(1)], "n": [5]}))
        yield ap.Output("orders", ({"day": day(2), "n": n} for n in (2, 3)))
        yield ap.Output("orders", [])
        yield ap.Output("lines", [{"day": day(2), "n": 6}])

    multi = feed(pieces)

    assert execute(multi, days(1, 2)).failure() is None
    assert [row["n"] for row in stored(multi.orders, days(1, 2))] == [1, 2, 3]
    assert stored(multi.lines, days(1, 2)).column("n").to_pylist() == [5, 6]


def test_pieces_that_are_no_tables_cannot_be_joined() -> None:
    multi = feed(lambda c: [ap.Output("orders", object()), ap.Output("orders", object())], partitioning=None)

    with pytest.raises(PartitionsFailedError, match="was given 2 times, one of them a object, which is no table"):
        multi.materialize()


def test_a_value_that_is_no_table_is_stored_as_it_is() -> None:
    value = object()
    multi = feed(lambda context: {"orders": value}, partitioning=None, outputs=["orders"])

    assert multi.materialize() == {"orders": value}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([ap.Output("nosuch", [])], "gave Output('nosuch'), which is none of its outputs"),
        ({"nosuch": []}, "gave Output('nosuch'), which is none of its outputs"),
        ([{"n": 1}], "gave a dict, which does not say for which output it is"),
        ("orders", "gave a str, which does not say"),
        (pa.table({"n": [1]}), "gave a Table, which does not say"),
    ],
)
def test_data_of_no_output_is_an_error_and_nothing_is_written(given: Any, said: str) -> None:
    multi = feed(lambda context: given, partitioning=None)

    with pytest.raises(AssetError) as caught:
        multi.materialize()

    assert said in caught.value.what
    assert caught.value.where == "multi_asset 'feed'"
    with pytest.raises(DataNotFoundError):
        stored(multi.orders)


# --- a chosen subset -------------------------------------------------------------------------------------------------


def test_what_was_not_asked_for_is_dropped_and_said(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    multi = feed(both)

    assert told(execute(multi, days(1, 1), select=["lines"])) == ["lines 2026-03-01 committed"]
    assert SEEN == [("lines",)]
    assert "multi_asset 'feed' gave orders, which was not asked for: dropped" in caplog.text
    with pytest.raises(DataNotFoundError):
        stored(multi.orders, days(1, 1))


def test_one_output_is_run_and_materialized_by_itself() -> None:
    multi = feed(both)

    assert multi.orders.run(days(1, 1)) == [{"day": day(1), "n": 1}]
    assert multi.lines.materialize(days(1, 1)) == [{"day": day(1), "n": 1}]
    assert asyncio.run(multi.orders.materialize_async(days(1, 1))) == [{"day": day(1), "n": 1}]
    assert SEEN == [("orders",), ("lines",), ("orders",)]


def test_the_multi_asset_gives_the_data_by_output() -> None:
    multi = feed(both)

    assert multi.run(days(1, 1)) == {key: [{"day": day(1), "n": 1}] for key in ("orders", "lines")}
    assert asyncio.run(multi.run_async(days(1, 1), select=["lines"])) == {"lines": [{"day": day(1), "n": 1}]}
    assert list(asyncio.run(multi.materialize_async(days(1, 2)))) == ["orders", "lines"]
    assert multi.orders.partition_row_counts() == {"2026-03-01": 1, "2026-03-02": 1}
    for wrong, named in ((["nosuch"], "nosuch"), ([], "nothing")):
        with pytest.raises(AssetNotFoundError, match=f"has no output called {named}"):
            multi.materialize(days(1, 1), select=wrong)


def test_an_output_that_is_not_enabled_is_not_asked_for() -> None:
    multi = feed(both)
    multi.orders.enabled = False

    assert list(multi.materialize(days(1, 1))) == ["lines"]
    assert SEEN == [("lines",)]
    multi.enabled = False
    assert multi.materialize(days(1, 1)) == {}
    assert len(SEEN) == 1


def test_the_metadata_of_an_output_and_of_the_context_reach_the_result() -> None:
    def give(context: ap.ExecutionContext) -> Any:
        context.add_metadata(pages=3)
        return [ap.Output("orders", rows(context), metadata={"load_id": "1"}), ap.Output("lines", rows(context))]

    orders, lines = execute(feed(give), days(1, 1)).results

    assert (orders.metadata, lines.metadata) == ({"load_id": "1", "pages": 3}, {"pages": 3})


# --- steps -----------------------------------------------------------------------------------------------------------


def test_fences_of_all_outputs_are_taken_before_upstreams_are_read_and_the_function_runs_once() -> None:
    log: list[str] = []

    class Noting(ap.MemoryDestination):
        def committer(self, context: IOContext, *, call: Any = None) -> Any:
            inner = super().committer(context)
            take = inner.take_fence
            inner.take_fence = lambda: log.append(f"fence {context.table}") or take()  # type: ignore[func-returns-value, method-assign]
            return inner

    class Shop(ap.Source):
        @ap.asset
        def users(self) -> Any:
            return [{"n": 1}]

        @ap.multi_asset(outputs=["orders", "lines"])
        def feed(self, users: ap.Upstream, source: Any) -> Any:
            assert source is self
            return {"orders": users.rows, "lines": users.rows}

    shop = Shop(destinations=Noting())
    shop.users.materialize()
    log.clear()
    with listening(lambda event: log.append(f"{event.name} {event.asset}")):
        shop.feed.materialize()

    assert log == [
        "fence orders", "fence lines",
        "dest_read_started shop.feed", "dest_read_completed shop.feed",
        "asset_data_started shop.feed", "asset_data_completed shop.feed",
        "dest_write_started shop.orders", "dest_write_completed shop.orders",
        "dest_write_started shop.lines", "dest_write_completed shop.lines",
    ]  # fmt: skip
    records = open_index().read("shop.lines").records
    assert list(records[None].upstreams) == ["shop.users"]
    assert records[None].code_fingerprint == open_index().read("shop.orders").records[None].code_fingerprint


def test_resources_are_those_of_the_function() -> None:
    class Place(ap.Config):
        town: str = "corner"

    @ap.multi_asset(outputs=["orders"])
    def feed(place: Place) -> Any:
        return {"orders": [{"shop": place.town}]}

    assert feed(place=Place(town="market")).run() == {"orders": [{"shop": "market"}]}


def test_outputs_take_the_window_of_the_run_in_their_own_columns() -> None:
    ordered = ap.TimePartitionConfig(column="ordered_on", allow_window=True)
    multi = feed(
        lambda context: {"orders": [{"ordered_on": day(2)}], "lines": rows(context)},
        outputs=[ap.AssetDef("orders", partitioning=ordered), "lines"],
    )

    result = execute(multi, days(1, 2))

    assert told(result)[:2] == ["orders 2026-03-01 kept", "orders 2026-03-02 committed"]
    assert told(result)[2:] == ["lines 2026-03-01 committed", "lines 2026-03-02 committed"]


def test_what_has_no_partitions_is_replaced_whole_by_the_last_pass() -> None:
    """A window run and the same days one by one leave the same."""

    def give(context: ap.ExecutionContext) -> Any:
        return {"orders": rows(context), "shops": [{"seen": context.partition.key}]}

    def made() -> ap.MultiAsset:
        return feed(give, partitioning=ONE_BY_ONE, outputs=["orders", ap.AssetDef("shops", partitioning=None)])

    multi = made()
    result = execute(multi, days(1, 3))

    assert SEEN == [("orders",), ("orders",), ("orders", "shops")]
    assert told(result)[-1] == "shops whole committed"
    assert (stored(multi.shops), result.results[1].windows) == ([{"seen": "2026-03-03"}], None)
    ap.MemoryDestination.clear()
    for number in (1, 2, 3):
        execute(made(), days(number, number), attempt=str(number))
    assert stored(multi.shops) == [{"seen": "2026-03-03"}]


def test_an_output_without_partitions_needs_the_window_of_the_function() -> None:
    multi = feed(both, outputs=["orders", ap.AssetDef("lines", partitioning=None)])

    with pytest.raises(ap.errors.PartitionError):
        multi.lines.materialize()
    multi.lines.materialize(days(1, 2))

    assert len(stored(multi.lines)) == 2


# --- failures and retries --------------------------------------------------------------------------------------------


class Numbered(ap.Schema):
    day: dt.date
    n: int


def test_an_output_that_does_not_fit_fails_alone() -> None:
    def give(context: ap.ExecutionContext) -> Any:
        return {"orders": [{"day": day(1), "n": "many"}], "lines": rows(context)}

    multi = feed(give, outputs=[ap.AssetDef("orders", schema=Numbered), "lines"])
    result = execute(multi, days(1, 1))

    assert told(result) == ["orders 2026-03-01 failed", "lines 2026-03-01 committed"]
    assert isinstance(result.outcomes[0].error, SchemaError)
    with pytest.raises(PartitionsFailedError) as caught:
        result.raise_for_failures()
    assert "1 of 2 outputs failed: asset 'orders'" in caught.value.what
    assert caught.value.where == "multi_asset 'feed'"
    assert open_index().read("orders").failed == ["2026-03-01"]


def test_an_output_that_cannot_be_written_fails_alone() -> None:
    Failing.fails = {"orders"}

    result = execute(feed(both), days(1, 2))

    assert [line.split()[-1] for line in told(result)] == ["failed", "failed", "committed", "committed"]
    with pytest.raises(PartitionsFailedError, match=r"(?s)asset 'orders'.*2026-03-01"):
        result.raise_for_failures()


def test_an_output_without_a_store_that_fails_is_told() -> None:
    multi = feed(
        lambda context: {"orders": [{"day": day(1), "n": "many"}], "lines": rows(context)},
        outputs=[ap.AssetDef("orders", schema=Numbered), "lines"],
    )
    multi.orders.destinations = []
    multi.destinations = []
    multi.lines.destinations = Failing()

    assert told(execute(multi, days(1, 1))) == ["orders 2026-03-01 failed", "lines 2026-03-01 committed"]
    with pytest.raises(SchemaError):
        multi.run(days(1, 1))


def test_an_error_of_the_function_fails_all_outputs() -> None:
    def broken(context: ap.ExecutionContext) -> Iterator[ap.Output]:
        yield ap.Output("orders", rows(context))
        raise ZeroDivisionError

    multi = feed(broken)
    with pytest.raises(ZeroDivisionError):
        execute(multi, days(1, 1))

    assert [open_index().read(key).failed for key in multi.assets] == [["2026-03-01"]] * 2
    result = execute(feed(broken, partitioning=ONE_BY_ONE), days(1, 2))
    assert {outcome.status for outcome in result.outcomes} == {"failed"}
    assert len(result.outcomes) == 4


def test_a_retry_asks_for_what_is_missing_only() -> None:
    Failing.fails = {"orders"}
    multi = feed(both)
    execute(multi, days(1, 2))
    Failing.fails = set()

    result = execute(multi, days(1, 2))

    assert SEEN == [("orders", "lines"), ("orders",)]
    assert [line.split()[-1] for line in told(result)] == ["committed", "committed", "held", "held"]
    assert told(execute(multi, days(1, 2)))[0] == "orders 2026-03-01 held"
    assert len(SEEN) == 2
    execute(multi, days(1, 2), attempt="cleared")
    assert SEEN[-1] == ("orders", "lines")


def test_a_retry_of_several_passes_runs_those_that_miss_something() -> None:
    Failing.fails = {"lines"}
    multi = feed(both, partitioning=ONE_BY_ONE)
    execute(multi, days(1, 1))
    Failing.fails = set()

    execute(multi, days(1, 2))

    assert SEEN[1:] == [("lines",), ("orders", "lines")]


def test_a_run_that_was_overtaken_is_told_for_the_output_it_concerns() -> None:
    multi = feed(both)
    overtaken = False

    def give(context: ap.ExecutionContext) -> Any:
        nonlocal overtaken
        if not overtaken:
            overtaken = True
            execute(multi, days(1, 1), attempt="newer", select=["orders"])
        return {"orders": rows(context), "lines": rows(context)}

    multi = feed(give)
    result = execute(multi, days(1, 1))

    assert told(result) == ["orders 2026-03-01 superseded", "lines 2026-03-01 committed"]


def test_a_listener_hears_of_what_was_not_given() -> None:
    heard: list[Event] = []
    with listening(heard.append):
        execute(feed(lambda context: None), days(1, 1), select=["orders"])

    warnings = [event for event in heard if event.name == "log"]
    assert [(event.asset, event.keys) for event in warnings] == [("orders", ("2026-03-01",))] * 2


# --- graphs ----------------------------------------------------------------------------------------------------------


class Shop(ap.Source):
    broken: bool = False

    @ap.asset
    def users(self) -> Any:
        return [{"n": 1}]

    @ap.multi_asset(outputs=["orders", "lines"])
    def feed(self, users: ap.Upstream, context: ap.ExecutionContext) -> Any:
        SEEN.append(context.selected_outputs)
        if self.broken:
            raise ZeroDivisionError
        return {"orders": users.rows, "lines": users.rows}

    @ap.asset
    def order_totals(self, orders: ap.Upstream) -> Any:
        return orders.rows

    @ap.asset
    def line_totals(self, lines: ap.Upstream) -> Any:
        return lines.rows


def test_a_graph_runs_the_function_once_for_all_selected_outputs() -> None:
    result = ap.AssetGraph(Shop(destinations=Failing())).materialize()

    assert result.is_success
    assert SEEN == [("orders", "lines")]
    assert set(result.results) == {f"shop.{key}" for key in ("users", "orders", "lines", "order_totals", "line_totals")}
    assert result.results["shop.orders"].asset == "shop.orders"


@pytest.mark.parametrize(
    ("select", "asked"),
    [(["orders"], ("orders",)), (["order_totals", "orders"], ("orders",)), (["feed"], ("orders", "lines"))],
)
def test_a_graph_asks_for_what_is_selected(select: list[str], asked: tuple[str, ...]) -> None:
    shop = Shop(destinations=Failing())
    shop.users.materialize()

    result = ap.AssetGraph(shop).materialize(select=select)

    assert result.is_success
    assert [asked] == SEEN


def test_a_failed_output_stops_its_readers_and_not_those_of_the_others() -> None:
    Failing.fails = {"orders"}

    result = ap.AssetGraph(Shop(destinations=Failing())).materialize()

    assert result.statuses == {
        "shop.users": "success",
        "shop.lines": "success",
        "shop.orders": "failed",
        "shop.line_totals": "success",
        "shop.order_totals": "upstream_failed",
    }
    assert list(result.errors) == ["shop.orders"]


def test_a_function_that_fails_fails_every_output_in_a_graph() -> None:
    result = ap.AssetGraph(Shop(broken=True, destinations=Failing())).materialize()

    assert {key: str(result.statuses[f"shop.{key}"]) for key in ("orders", "lines", "line_totals")} == {
        "orders": "failed", "lines": "failed", "line_totals": "upstream_failed",
    }  # fmt: skip
    assert result.errors["shop.orders"] is result.errors["shop.lines"]


def test_a_graph_leaves_out_what_is_not_enabled_and_its_readers_read_what_is_there() -> None:
    shop = Shop(destinations=Failing())
    shop.orders.enabled = False

    result = ap.AssetGraph(shop).materialize()

    assert (result.statuses["shop.orders"], result.statuses["shop.lines"]) == ("disabled", "success")
    assert SEEN == [("lines",)]


def test_a_graph_tries_again_with_what_is_missing() -> None:
    class Once(Failing):
        def committer(self, context: IOContext, *, call: Any = None) -> Any:
            if len(SEEN) > 1:
                Failing.fails = set()
            return super().committer(context, call=call)

    Failing.fails = {"orders"}
    policy = ap.RetryPolicy(max_attempts=3, initial_delay="1ms")

    result = ap.AssetGraph(Shop(destinations=Once())).materialize(retry=policy, select=["users", "feed"])

    assert result.is_success
    assert SEEN[:2] == [("orders", "lines"), ("orders",)]
