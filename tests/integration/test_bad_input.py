"""Everything a person can get wrong: a message with what, where and the fix, and nothing is written."""

import datetime as dt
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import airflow_provider as ap
from airflow_provider.errors import AssetsError

DAILY = ap.TimePartitionConfig(column="day", start="2026-01-01", allow_window=True)
HOURLY = ap.TimePartitionConfig(column="at", granularity="hour", allow_window=True)
DAY = dt.date(2026, 3, 1)
AWKWARD = ("schema", "copy", "json", "validate", "_id")
Define = Callable[[], Any]


def unannotated() -> Any:
    @ap.asset
    def orders(lines): ...


def unknown_keyword() -> Any:
    @ap.asset(partitionin=DAILY)  # type: ignore[call-overload]
    def orders(): ...


def unknown_keyword_of_an_instance() -> Any:
    ap.ParquetDestination(basepath="/lake")


def cycle() -> Any:
    class Shop(ap.Source):
        @ap.asset
        def orders(self, totals: ap.Upstream): ...

        @ap.asset
        def totals(self, orders: ap.Upstream): ...

    ap.AssetGraph(Shop())


def missing_upstream() -> Any:
    class Shop(ap.Source):
        @ap.asset
        def orders(self): ...

        @ap.asset
        def totals(self, ordrs: ap.Upstream): ...

    ap.AssetGraph(Shop())


def another_granularity() -> Any:
    class Shop(ap.Source):
        @ap.asset(partitioning=HOURLY)
        def visits(self): ...

        @ap.asset(partitioning=DAILY)
        def totals(self, visits: ap.Upstream): ...

    ap.AssetGraph(Shop())


def one_key_twice() -> Any:
    class Shop(ap.Source):
        @ap.asset
        def orders(self): ...

    ap.AssetGraph(Shop(), Shop())


@pytest.mark.parametrize(
    ("define", "message"),
    [
        pytest.param(unannotated, "'lines'", id="unannotated parameter"),
        pytest.param(unknown_keyword, "partitionin", id="unknown keyword"),
        pytest.param(unknown_keyword_of_an_instance, "basepath", id="unknown keyword of an instance"),
        pytest.param(cycle, "shop.orders.*shop.totals", id="cycle"),
        pytest.param(missing_upstream, "ordrs.*did you mean 'shop.orders'", id="missing upstream"),
        pytest.param(another_granularity, "hour", id="incompatible granularities"),
        pytest.param(one_key_twice, "shop", id="duplicate source keys"),
        pytest.param(
            lambda: ap.TimePartitionWindow("2026-03-02", "2026-03-01"), "before its start", id="window reversed"
        ),
    ],
)
def test_a_wrong_definition_is_refused_when_it_is_defined(define: Define, message: str) -> None:
    with pytest.raises(AssetsError, match=message) as caught:
        define()

    assert caught.value.where
    assert caught.value.fix


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", str(tmp_path / "index"))
    return tmp_path / "lake"


def stored(lake: Path) -> dict[str, bytes]:
    """The data files, by place."""
    return {str(path.relative_to(lake)): path.read_bytes() for path in lake.rglob("data.*")}


def asset_giving(value: Any, lake: Path, partitioning: ap.TimePartitionConfig = DAILY) -> ap.Asset:
    @ap.asset(partitioning=partitioning)
    def orders() -> Any:
        return value

    return orders(destinations=ap.ParquetDestination(base_path=lake))


GOOD = [{"day": DAY, "n": 1}]
WINDOWS = [
    ("reversed", "2026-03-02..2026-03-01", "ends before"),
    ("before the start", "2025-12-31", "before the first partition"),
    ("reaching before the start", "2025-12-31..2026-03-01", "before the first partition"),
    ("another granularity", "2026-03", "2026-03"),
    ("an hour of a day", "2026-03-01T05", "2026-03-01T05"),
    ("not padded", "2026-3-1", "2026-3-1"),
    ("no such day", "2026-02-30", "2026-02-30"),
    ("climbing", "../x", r"\.\./x"),
    ("a slash", "a/b", "a/b"),
    ("an equals sign", "a=b", "a=b"),
    ("300 characters", "x" * 300, "xxx"),
    ("an escape", "%2F", "%2F"),
    ("differing only by case", "2026-w10", "2026-w10"),
    ("an open end", "2026-03-01..", "'2026-03-01..' is not a range"),
]


@pytest.mark.parametrize(("window", "message"), [pytest.param(*case[1:], id=case[0]) for case in WINDOWS])
def test_a_window_that_names_no_partition_of_the_asset_is_refused(window: str, message: str, lake: Path) -> None:
    made = asset_giving(GOOD, lake)
    made.materialize(window=ap.TimePartitionWindow(DAY, DAY))
    before = stored(lake)

    with pytest.raises(AssetsError, match=message) as caught:
        made.materialize(window=window)  # type: ignore[arg-type]

    assert "orders" in caught.value.where
    assert caught.value.fix
    assert len(str(caught.value)) < 600
    assert stored(lake) == before


def test_a_partitioned_asset_needs_a_window(lake: Path) -> None:
    for nothing in (None, "", " \n"):
        with pytest.raises(AssetsError, match="partitioned") as caught:
            asset_giving(GOOD, lake).materialize(window=nothing)  # type: ignore[arg-type]

        assert caught.value.fix
    assert stored(lake) == {}


NAIVE = dt.datetime(2026, 3, 1, 5)
DATA = [
    ("rows without the column", DAILY, [{"n": 1}], "day"),
    ("a frame without the column", DAILY, pd.DataFrame({"n": [1]}), "'day'"),
    ("a table without the column", DAILY, pa.table({"n": [1]}), "'day'"),
    ("a null", DAILY, [*GOOD, {"day": None, "n": 2}], "row 1|1 of them without a value"),
    ("a foreign day", DAILY, [*GOOD, {"day": dt.date(2026, 3, 9), "n": 2}], "row 1 has day=2026-03-09"),
    ("a foreign word", DAILY, [{"day": "2026-03-01"}, {"day": "yesterday"}], "yesterday"),
    ("a word among dates", DAILY, [*GOOD, {"day": "yesterday", "n": 2}], "asset 'orders': row 0, column 'day'"),
    ("a number", DAILY, [{"day": 20260301, "n": 2}], "day"),
    ("naive datetimes", DAILY, [{"day": NAIVE, "n": 2}], "time zone|naive"),
    ("naive datetimes of hours", HOURLY, [{"at": NAIVE, "n": 2}], "time zone|naive"),
    ("naive datetimes of a frame", HOURLY, pd.DataFrame({"at": [NAIVE]}), "time zone|naive"),
    ("a mixed column", DAILY, [*GOOD, {"day": DAY, "n": object()}], "n"),
]


@pytest.mark.parametrize(("partitioning", "data", "message"), [pytest.param(*case[1:], id=case[0]) for case in DATA])
def test_data_that_does_not_fit_its_partitions_is_refused(
    partitioning: ap.TimePartitionConfig, data: Any, message: str, lake: Path
) -> None:
    window = "2026-03-01T05" if partitioning is HOURLY else "2026-03-01"

    with pytest.raises(AssetsError, match=message) as caught:
        asset_giving(data, lake, partitioning).materialize(window=window)  # type: ignore[arg-type]

    assert caught.value.where
    assert caught.value.fix
    assert stored(lake) == {}


@pytest.mark.parametrize("kind", [ap.ParquetDestination, ap.CSVDestination, ap.FileDestination])
def test_columns_may_have_the_names_of_our_own_methods(kind: Any, lake: Path) -> None:
    rows = [{"day": DAY, **dict.fromkeys(AWKWARD, 1)}]
    made = asset_giving(rows, lake)(destinations=kind(base_path=lake))
    window = ap.TimePartitionWindow(DAY, DAY)

    made.materialize(window=window)

    table = made.default_destination.read(ap.IOContext(made, window))
    assert (table if isinstance(table, list) else table.to_pylist()) == rows


def test_a_destination_that_is_a_file_is_refused_and_the_file_stays(lake: Path) -> None:
    lake.write_text("mine")

    with pytest.raises(AssetsError, match="ENOTDIR") as caught:
        asset_giving(GOOD, lake).materialize(window=ap.TimePartitionWindow(DAY, DAY))

    assert str(lake) in str(caught.value)
    assert caught.value.fix
    assert lake.read_text() == "mine"


def test_a_file_that_was_cut_short_is_named_to_whoever_reads_it(lake: Path) -> None:
    class Shop(ap.Source):
        @ap.asset(partitioning=DAILY)
        def orders(self) -> Any:
            return GOOD

        @ap.asset(partitioning=DAILY)
        def totals(self, orders: ap.Upstream) -> Any:
            return orders.rows

    shop, window = Shop(destinations=ap.ParquetDestination(base_path=lake)), ap.TimePartitionWindow(DAY, DAY)
    shop.orders.materialize(window=window)
    (file,) = lake.rglob("data.parquet")
    file.write_bytes(file.read_bytes()[:-7])

    with pytest.raises(AssetsError, match=r"shop\.orders.*data\.parquet' has \d+ bytes") as caught:
        shop.totals.materialize(window=window)

    assert caught.value.fix
    assert not list(lake.rglob("totals/**/data.parquet"))


def test_errors_can_be_read_by_machines_too() -> None:
    with pytest.raises(AssetsError) as caught:
        cycle()

    assert json.dumps([caught.value.what, caught.value.where, caught.value.fix])
