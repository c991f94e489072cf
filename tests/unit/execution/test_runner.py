"""Graphs and single assets, run in this process."""

import asyncio
import datetime as dt
import threading
import time
from typing import Any

import pytest

import airflow_provider as ap
from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.decorators import asset
from airflow_provider.definitions.graph import AssetGraph
from airflow_provider.definitions.source import Source
from airflow_provider.definitions.upstream import Upstream
from airflow_provider.destinations.memory import MemoryDestination
from airflow_provider.errors import AssetNotFoundError, DefinitionError, PartitionError
from airflow_provider.execution import runner
from airflow_provider.execution.events import listening
from airflow_provider.partitioning import TimePartitionConfig, TimePartitionWindow

RAN: list[str] = []
BROKEN: set[str] = set()


@pytest.fixture(autouse=True)
def clean() -> None:
    RAN.clear()
    BROKEN.clear()


def of(key: str, *upstreams: str, seconds: float = 0) -> type[Asset]:
    """An asset that notes that it ran, and fails when it is among BROKEN."""

    def run() -> list[dict[str, Any]]:
        time.sleep(seconds)
        RAN.append(key)
        if key in BROKEN:
            raise ZeroDivisionError(key)
        return [{"n": 1}]

    namespace: dict[str, Any] = {"Upstream": Upstream, "run": run}
    exec(f"def {key}({', '.join(f'{up}: Upstream' for up in upstreams)}): return run()", namespace)
    made: type[Asset] = asset(namespace[key])
    return made


def shop(*assets: type[Asset], **settings: Any) -> Any:
    body = {"__module__": __name__, "__qualname__": "Shop", "asset_types": assets}
    return type(Source)("Shop", (Source,), body)(destinations=MemoryDestination(), **settings)


def diamond(**settings: Any) -> AssetGraph:
    return AssetGraph(shop(of("a"), of("b", "a"), of("c", "a"), of("d", "b", "c"), of("e"), **settings))


def test_a_graph_runs_in_order() -> None:
    result = diamond().materialize()

    assert result.is_success
    assert set(RAN) == set("abcde")
    assert RAN.index("a") < min(RAN.index("b"), RAN.index("c")) <= max(RAN.index("b"), RAN.index("c")) < RAN.index("d")
    assert list(result.statuses) == ["shop.a", "shop.e", "shop.b", "shop.c", "shop.d"]
    assert [o.status for o in result.results["shop.d"].outcomes] == ["committed"]
    result.raise_for_failures()


def test_a_failure_stops_what_depends_on_it_and_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    BROKEN.add("b")
    result = diamond().materialize()

    assert result.statuses == {
        "shop.a": "success", "shop.e": "success", "shop.b": "failed", "shop.c": "success", "shop.d": "upstream_failed",
    }  # fmt: skip
    assert not result.is_success
    assert "d" not in RAN
    assert "asset 'shop.b' failed: ZeroDivisionError" in caplog.text
    with pytest.raises(ZeroDivisionError):
        result.raise_for_failures()


def test_fail_fast_starts_nothing_more() -> None:
    BROKEN.add("a0")
    graph = AssetGraph(shop(*[of(f"a{n}") for n in range(10)]))
    result = graph.materialize(max_workers=1, fail_fast=True)

    assert RAN == ["a0"]
    assert [result.statuses[f"shop.a{n}"] for n in range(10)] == ["failed", *["skipped"] * 9]


def test_at_most_so_many_run_at_a_time() -> None:
    running, most, lock = [0], [0], threading.Lock()

    def slow(key: str) -> type[Asset]:
        def data() -> list[dict[str, Any]]:
            with lock:
                running[0] += 1
                most[0] = max(most[0], running[0])
            time.sleep(0.01)
            with lock:
                running[0] -= 1
            return []

        made: type[Asset] = asset(key=key)(data)
        return made

    AssetGraph(shop(*[slow(f"a{n}") for n in range(8)])).materialize(max_workers=3)

    assert 1 < most[0] <= 3


def test_disabled_assets_are_read_and_not_run() -> None:
    result = diamond(assets={"a": {"enabled": False}, "b": {}, "c": {}, "d": {}, "e": {}}).materialize()

    assert result.statuses["shop.a"] == "disabled"
    assert result.is_success
    assert "a" not in RAN


def test_select_runs_those_only() -> None:
    result = diamond().materialize(select=["b", "shop.d"])

    assert RAN == ["b", "d"]
    assert set(result.statuses) == {"shop.b", "shop.d"}
    with pytest.raises(AssetNotFoundError):
        diamond().materialize(select=["nosuch"])


DAILY = TimePartitionConfig(column="day", start=dt.date(2026, 3, 1))


def test_a_window_that_does_not_fit_runs_nothing() -> None:
    late: type[Asset] = asset(key="late", partitioning=DAILY)(lambda: RAN.append("late") or [])  # type: ignore[func-returns-value]
    graph = AssetGraph(shop(of("a"), late))

    with pytest.raises(PartitionError, match=r"asset 'shop.late'"):
        graph.materialize(window=TimePartitionWindow("2026-02-01"))
    with pytest.raises(PartitionError, match=r"asset 'shop.late'"):
        graph.materialize()
    assert RAN == []


def test_a_long_chain_runs_in_reasonable_time() -> None:
    graph = AssetGraph(shop(*[of(f"a{n:03}", *([f"a{n - 1:03}"] if n else [])) for n in range(100)]))
    started = time.perf_counter()

    assert graph.materialize().is_success
    assert [f"a{n:03}" for n in range(100)] == RAN
    assert time.perf_counter() - started < 20


def test_an_asset_that_is_not_enabled_gives_none() -> None:
    made = of("a")(destinations=MemoryDestination(), enabled=False)

    assert made.materialize() is None
    assert RAN == []


def test_run_writes_nothing() -> None:
    memory = MemoryDestination()
    made = of("a")(destinations=memory)

    assert made.run() == [{"n": 1}]
    assert MemoryDestination._storage == {}


def test_a_run_of_several_passes_gives_all_of_their_data() -> None:
    @asset(partitioning=TimePartitionConfig(column="day"))
    def days(context: Any) -> list[dict[str, Any]]:
        return [{"day": context.partition_date}] if context.partition_date.day != 2 else []

    @asset(partitioning=TimePartitionConfig(column="day"))
    def values(context: Any) -> Any:
        return {context.partition_date.day}

    window = TimePartitionWindow("2026-03-01", "2026-03-03")
    assert days().run(window=window) == [{"day": dt.date(2026, 3, 1)}, {"day": dt.date(2026, 3, 3)}]
    assert values().run(window=window) == [{1}, {2}, {3}]


def test_a_graph_that_is_given_wires_the_upstreams() -> None:
    memory = MemoryDestination()
    orders, report = of("orders")(destinations=memory), of("report", "orders")(destinations=memory)
    orders.materialize()

    assert report.materialize(dag=AssetGraph(orders, report)) == [{"n": 1}]
    assert asyncio.run(report.run_async(dag=AssetGraph(orders, report))) == [{"n": 1}]


def test_a_sync_or_async_function_is_called_to_its_end() -> None:
    async def answer() -> int:
        await asyncio.sleep(0)
        return 5

    assert runner.call(answer) == runner.call(lambda: 5) == 5


def test_progress_hears_each_outcome_as_it_comes() -> None:
    heard: list[Any] = []
    runner.execute(of("a")(destinations=MemoryDestination()), windows=None, progress=heard.append)

    assert [(one.key, one.status) for one in heard] == [(None, "committed")]


def test_a_graph_tries_what_fails_again_as_its_policy_says_and_writes_only_what_is_missing(tmp_path) -> None:
    tried: list[str] = []

    @ap.asset(
        partitioning=ap.TimePartitionConfig(column="day"),
        retry=ap.RetryPolicy(3, initial_delay="1ms", max_delay="2ms"),
    )
    def shaky(context: ap.ExecutionContext) -> list[dict[str, object]]:
        tried.append(context.partition.key)
        if context.partition.key == "2026-01-02" and len(tried) < 3:
            raise ConnectionError("not yet")
        return [{"day": context.partition_date}]

    heard: list[str] = []
    graph = ap.AssetGraph(shaky(destinations=ap.ParquetDestination(base_path=str(tmp_path))))
    result = runner.materialize_graph(
        graph, window="2026-01-01..2026-01-03", progress=lambda outcome: heard.append(outcome.status)
    )

    assert result.is_success
    assert tried == ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-02"]
    assert heard == ["committed"] * 3


def test_the_graph_has_a_policy_for_assets_that_have_none() -> None:
    tried: list[int] = []

    @ap.asset
    def shaky() -> list[dict[str, object]]:
        tried.append(1)
        raise ConnectionError("never")

    graph = ap.AssetGraph(shaky(destinations=ap.MemoryDestination()))
    assert not graph.materialize().is_success
    assert len(tried) == 1
    assert not graph.materialize(retry=ap.RetryPolicy(4, initial_delay=0, max_delay=0)).is_success
    assert len(tried) == 5


def test_a_graph_that_is_none_is_refused() -> None:
    with pytest.raises(DefinitionError, match="dag=3 is no graph"):
        of("alone")().materialize(dag=3)  # type: ignore[arg-type]


def test_graphs_that_failed_together_do_not_come_back_together() -> None:
    @ap.asset(retry=ap.RetryPolicy(2, initial_delay="20ms"))
    def shaky() -> list[dict[str, object]]:
        raise ConnectionError("never")

    waits: list[float] = []
    with listening(lambda event: waits.append(event.values["seconds"]) if event.name == "retried" else None):
        for _ in range(3):
            ap.AssetGraph(shaky(destinations=ap.MemoryDestination())).materialize()

    assert len(set(waits)) == 3
