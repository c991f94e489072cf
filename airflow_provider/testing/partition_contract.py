"""Writing a partition replaces exactly that partition, whatever its key; a read says what is there and what is not."""

from typing import Any

import pytest

from airflow_provider.definitions.destination import Destination, Stamp, in_form
from airflow_provider.errors import AssetsError, DataNotFoundError, PartitionError
from airflow_provider.testing.contract import ability
from airflow_provider.testing.destination_suite import DestinationSuite, nothing_left_unawaited, run_hook
from airflow_provider.testing.samples import (
    DAILY,
    FIRST,
    HOSTILE_KEYS,
    HOURLY,
    ORDINARY_KEYS,
    KeyedBy,
    NamedPartition,
    StoredAsset,
    context_of,
    days,
    plain,
    rows_for,
)


class PartitionContract(DestinationSuite):
    """Laws 4, 6 and 14: abilities ``hostile_keys``, ``hostile_names``, ``empty``, ``row_counts``."""

    def test_twice_is_once(self, destination: Destination) -> None:
        context = context_of(self.asset, days(3))
        for _ in range(2):
            self.store(destination, context, rows_for(context.partitions))
        assert plain(self.load(destination, context)) == rows_for(context.partitions)

    def test_fewer_rows_leave_nothing_of_the_old_ones(self, destination: Destination) -> None:
        context = context_of(self.asset, days(2))
        self.store(destination, context, rows_for(context.partitions, per_day=50))
        self.store(destination, context, rows_for(context.partitions, version=2, per_day=1))
        assert plain(self.load(destination, context)) == rows_for(context.partitions, version=2, per_day=1)

    def test_neighbours_are_untouched(self, destination: Destination) -> None:
        week, middle = context_of(self.asset, days(3)), context_of(self.asset, DAILY.window("2026-03-02"))
        self.store(destination, week, rows_for(week.partitions))
        self.store(destination, middle, rows_for(middle.partitions, version=2))
        versions = [(row["day"].day, row["version"]) for row in plain(self.load(destination, week))]
        assert versions == [(1, 1), (1, 1), (2, 2), (2, 2), (3, 1), (3, 1)]

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

    def test_a_window_read_equals_its_partitions_read_one_by_one(self, destination: Destination) -> None:
        context = context_of(self.asset, days(3))
        self.store(destination, context, rows_for(context.partitions))
        one_by_one = [
            row for p in context.partitions for row in plain(self.load(destination, context.narrowed(p)))
        ]  # fmt: skip
        assert plain(self.load(destination, context)) == one_by_one == rows_for(context.partitions)

    def test_a_write_by_hand_stores_every_partition_of_the_window(self, destination: Destination) -> None:
        context = context_of(self.asset, days(3))
        rows = list(reversed(rows_for(context.partitions)))
        run_hook(destination.write, context, in_form(destination, rows))
        found = {day: [] for day in ("2026-03-01", "2026-03-02", "2026-03-03")}  # type: dict[str, list[int]]
        for row in plain(self.load(destination, context)):
            found[str(row["day"])].append(row["n"])
        assert found == {day: [1, 0] for day in found}

    def test_no_async_hook_is_left_unawaited(self, destination: Destination) -> None:
        context = context_of(self.asset, days(2))
        with nothing_left_unawaited():
            run_hook(destination.write, context, in_form(destination, rows_for(context.partitions)))
            self.store(destination, context, rows_for(context.partitions, version=2))
            found = self.load(destination, context)
            self.held(destination, context)
        assert plain(found) == rows_for(context.partitions, version=2)

    def test_a_row_outside_the_window_is_refused_before_anything_is_written(self, destination: Destination) -> None:
        context = context_of(self.asset, days(2))
        rows = rows_for(days(3))
        with pytest.raises(PartitionError, match="outside"):
            run_hook(destination.write, context, in_form(destination, rows))
        assert not self.is_there(destination, context_of(self.asset, days(3)))

    def test_a_hole_in_a_window_is_named(self, destination: Destination) -> None:
        for day in ("2026-03-01", "2026-03-03"):
            context = context_of(self.asset, DAILY.window(day))
            self.store(destination, context, rows_for(context.partitions))
        window = context_of(self.asset, days(4))
        assert plain(self.load(destination, window)) == rows_for([*days(1), *DAILY.window("2026-03-03")])
        assert window.missing == ["2026-03-02", "2026-03-04"]

    def test_a_window_without_holes_misses_nothing(self, destination: Destination) -> None:
        context = context_of(self.asset, days(3))
        self.store(destination, context, rows_for(context.partitions))
        self.load(destination, context)
        assert context.missing == []

    def test_nothing_there_is_an_error(self, destination: Destination) -> None:
        for window in (days(1), days(2), None):
            asset = self.asset if window is not None else StoredAsset(key="whole", table="whole", partitioning=None)
            with pytest.raises(DataNotFoundError, match=rf"shop\.{asset.key}"):
                self.load(destination, context_of(asset, window))

    @ability("empty")
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

    @ability("row_counts")
    def test_row_counts(self, destination: Destination) -> None:
        context = context_of(self.asset, days(2))
        self.store(destination, context, [*rows_for(context.partitions), {"day": FIRST, "n": 9, "version": 1}])
        assert self.held(destination, context) == {"2026-03-01": 3, "2026-03-02": 2}
        self.store(destination, context, rows_for(context.partitions))
        assert self.held(destination, context) == {"2026-03-01": 2, "2026-03-02": 2}

    @ability("hostile_names")
    def test_tables_with_like_names_stay_apart(self, destination: Destination) -> None:
        names = [("", "a"), ("a", "b"), ("", "b"), ("A", "b"), ("a/b", "c"), ("..", "a")]
        assets = [StoredAsset(key=f"k{n}", dataset=dataset, table=table) for n, (dataset, table) in enumerate(names)]
        contexts = [context_of(asset, days(1)) for asset in assets]
        for version, context in enumerate(contexts):
            self.store(destination, context, rows_for(context.partitions, version=version))
        for version, context in enumerate(contexts):
            assert {row["version"] for row in plain(self.load(destination, context))} == {version}
            assert self.held(destination, context) == {"2026-03-01": 2}

    @ability("hostile_keys")
    def test_every_key_is_kept_apart_or_refused_before_anything_is_written(self, destination: Destination) -> None:
        context = context_of(StoredAsset(partitioning=KeyedBy()))
        partitions = [NamedPartition(key) for key in (*ORDINARY_KEYS, *HOSTILE_KEYS)]
        accepted: list[NamedPartition] = []
        for number, partition in enumerate(partitions):
            try:
                self.store(destination, context.narrowed(partition), [{"region": number}])
            except AssetsError:  # refused, in words
                assert partition.key not in ORDINARY_KEYS
            else:
                accepted.append(partition)
        for partition in accepted:
            found = plain(self.load(destination, context.narrowed(partition)))
            assert found == [{"region": partitions.index(partition)}], f"key {partition.key!r} met another one"
        assert self.held(destination, context) == {partition.key: 1 for partition in accepted}

    def test_both_hours_of_autumn(self, destination: Destination) -> None:
        window = HOURLY.window("2026-10-25T01", "2026-10-25T03")
        context = context_of(StoredAsset(partitioning=HOURLY), window)
        assert len(window.keys) == 4
        rows: list[dict[str, Any]] = [{"at": partition.start, "n": n} for n, partition in enumerate(window)]
        self.store(destination, context, rows)
        assert [row["n"] for row in plain(self.load(destination, context))] == [0, 1, 2, 3]
        assert set(self.held(destination, context)) == set(window.keys)
