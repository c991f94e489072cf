"""What every destination must do, as a test class: subclass it, say how to build yours, and pytest runs the lot.

::

    class TestMyDestination(DestinationContract):
        def make(self, tmp_path: Path) -> Destination:
            return MyDestination(path=tmp_path)

What a destination cannot do stands in ``cannot``: the test's name, the exact exception, the reason. Such a test must
fail with just that exception.
"""

import datetime as dt
import decimal
import math
import zoneinfo
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from airflow_provider.definitions.destination import Committer, Destination, Stamp
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.errors import DataNotFoundError, SupersededError
from airflow_provider.partitioning import Partition, TimePartitionConfig, TimePartitionWindow

if TYPE_CHECKING:
    import pyarrow as pa

DAILY = TimePartitionConfig(column="day", allow_window=True)
HOURLY = TimePartitionConfig(column="at", granularity="hour", timezone="Europe/Berlin", allow_window=True)
FIRST = dt.date(2026, 3, 1)


@dataclass(frozen=True)
class StoredAsset:
    """As much of an asset as a destination looks at."""

    key: str = "orders"
    table: str = "orders"
    dataset: str = "shop"
    partitioning: TimePartitionConfig | None = DAILY

    @property
    def qualified_key(self) -> str:
        """``shop.orders``."""
        return f"shop.{self.key}"

    @property
    def label(self) -> str:
        """For messages."""
        return f"asset {self.qualified_key!r}"


def context_of(asset: StoredAsset, window: TimePartitionWindow | None = None, **fields: Any) -> IOContext:
    """An ``IOContext`` of ``asset``."""
    return IOContext(asset, window, **fields)  # type: ignore[arg-type]


def days(count: int, *, first: dt.date = FIRST) -> TimePartitionWindow:
    """A window of ``count`` days in UTC."""
    return DAILY.window(first, first + dt.timedelta(days=count - 1))


def rows_for(partitions: Iterable[Partition | None], *, version: int = 1, per_day: int = 2) -> list[dict[str, Any]]:
    """``per_day`` rows for each day, stamped with ``version``."""
    return [
        {"day": getattr(partition, "date", FIRST), "n": n, "version": version}
        for partition in partitions
        for n in range(per_day)
    ]


def typed_rows() -> list[dict[str, Any]]:
    """Rows of every type that must survive, with the values that stores like to lose."""
    berlin = zoneinfo.ZoneInfo("Europe/Berlin")
    texts = ["", None, "é😀 \u200b", 'q"uo,te', "two\nlines", "cr\rlf\r\n", "007", " pad ", "nan", "NULL", "\\N", "'"]
    return [
        {
            "day": FIRST,
            "text": text,
            "number": None if n == 1 else 2**53 + n,
            "real": [1.5, None, math.inf, -math.inf, math.nan, -0.0, 1e-310, 1 / 3][n % 8],
            "flag": [True, None, False][n % 3],
            "bytes": [b"", None, b"\x00\xff\n", b"abc"][n % 4],
            "naive": [dt.datetime(2026, 3, 1, 1, 2, 3, 456789), None, dt.datetime(1, 1, 1)][n % 3],  # noqa: DTZ001
            "aware": [dt.datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=berlin), None][n % 2],
            "time": [dt.time(23, 59, 59, 999999), None, dt.time(0)][n % 3],
            "span": [dt.timedelta(days=-1, microseconds=1), None, dt.timedelta(0)][n % 3],
            "money": [decimal.Decimal("12.30"), None, decimal.Decimal("-0.01")][n % 3],
            "list": [[1, 2], None, []][n % 3],
            "struct": [{"a": "x", "b": 1.5}, None, {"a": "", "b": None}][n % 3],
            "nothing": None,
        }
        for n, text in enumerate(texts)
    ]


def typed_table() -> "pa.Table":
    """The same as Arrow, with types that rows cannot tell apart."""
    import pyarrow as pa

    count = 3
    return pa.table(
        {
            "day": pa.array([FIRST] * count, pa.date32()),
            "small": pa.array([1, None, -128], pa.int8()),
            "big": pa.array([2**64 - 1, None, 0], pa.uint64()),
            "single": pa.array([1.5, None, math.inf], pa.float32()),
            "seconds": pa.array([0, None, 1], pa.timestamp("s")),
            "nanos": pa.array([1, None, 1_000_000_007], pa.timestamp("ns", "America/New_York")),
            "noon": pa.array([43200, None, 0], pa.time32("s")),
            "span": pa.array([5, None, -1], pa.duration("ms")),
            "money": pa.array([decimal.Decimal("0.000000001"), None, decimal.Decimal(-7)], pa.decimal128(38, 9)),
            "long": pa.array(["a", None, ""], pa.large_string()),
            "tag": pa.array(["x", None, "x"]).dictionary_encode(),
            "deep": pa.array(
                [[{"t": dt.datetime(2026, 3, 1), "d": decimal.Decimal("1.0"), "b": b"\x00"}], None, []],  # noqa: DTZ001
                pa.list_(pa.struct([("t", pa.timestamp("us")), ("d", pa.decimal128(5, 1)), ("b", pa.binary())])),
            ),
            "none": pa.nulls(count),
        }
    )


def plain(value: Any) -> list[dict[str, Any]]:
    """Tabular data as rows in which NaN equals NaN."""
    from airflow_provider.schema.representations import TableData

    data = TableData.of(value)
    assert data is not None, f"not tabular: {type(value)}"
    return [{name: _comparable(cell) for name, cell in row.items()} for row in data.to("rows")]


def _comparable(cell: Any) -> Any:
    if isinstance(cell, float):
        return "nan" if math.isnan(cell) else repr(cell)
    if isinstance(cell, dt.datetime) and cell.tzinfo is not None:
        return cell.astimezone(dt.timezone.utc)
    return cell


class DestinationContract:
    """Subclass, and define ``make``."""

    cannot: ClassVar[dict[str, tuple[type[Exception], str]]] = {}
    asset: ClassVar[StoredAsset] = StoredAsset()

    def make(self, tmp_path: Path) -> Destination:
        """A new destination over an empty store."""
        raise NotImplementedError

    @pytest.fixture(autouse=True)
    def _only_what_it_can(self, request: pytest.FixtureRequest) -> None:
        if request.node.originalname in self.cannot:
            raises, reason = self.cannot[request.node.originalname]
            request.applymarker(pytest.mark.xfail(raises=raises, reason=reason, strict=True))

    @pytest.fixture
    def destination(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Destination:
        """The destination under test; the deployment's index is empty."""
        monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", str(tmp_path / "index"))
        return self.make(tmp_path / "data")

    def committer(self, destination: Destination, context: IOContext) -> Committer:
        """The committer, with hooks called directly."""
        return destination.committer(context, call=run_hook)

    def store(self, destination: Destination, context: IOContext, data: Any, *, attempt: str = "a") -> int:
        """Write as execution does: fence, slices in the form asked for, one commit each. Returns the fence."""
        committer = self.committer(destination, context)
        fence = committer.take_fence()
        for partition, part in context.slices(data):
            committer.commit(partition, _in_form(part, destination.representation), Stamp(fence=fence, attempt=attempt))
        return fence

    def load(self, destination: Destination, context: IOContext) -> Any:
        """Read, through a sync or async hook."""
        return run_hook(destination.read, context)

    def test_python_types_survive_without_a_schema(self, destination: Destination) -> None:
        context = context_of(self.asset, days(1))
        self.store(destination, context, typed_rows())
        assert plain(self.load(destination, context)) == plain(typed_rows())

    def test_arrow_types_survive_without_a_schema(self, destination: Destination) -> None:
        from airflow_provider.schema.representations import TableData

        context = context_of(self.asset, days(1))
        self.store(destination, context, typed_table())
        data = TableData.of(self.load(destination, context))
        assert data is not None
        assert data.arrow().schema.equals(typed_table().schema)
        assert data.arrow().equals(typed_table())

    def test_a_frame_survives(self, destination: Destination) -> None:
        import pandas as pd

        context = context_of(self.asset, days(1))
        frame = pd.DataFrame({"day": [FIRST] * 3, "n": [1, 2, 3], "text": ["a", "", None]})
        self.store(destination, context, frame)
        assert plain(self.load(destination, context)) == plain(frame)

    def test_zero_rows_keep_their_columns(self, destination: Destination) -> None:
        from airflow_provider.schema.representations import TableData

        context = context_of(self.asset, days(1))
        self.store(destination, context, typed_table().slice(0, 0))
        data = TableData.of(self.load(destination, context))
        assert data is not None
        assert data.num_rows == 0
        assert list(data.columns) == typed_table().column_names

    def test_the_unpartitioned_whole(self, destination: Destination) -> None:
        context = context_of(StoredAsset(partitioning=None))
        self.store(destination, context, [{"n": 1}])
        self.store(destination, context, [{"n": 2}])
        assert plain(self.load(destination, context)) == [{"n": 2}]

    def test_twice_is_once(self, destination: Destination) -> None:
        context = context_of(self.asset, days(3))
        for _ in range(2):
            self.store(destination, context, rows_for(context.partitions))
        assert plain(self.load(destination, context)) == rows_for(context.partitions)

    def test_neighbours_are_untouched(self, destination: Destination) -> None:
        week, middle = context_of(self.asset, days(3)), context_of(self.asset, DAILY.window("2026-03-02"))
        self.store(destination, week, rows_for(week.partitions))
        self.store(destination, middle, rows_for(middle.partitions, version=2))
        versions = {(row["day"].day, row["version"]) for row in plain(self.load(destination, week))}
        assert versions == {(1, 1), (2, 2), (3, 1)}

    def test_a_window_equals_its_partitions_one_by_one(self, destination: Destination) -> None:
        whole = context_of(self.asset, days(4))
        single = context_of(StoredAsset(key="single", table="single"), days(4))
        rows = rows_for(whole.partitions)
        self.store(destination, whole, rows)
        for partition in single.partitions:
            self.store(destination, single.narrowed(partition), rows_for([partition]))
        assert plain(self.load(destination, whole)) == plain(self.load(destination, single)) == rows
        stored = [
            sorted((str(r.key), r.rows, r.sha256) for r in self.committer(destination, context).all_records())
            for context in (whole, single)
        ]
        assert stored[0] == stored[1]

    def test_destination_write_equals_commits(self, destination: Destination) -> None:
        context = context_of(self.asset, days(3))
        run_hook(destination.write, context, rows_for(context.partitions))
        assert plain(self.load(destination, context)) == rows_for(context.partitions)

    def test_a_hole_in_a_window_is_named(self, destination: Destination) -> None:
        for day in ("2026-03-01", "2026-03-03"):
            context = context_of(self.asset, DAILY.window(day))
            self.store(destination, context, rows_for(context.partitions))
        window = context_of(self.asset, days(3))
        assert len(plain(self.load(destination, window))) == 4
        assert window.missing == ["2026-03-02"]

    def test_nothing_there_is_an_error(self, destination: Destination) -> None:
        with pytest.raises(DataNotFoundError, match=r"shop\.orders"):
            self.load(destination, context_of(self.asset, days(2)))

    def test_fences_rise(self, destination: Destination) -> None:
        committer = self.committer(destination, context_of(self.asset, days(1)))
        fences = [committer.take_fence() for _ in range(5)]
        assert fences == sorted(set(fences))

    def test_a_late_writer_is_refused(self, destination: Destination) -> None:
        context = context_of(self.asset, days(1))
        (day,) = context.partitions
        late, newer = self.committer(destination, context), self.committer(destination, context)
        late_fence, newer_fence = late.take_fence(), newer.take_fence()
        form = destination.representation
        newer.commit(day, _in_form(rows_for([day], version=2), form), Stamp(fence=newer_fence, attempt="newer"))
        with pytest.raises(SupersededError, match="newer"):
            late.commit(day, _in_form(rows_for([day], version=1), form), Stamp(fence=late_fence, attempt="late"))
        assert plain(self.load(destination, context)) == rows_for([day], version=2)
        assert late.records([day.key])[day.key].attempt == "newer"  # type: ignore[union-attr]

    def test_a_fence_commits_a_partition_once(self, destination: Destination) -> None:
        context = context_of(self.asset, days(1))
        (day,) = context.partitions
        fence = self.store(destination, context, rows_for([day], version=1), attempt="first")
        committer, data = (
            self.committer(destination, context),
            _in_form(rows_for([day], version=2), destination.representation),
        )
        with pytest.raises(SupersededError):
            committer.commit(day, data, Stamp(fence=fence, attempt="again"))
        assert plain(self.load(destination, context)) == rows_for([day], version=1)

    def test_records_say_what_was_committed(self, destination: Destination) -> None:
        context = context_of(self.asset, days(3))
        fence = self.store(destination, context, rows_for(context.partitions), attempt="mine")
        committer = self.committer(destination, context)
        found = committer.records(["2026-03-02", "2026-03-09"])
        assert list(found) == ["2026-03-02"]
        record = found["2026-03-02"]
        assert (record.asset, record.destination) == ("shop.orders", destination.address)
        assert (record.fence, record.attempt, record.state, record.rows) == (fence, "mine", "committed", 2)
        assert sorted(r.key or "" for r in committer.all_records()) == ["2026-03-01", "2026-03-02", "2026-03-03"]

    def test_an_emptied_partition_is_held_and_has_no_rows(self, destination: Destination) -> None:
        context = context_of(self.asset, days(2))
        self.store(destination, context, rows_for(context.partitions))
        first = context.partitions[0]
        committer = self.committer(destination, context)
        record = committer.commit_empty(first, Stamp(fence=committer.take_fence(), attempt="b"))
        assert (record.state, record.rows) == ("empty", 0)
        assert plain(self.load(destination, context.narrowed(first))) == []
        assert plain(self.load(destination, context)) == rows_for(context.partitions[1:])
        assert context.missing == []
        self.store(destination, context, rows_for(context.partitions, version=2))
        assert plain(self.load(destination, context)) == rows_for(context.partitions, version=2)

    def test_row_counts(self, destination: Destination) -> None:
        context = context_of(self.asset, days(2))
        self.store(destination, context, [*rows_for(context.partitions), {"day": FIRST, "n": 9, "version": 1}])
        assert run_hook(destination.partition_row_counts, context) == {"2026-03-01": 3, "2026-03-02": 2}

    def test_a_producer_that_changes_its_data_later_changes_nothing(self, destination: Destination) -> None:
        context = context_of(self.asset, days(1))
        rows = rows_for(context.partitions)
        self.store(destination, context, rows)
        rows[0]["n"] = 99
        rows.clear()
        assert plain(self.load(destination, context)) == rows_for(context.partitions)

    def test_tables_with_like_names_stay_apart(self, destination: Destination) -> None:
        assets = [
            StoredAsset(key=f"k{n}", dataset=dataset, table=table)
            for n, (dataset, table) in enumerate(
                [("", "a"), ("a", "b"), ("", "b"), ("A", "b"), ("a/b", "c"), ("..", "a")]
            )
        ]
        contexts = [context_of(asset, days(1)) for asset in assets]
        for version, context in enumerate(contexts):
            self.store(destination, context, rows_for(context.partitions, version=version))
        for version, context in enumerate(contexts):
            assert {row["version"] for row in plain(self.load(destination, context))} == {version}
            assert run_hook(destination.partition_row_counts, context) == {"2026-03-01": 2}

    def test_both_hours_of_autumn(self, destination: Destination) -> None:
        asset = StoredAsset(partitioning=HOURLY)
        window = HOURLY.window("2026-10-25T01", "2026-10-25T03")
        assert len(window.keys) == 4
        context = context_of(asset, window)
        rows = [{"at": partition.start, "n": n} for n, partition in enumerate(window)]
        self.store(destination, context, rows)
        assert [row["n"] for row in plain(self.load(destination, context))] == [0, 1, 2, 3]
        assert set(run_hook(destination.partition_row_counts, context)) == set(window.keys)

    def test_a_healthy_store_needs_no_repair(self, destination: Destination) -> None:
        context = context_of(self.asset, days(2))
        self.store(destination, context, rows_for(context.partitions))
        assert self.committer(destination, context).repair() == []
        assert destination.check() == []


def run_hook(hook: Callable[..., Any], *args: Any) -> Any:
    """Run a sync or async hook to its end."""
    import asyncio
    import inspect

    result = hook(*args)
    if not inspect.isawaitable(result):
        return result

    async def waited() -> Any:
        return await result

    return asyncio.run(waited())


def _in_form(data: Any, form: str | None) -> Any:
    from airflow_provider.schema.representations import TableData

    table = TableData.of(data)
    return data if table is None or form is None else table.to(form)
