"""Laws of running an asset: a window equals its partitions, twice is once, and attempts converge."""

import datetime as dt
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.computation import Computation, Output
from airflow_provider.definitions.decorators import asset, multi_asset
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.destinations.csv import CSVDestination
from airflow_provider.destinations.file import FileDestination
from airflow_provider.destinations.memory import MemoryDestination
from airflow_provider.destinations.parquet import ParquetDestination
from airflow_provider.errors import DataNotFoundError, PartitionError
from airflow_provider.execution import runner
from airflow_provider.execution.write import RunInfo
from airflow_provider.partitioning import TimePartition, TimePartitionConfig, TimePartitionWindow
from airflow_provider.schema import Schema

FIRST = dt.date(2026, 3, 27)
DAYS = 6  # over the spring change of Europe/Berlin
STORES: dict[str, Callable[[str], Any]] = {
    "memory": lambda folder: MemoryDestination(),
    "file": lambda folder: FileDestination(base_path=folder),
    "csv": lambda folder: CSVDestination(base_path=folder),
    "parquet": lambda folder: ParquetDestination(base_path=folder),
}


class Orders(Schema):
    day: dt.date
    amount: float | None
    note: str | None


rows = st.lists(
    st.fixed_dictionaries(
        {
            "day": st.integers(0, DAYS - 1).map(lambda n: FIRST + dt.timedelta(days=n)),
            "amount": st.none() | st.floats(allow_nan=False),
            "note": st.none() | st.text(alphabet="aä\"',\n ", max_size=4),
        }
    ),
    max_size=12,
)
windows = st.tuples(st.integers(0, DAYS - 1), st.integers(0, DAYS - 1)).map(
    lambda ends: TimePartitionWindow(*(FIRST + dt.timedelta(days=n) for n in sorted(ends)))
)
fewer = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def own_index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", str(tmp_path / "index"))
    yield
    MemoryDestination.clear()


def orders(
    data: list[dict[str, Any]], *, allow_window: bool = True, arrow: bool = False, **options: Any
) -> type[Asset]:
    partitioning = TimePartitionConfig(column="day", timezone="Europe/Berlin", allow_window=allow_window)

    def produce(context: Any) -> Any:
        days = {partition.date for partition in context.window}
        kept = [row for row in data if row["day"] in days or options.get("stray_rows") == "drop"]
        return pa.Table.from_pylist(kept, schema=Orders.arrow()) if arrow else kept

    made: type[Asset] = asset(key="orders", schema=Orders, partitioning=partitioning, on_empty="replace", **options)(
        produce
    )
    return made


def held(made: Asset, window: Any) -> dict[str, Any]:
    """What each partition reads as, and what its commit says."""
    destination, found = made.default_destination, {}
    records = destination.committer(IOContext(made), call=lambda f, *a: f(*a)).records([p.key for p in window])
    for partition in window:
        try:
            value = destination.read(IOContext(made, partition.window))
        except DataNotFoundError:
            continue
        record = records[partition.key]
        as_rows = value.to_pylist() if isinstance(value, pa.Table) else value
        found[partition.key] = (repr(as_rows), record.rows, record.state)
    return found


def files(folder: str) -> dict[str, str]:
    """Every data file with its hash."""
    found = sorted(Path(folder).rglob("data.*"))
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


@pytest.mark.parametrize("arrow", [False, True])  # of pickled Arrow tables the values count: bits below nulls vary
@pytest.mark.parametrize("store", STORES)
@given(data=rows, window=windows)
@fewer
def test_a_window_run_equals_its_partitions_one_by_one(
    store: str, arrow: bool, data: list[dict[str, Any]], window: TimePartitionWindow
) -> None:
    with tempfile.TemporaryDirectory() as whole, tempfile.TemporaryDirectory() as single:
        MemoryDestination.clear()
        made = orders(data, arrow=arrow)(destinations=STORES[store](whole))
        made.materialize(window=window)
        one_go = held(made, window)
        MemoryDestination.clear()

        one_by_one = orders(data, arrow=arrow)(destinations=STORES[store](single))
        for partition in window:
            one_by_one.materialize(window=partition)

        assert held(one_by_one, window) == one_go
        assert list(files(single)) == list(files(whole))
        assert files(single) == files(whole) or (store == "file" and arrow)
        assert len(one_go) == len(window)

        MemoryDestination.clear()
        passes = orders(data, arrow=arrow, allow_window=False)(destinations=STORES[store](single))
        passes.materialize(window=window)
        assert held(passes, window) == one_go
        assert list(files(single)) == list(files(whole))
        assert files(single) == files(whole) or (store == "file" and arrow)


@pytest.mark.parametrize("store", STORES)
@given(data=rows, window=windows)
@fewer
def test_twice_is_once(store: str, data: list[dict[str, Any]], window: TimePartitionWindow) -> None:
    with tempfile.TemporaryDirectory() as folder:
        MemoryDestination.clear()
        made = orders(data)(destinations=STORES[store](folder))
        first = made.materialize(window=window)
        once, stored = held(made, window), files(folder)

        assert made.materialize(window=window) == first
        assert held(made, window) == once
        assert files(folder) == stored


@given(data=rows, other=rows, window=windows)
@fewer
def test_a_run_changes_its_own_partitions_only(
    data: list[dict[str, Any]], other: list[dict[str, Any]], window: TimePartitionWindow
) -> None:
    everything = TimePartitionWindow(FIRST, FIRST + dt.timedelta(days=DAYS - 1))
    MemoryDestination.clear()
    before = orders(data)(destinations=MemoryDestination())
    before.materialize(window=everything)
    expected = held(before, everything)

    made = orders(other)(destinations=MemoryDestination())
    made.materialize(window=window)

    found = held(made, everything)
    assert {k: v for k, v in found.items() if k not in window.keys} == {
        k: v for k, v in expected.items() if k not in window.keys
    }


class Unreliable(MemoryDestination):
    """Refuses the partitions of the next attempt's list."""

    plan: set[int] = set()  # noqa: RUF012 -- a field

    def committer(self, context: IOContext, *, call: Any = None) -> Any:
        inner = super().committer(context)
        commit = inner.commit

        def refusing(partition: TimePartition, data: Any, stamp: Any) -> Any:
            if (partition.date - FIRST).days in self.plan:
                raise OSError("refused")
            return commit(partition, data, stamp)

        inner.commit = refusing  # type: ignore[method-assign, assignment]
        return inner


@given(data=rows, plans=st.lists(st.sets(st.integers(0, DAYS - 1)), max_size=3), window=windows)
@fewer
def test_retries_converge_to_what_one_good_run_stores_and_write_each_partition_once(
    data: list[dict[str, Any]], plans: list[set[int]], window: TimePartitionWindow
) -> None:
    MemoryDestination.clear()
    good = orders(data)(destinations=MemoryDestination())
    good.materialize(window=window)
    expected = held(good, window)
    MemoryDestination.clear()

    written: list[str | None] = []
    own = good.partitioning.adopt(window)  # type: ignore[union-attr]
    for plan in [*plans, set()]:
        made = orders(data)(destinations=Unreliable(plan=plan))
        result = runner.execute(made, windows=(own,), info=RunInfo("the-attempt"))
        written += [one.key for one in result.outcomes if one.status in ("committed", "empty")]

    assert held(good, window) == expected
    assert sorted(map(str, written)) == list(window.keys)


@given(data=rows, window=windows)
@fewer
def test_dropping_stray_rows_stores_what_filtering_would(
    data: list[dict[str, Any]], window: TimePartitionWindow
) -> None:
    MemoryDestination.clear()
    filtered = orders(data)(destinations=MemoryDestination())
    filtered.materialize(window=window)
    expected = held(filtered, window)

    MemoryDestination.clear()
    dropping = orders(data, stray_rows="drop")(destinations=MemoryDestination())
    dropping.materialize(window=window)

    assert held(dropping, window) == expected


@given(data=rows, window=windows)
@fewer
def test_a_stray_row_stops_the_run_before_the_first_write(
    data: list[dict[str, Any]], window: TimePartitionWindow
) -> None:
    stray = {"day": FIRST - dt.timedelta(days=1), "amount": None, "note": None}
    MemoryDestination.clear()

    @asset(key="orders", schema=Orders, partitioning=TimePartitionConfig(column="day", allow_window=True))
    def produce() -> list[dict[str, Any]]:
        return [*data, stray]

    with pytest.raises(PartitionError):
        produce(destinations=MemoryDestination()).materialize(window=window)
    assert MemoryDestination._storage == {}
    assert os.environ["AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI"]


# --- several outputs -------------------------------------------------------------------------------------------------

NAMES = ("orders", "lines", "shops")
places = st.sets(st.tuples(st.sampled_from(NAMES), st.integers(0, DAYS - 1)), max_size=8)


class Stumbling(MemoryDestination):
    """Refuses to commit the places that are named: a table and a day."""

    refused: ClassVar[set[tuple[str, str]]] = set()

    def committer(self, context: IOContext, *, call: Any = None) -> Any:
        inner, commit = super().committer(context), super().committer(context).commit

        def stumbling(partition: Any, data: Any, stamp: Any) -> Any:
            if (context.table, partition.key) in self.refused:
                raise OSError("no space left")
            return commit(partition, data, stamp)

        inner.commit = stumbling  # type: ignore[method-assign]
        return inner


@given(
    rounds=st.lists(places, max_size=3),
    asked=st.sets(st.sampled_from(NAMES), min_size=1),
    allow_window=st.booleans(),
)
@fewer
def test_retries_of_a_chosen_subset_end_where_one_clean_run_does_and_ask_for_what_is_missing(
    rounds: list[set[tuple[str, int]]], asked: set[str], allow_window: bool
) -> None:
    MemoryDestination.clear()
    seen: list[tuple[tuple[str, ...], tuple[str, ...]]] = []

    @multi_asset(outputs=list(NAMES), partitioning=TimePartitionConfig(column="day", allow_window=allow_window))
    def feed(context: Any) -> Iterator[Output]:
        seen.append((tuple(context.window.keys), context.selected_outputs))
        for name in NAMES:
            yield Output(name, [{"day": partition.date, "of": name} for partition in context.window])

    multi = feed(destinations=Stumbling())
    window = TimePartitionWindow(FIRST, FIRST + dt.timedelta(days=DAYS - 1))
    computation = Computation.of(multi, sorted(asked))
    missing = {(name, key) for name in asked for key in window.keys}
    for refused in [*rounds, set()]:
        Stumbling.refused = {(name, window.keys[day]) for name, day in refused}
        seen.clear()
        result = runner.execute_computation(computation, windows=(window,), info=RunInfo("one attempt"))

        for keys, selected in seen:
            assert set(selected) == {name for name, key in missing if key in keys}
        missing &= Stumbling.refused
        assert {(o.asset, o.key) for o in result.bad} == missing
        assert (result.failure() is None) == (not missing)

    for name, asset_ in multi.assets.items():
        held = sorted(asset_.partition_row_counts())
        assert held == (list(window.keys) if name in asked else [])
