"""A destination in whole runs: days without rows, stray rows, a retry that resumes, and an index that agrees."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.decorators import asset
from airflow_provider.definitions.destination import Destination
from airflow_provider.definitions.io_context import IOContext
from airflow_provider.definitions.upstream import Upstream
from airflow_provider.errors import DestinationError, PartitionError, SchemaError
from airflow_provider.execution import runner
from airflow_provider.execution.context import ExecutionContext
from airflow_provider.execution.outcome import RunResult
from airflow_provider.execution.write import RunInfo
from airflow_provider.schema.representations import TableData
from airflow_provider.storage.index import open_index
from airflow_provider.testing.contract import each
from airflow_provider.testing.destination_suite import DestinationSuite
from airflow_provider.testing.samples import DAILY, FIRST, MAPPED_TYPES, days, mapped_columns, plain, rows_for

WEEK = days(5)
Give = Callable[[ExecutionContext], Any]


class RunContract(DestinationSuite):
    """Laws 5, 6, 10 and 11: abilities ``map_*``, ``no_rows_keep``, ``no_rows_replace``, ``no_rows_fail``."""

    def test_a_run_fills_its_window_and_the_index_agrees(self, destination: Destination) -> None:
        made = produced(destination, lambda context: rows_for(context.window))
        statuses = [outcome.status for outcome in run(made).outcomes]
        assert statuses == ["committed"] * len(WEEK)
        assert self.rows(made) == rows_for(WEEK)
        self.assert_index_agrees(made)

    def test_a_window_run_equals_runs_of_single_partitions(self, destination: Destination) -> None:
        whole = produced(destination, lambda context: rows_for(context.window))
        single = produced(destination, lambda context: rows_for(context.window), key="single")
        run(whole)
        for partition in WEEK:
            run(single, partition.window)
        assert self.rows(whole) == self.rows(single)
        assert whole.partition_row_counts() == single.partition_row_counts()

    def test_an_asset_that_takes_no_windows_fills_one_partition_after_another(self, destination: Destination) -> None:
        one_by_one = type(DAILY)(column="day")
        made = produced(destination, lambda context: rows_for([context.partition]), partitioning=one_by_one)
        run(made)
        assert self.rows(made) == rows_for(WEEK)

    @each("kind", MAPPED_TYPES, prefix="map_")
    def test_a_type_is_read_back_as_the_type_map_says_or_refused_before_the_first_write(
        self, destination: Destination, kind: str
    ) -> None:
        import pyarrow as pa

        column = mapped_columns()[kind]
        table = pa.table({"day": pa.array([FIRST] * len(column)), "cell": column})
        made = produced(destination, lambda context: table)
        types, told = destination.type_map, {"where": "contract", "destination": destination.label}
        try:
            types.check_table(table, **told)
        except SchemaError:
            with pytest.raises(SchemaError, match="cannot be stored"):
                run(made, days(1))
            assert not self.is_there(destination, IOContext(made, days(1)))
            return
        assert run(made, days(1)).bad == []
        found = TableData.of(self.load(destination, IOContext(made, days(1))))
        assert found is not None
        assert found.num_rows == len(column)
        if destination.representation in (None, "arrow", "reader"):
            assert found.arrow().schema.field("cell").type == types.returned(table.schema.field("cell")).type

    @each("rule", ("keep", "replace", "fail"), prefix="no_rows_")
    def test_a_day_without_rows_follows_on_empty(self, destination: Destination, rule: str) -> None:
        def give(context: ExecutionContext) -> Any:
            return [row for row in rows_for(context.window, version=2) if row["day"].day != 2]

        run(produced(destination, lambda context: rows_for(context.window)))
        made = produced(destination, give, on_empty=rule)
        result = run(made)
        old = [row for row in rows_for(WEEK) if row["day"].day == 2]
        day_2 = [row for row in self.rows(made) if row["day"].day == 2]
        assert day_2 == ([] if rule == "replace" else old)
        assert [row for row in self.rows(made) if row["day"].day != 2] == give_all_but_day_2()
        said = {"keep": "kept", "replace": "empty", "fail": "failed"}[rule]
        assert [outcome.status for outcome in result.outcomes][1] == said
        self.assert_index_agrees(made)

    @each("rule", ("keep", "replace", "fail"), prefix="no_rows_")
    def test_a_run_without_any_rows_follows_on_empty(self, destination: Destination, rule: str) -> None:
        run(produced(destination, lambda context: rows_for(context.window)))
        made = produced(destination, lambda context: [], on_empty=rule)
        run(made)
        assert self.rows(made) == ([] if rule == "replace" else rows_for(WEEK))
        self.assert_index_agrees(made)

    @pytest.mark.parametrize("stray", ["another day", "no day"])
    def test_stray_rows_are_refused_before_the_first_write(self, destination: Destination, stray: str) -> None:
        run(produced(destination, lambda context: rows_for(context.window)))
        row = {**rows_for(days(9))[-1], **({"day": None} if stray == "no day" else {})}
        made = produced(destination, lambda context: [*rows_for(context.window, version=2), row])
        with pytest.raises(PartitionError, match="outside the window"):
            run(made)
        assert self.rows(made) == rows_for(WEEK)

    def test_stray_rows_are_dropped_where_the_asset_says_so(self, destination: Destination) -> None:
        made = produced(destination, lambda context: rows_for(days(9)), stray_rows="drop")
        run(made)
        assert self.rows(made) == rows_for(WEEK)

    def test_a_retry_writes_only_what_is_missing(
        self, destination: Destination, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made = produced(destination, lambda context: rows_for(context.window))
        with monkeypatch.context() as patched:
            _fail_at(patched, destination, "2026-03-03")
            assert len(run(made, attempt="mine").bad) == 1
        assert made.partition_row_counts() == {key: 2 for key in WEEK.keys if key != "2026-03-03"}
        statuses = {outcome.key: outcome.status for outcome in run(made, attempt="mine").outcomes}
        assert statuses == {key: "committed" if key == "2026-03-03" else "held" for key in WEEK.keys}
        assert self.rows(made) == rows_for(WEEK)
        self.assert_index_agrees(made)

    def test_a_clear_runs_everything_again(self, destination: Destination) -> None:
        run(produced(destination, lambda context: rows_for(context.window)), attempt="before")
        made = produced(destination, lambda context: rows_for(context.window, version=2))
        run(made, attempt="after the clear")
        assert self.rows(made) == rows_for(WEEK, version=2)

    def test_a_failing_asset_leaves_everything_as_it_was(self, destination: Destination) -> None:
        def fail(context: ExecutionContext) -> Any:
            raise ZeroDivisionError

        run(produced(destination, lambda context: rows_for(context.window)))
        made = produced(destination, fail)
        with pytest.raises(ZeroDivisionError):
            run(made)
        assert self.rows(made) == rows_for(WEEK)
        self.assert_index_agrees(made)

    def test_another_asset_reads_what_is_there_and_is_told_what_is_not(self, destination: Destination) -> None:
        seen: list[Upstream] = []

        def totals(orders: Upstream) -> Any:
            seen.append(orders)
            return [{"day": row["day"], "n": row["n"]} for row in orders.rows]

        upstream = produced(destination, lambda context: rows_for(context.window))
        run(upstream, days(2))
        reader = asset(key="totals", dataset="shop", partitioning=DAILY)(totals)
        made = reader(orders=upstream, destinations=destination)
        run(made, days(3))
        assert plain(seen[0].rows) == rows_for(days(2))
        assert list(seen[0].missing) == ["2026-03-03"]
        assert made.partition_row_counts() == {"2026-03-01": 2, "2026-03-02": 2}

    def rows(self, made: Asset) -> list[dict[str, Any]]:
        """All that the asset's destination holds of the week."""
        return plain(self.load(made.default_destination, IOContext(made, WEEK)))

    def assert_index_agrees(self, made: Asset) -> None:
        """The index says of every partition what the commit records say."""
        destination = made.default_destination
        committed = self.committer(destination, IOContext(made, WEEK)).all_records()
        indexed = open_index().read(made.qualified_key, destination.address).records
        assert {r.key: _facts(r) for r in committed} == {key: _facts(r) for key, r in indexed.items()}
        assert made.partition_row_counts() == {r.key: r.rows for r in committed}


def produced(destination: Destination, give: Give, *, key: str = "orders", **settings: Any) -> Asset:
    """An asset whose data is what ``give`` returns for its context."""

    def orders(context: ExecutionContext) -> Any:
        return give(context)

    made = asset(key=key, dataset="shop", **{"partitioning": DAILY, **settings})(orders)
    bound: Asset = made(destinations=destination)
    return bound


def run(made: Asset, window: Any = WEEK, *, attempt: str | None = None) -> RunResult:
    """One run; partitions that fail are outcomes."""
    return runner.execute(made, windows=(window,), info=RunInfo(attempt) if attempt else None)


def give_all_but_day_2() -> list[dict[str, Any]]:
    """The second version of every day of the week but the second."""
    return [row for row in rows_for(WEEK, version=2) if row["day"].day != 2]


def _facts(record: Any) -> Mapping[str, Any]:
    return {name: getattr(record, name) for name in ("fence", "attempt", "state", "rows")}


def _fail_at(patched: pytest.MonkeyPatch, destination: Destination, key: str) -> None:
    """Have every committer of the destination fail at one partition, as a store does that is away for a moment."""
    kind = type(destination)
    real = kind.committer

    def committer(self: Destination, context: IOContext, **options: Any) -> Any:
        found: Any = real(self, context, **options)
        commit = found.commit

        def failing(partition: Any, data: Any, stamp: Any) -> Any:
            if partition.key == key:
                raise DestinationError("is away", where=self.label, fix="try again")
            return commit(partition, data, stamp)

        found.commit = failing
        return found

    patched.setattr(kind, "committer", committer)
