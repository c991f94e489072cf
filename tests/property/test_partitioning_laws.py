"""Laws of partitions: one key each, no gap and no overlap, and intervals that are never rounded."""

import datetime as dt
import pickle
import re
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_provider.errors import PartitionError
from airflow_provider.partitioning.coverage import Span, gaps, merge, missing, stretches, subtract
from airflow_provider.partitioning.grain import Granularity
from airflow_provider.partitioning.interval import RunFacts, resolve
from airflow_provider.partitioning.partition import TimePartition
from airflow_provider.partitioning.time_config import TimePartitionConfig
from airflow_provider.partitioning.window import TimePartitionWindow

UTC = dt.timezone.utc
ZONES = [
    "Europe/Brussels",
    "America/New_York",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "America/Sao_Paulo",
    "America/St_Johns",
]
YEARS = {"min_value": dt.datetime(1970, 1, 1), "max_value": dt.datetime(2100, 1, 1)}

zones = st.sampled_from(ZONES)
grains = st.sampled_from(list(Granularity))


def _changes() -> list[dt.datetime]:
    """List instants at which the zones' clocks jump: uniform draws over 130 years would hardly ever meet one."""
    hours = [dt.datetime(2009, 1, 1, tzinfo=UTC) + dt.timedelta(hours=hour) for hour in range(24 * 365 * 4)]
    return [
        hour
        for zone in map(ZoneInfo, ZONES)
        for hour in hours
        if hour.astimezone(zone).utcoffset() != (hour + dt.timedelta(hours=1)).astimezone(zone).utcoffset()
    ]


near_a_jump = st.builds(
    lambda at, minutes: at + dt.timedelta(minutes=minutes), st.sampled_from(_changes()), st.integers(-3000, 3000)
)
instants = st.one_of(st.datetimes(**YEARS, timezones=st.just(UTC)), near_a_jump)
partitions = st.builds(TimePartition, instants, grains, zones)


def without_offset(key: str) -> str:
    return re.sub(r"(T[0-9]{2}).+", r"\1", key)


# --- keys ---


@given(partition=partitions)
def test_key_to_partition_to_key_is_the_identity(partition: TimePartition) -> None:
    again = TimePartition.from_key(partition.key, partition.granularity, partition.timezone)

    assert again == partition
    assert again.key == partition.key
    assert again.bounds == partition.bounds
    assert pickle.loads(pickle.dumps(partition)) == partition


@given(at=st.datetimes(min_value=dt.datetime(2, 1, 9), max_value=dt.datetime(9998, 12, 24)), grain=grains, zone=zones)
def test_the_identity_holds_in_every_year(at: dt.datetime, grain: Granularity, zone: str) -> None:
    partition = TimePartition(at.replace(tzinfo=UTC), grain, zone)

    assert TimePartition.from_key(partition.key, grain, zone) == partition
    assert partition.start <= at.replace(tzinfo=UTC) < partition.end


@given(
    text=st.text(max_size=40) | st.from_regex(r"[0-9]{4}-[0-9]{2}(-[0-9]{2}(T[0-9]{2})?)?\s?"), grain=grains, zone=zones
)
def test_a_text_is_a_canonical_key_or_an_error(text: str, grain: Granularity, zone: str) -> None:
    try:
        partition = TimePartition.from_key(text, grain, zone)
    except PartitionError:
        return
    assert partition.key == text


@given(one=instants, other=instants, grain=grains, zone=zones)
def test_keys_sort_as_time_does(one: dt.datetime, other: dt.datetime, grain: Granularity, zone: str) -> None:
    first, second = sorted([TimePartition(one, grain, zone), TimePartition(other, grain, zone)])

    assert first.start <= second.start
    assert (first.key == second.key) == (first == second)
    if without_offset(first.key) != without_offset(second.key) and not _clock_went_back_between(first, second):
        assert first.key < second.key


def _clock_went_back_between(first: TimePartition, second: TimePartition) -> bool:
    """Autumn: next to a repeated hour, labels may fall while time goes on."""
    repeated = "+" in first.key + second.key or (first.key + second.key).count("-") > 4
    return repeated and second.start - first.start <= dt.timedelta(hours=2)


# --- the axis ---


@given(at=instants, grain=grains, zone=zones)
def test_an_instant_lies_in_exactly_one_partition(at: dt.datetime, grain: Granularity, zone: str) -> None:
    partition = TimePartition(at, grain, zone)

    assert partition.start <= at < partition.end
    assert partition.next().start == partition.end
    assert partition.previous().end == partition.start
    assert partition.next().previous() == partition.previous().next() == partition
    assert TimePartition(partition.start, grain, zone) == partition
    assert TimePartition(partition.end - dt.timedelta(microseconds=1), grain, zone) == partition
    assert TimePartition(partition.end, grain, zone) == partition.next()


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("grain", [grain for grain in Granularity if grain is not Granularity.HOUR])
def test_partitions_tile_the_years_1970_to_2100(grain: Granularity, zone: str) -> None:
    window = TimePartitionWindow(dt.date(1970, 1, 1), dt.date(2100, 12, 31), grain, zone)

    _assert_tiles(window)


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("year", [1970, 1987, 1995, 2006, 2010, 2011, 2018, 2026, 2100])
def test_hours_tile_the_year(zone: str, year: int) -> None:
    window = TimePartitionWindow(dt.date(year, 1, 1), dt.date(year, 12, 31), Granularity.HOUR, zone)

    _assert_tiles(window)


def _assert_tiles(window: TimePartitionWindow) -> None:
    listed = list(window)
    keys = [partition.key for partition in listed]

    assert len(window) == len(listed) == len(set(keys))
    assert listed[0].start == window.start
    assert listed[-1].end == window.end
    assert all(before.end == after.start for before, after in pairwise(listed))
    assert all(partition.start < partition.end for partition in listed)
    assert [TimePartition.from_key(key, window.granularity, window.timezone) for key in keys] == listed


@pytest.mark.parametrize("zone", ZONES)
def test_a_day_begins_with_its_date_on_the_local_clock(zone: str) -> None:
    for day in TimePartitionWindow(dt.date(1970, 1, 1), dt.date(2100, 12, 31), "day", zone):
        before = (day.start - dt.timedelta(seconds=1)).astimezone(ZoneInfo(zone))

        assert day.start.astimezone(ZoneInfo(zone)).date() == day.date == dt.date.fromisoformat(day.key)
        assert before.date() < day.date


@given(at=instants, zone=zones)
def test_an_hour_has_one_label_and_one_offset(at: dt.datetime, zone: str) -> None:
    hour = TimePartition(at, "hour", zone)
    inside = [hour.start, at, hour.end - dt.timedelta(seconds=1)]
    local = [instant.astimezone(ZoneInfo(zone)) for instant in inside]

    assert {f"{moment:%Y-%m-%dT%H}" for moment in local} == {without_offset(hour.key)}
    assert len({moment.utcoffset() for moment in local}) == 1
    assert hour.end - hour.start <= dt.timedelta(hours=1)


@given(at=instants, grain=grains, zone=zones, by=st.integers(-400, 400))
def test_a_step_there_and_back_is_no_step(at: dt.datetime, grain: Granularity, zone: str, by: int) -> None:
    partition = TimePartition(at, grain, zone)

    moved = partition.step(by)

    assert moved.step(-by) == partition
    assert len(TimePartitionWindow.between(*sorted([partition, moved]))) == abs(by) + 1


# --- windows ---


@given(start=instants, grain=grains, zone=zones, size=st.integers(1, 60), data=st.data())
def test_windows_count_and_contain_what_they_list(
    start: dt.datetime, grain: Granularity, zone: str, size: int, data: st.DataObject
) -> None:
    first = TimePartition(start, grain, zone)
    window = TimePartitionWindow.between(first, first.step(size - 1))

    listed = list(window)

    assert len(window) == len(listed) == size
    assert all(partition in window and partition.key in window for partition in listed)
    assert first.previous() not in window
    assert window.last.next() not in window
    chosen = data.draw(st.lists(st.sampled_from(listed)))
    joined = TimePartitionWindow.contiguous(chosen)
    assert [partition for part in joined for partition in part] == sorted(set(chosen))
    assert all(one.end < other.start for one, other in pairwise(joined))


# --- intervals ---


@given(at=instants, minutes=st.integers(1, 60 * 24 * 40), grain=grains, zone=zones)
def test_an_interval_gives_exactly_the_partitions_that_end_in_it(
    at: dt.datetime, minutes: int, grain: Granularity, zone: str
) -> None:
    start, end = at, at + dt.timedelta(minutes=minutes)
    config = TimePartitionConfig(column="at", granularity=grain, timezone=zone)

    resolution = resolve(RunFacts(interval=(start, end)), config, where="x")

    ends = []
    partition = TimePartition(start, grain, zone).previous()
    while partition.end <= end:
        if partition.end > start:
            ends.append(partition)
        partition = partition.next()
    assert [partition for window in resolution.windows for partition in window] == ends
    assert resolution.skip == (not ends)


@given(at=instants, cuts=st.lists(st.integers(1, 60 * 24 * 3), min_size=1, max_size=6), grain=grains, zone=zones)
def test_neighbouring_intervals_cover_each_partition_once(
    at: dt.datetime, cuts: list[int], grain: Granularity, zone: str
) -> None:
    config = TimePartitionConfig(column="at", granularity=grain, timezone=zone)
    edges = [at]
    for minutes in cuts:
        edges.append(edges[-1] + dt.timedelta(minutes=minutes))

    parts = [config.completed_between(*pair) for pair in pairwise(edges)]
    whole = config.completed_between(edges[0], edges[-1])

    assert [p for part in parts if part for p in part] == list(whole or [])


@given(at=instants, lookback=st.integers(1, 50), offset=st.integers(1, 5), grain=grains, zone=zones)
def test_the_newest_partitions_are_complete(
    at: dt.datetime, lookback: int, offset: int, grain: Granularity, zone: str
) -> None:
    config = TimePartitionConfig(column="at", granularity=grain, timezone=zone, lookback=lookback, offset=offset)

    window = resolve(RunFacts(run_after=at), config, where="x").windows[0]

    assert len(window) == lookback
    assert window.last.end <= at
    assert window == TimePartitionWindow.lookback(at, lookback, offset, granularity=grain, timezone=zone)
    assert window.last.step(offset) == TimePartition(at, grain, zone)


@given(at=instants, chosen=st.sets(st.integers(0, 30), min_size=1), grain=grains, zone=zones)
def test_keys_come_to_one_window_set_whether_typed_or_told_by_events(
    at: dt.datetime, chosen: set[int], grain: Granularity, zone: str
) -> None:
    config = TimePartitionConfig(column="at", granularity=grain, timezone=zone)
    first = TimePartition(at, grain, zone)
    wanted = [first.step(by) for by in sorted(chosen)]
    keys = [partition.key for partition in reversed(wanted)]

    typed = resolve(RunFacts(typed=[f" {key}\n" for key in keys]), config, where="x").windows
    events = resolve(RunFacts(event_keys=keys), config, where="x").windows
    again = resolve(RunFacts(typed=[str(window) for window in typed]), config, where="x").windows

    assert typed == events == again
    assert [partition for window in typed for partition in window] == wanted


@given(at=instants, grain=grains, zone=zones)
def test_airflows_form_of_a_key_names_the_same_partition_or_is_refused(
    at: dt.datetime, grain: Granularity, zone: str
) -> None:
    config = TimePartitionConfig(column="at", granularity=grain, timezone=zone)
    partition = TimePartition(at, grain, zone)
    text = f"{partition.start.astimezone(ZoneInfo(zone)):%Y-%m-%dT%H:%M:%S}"
    ambiguous = len(partition.key) > len(Granularity.HOUR.example)

    if ambiguous:
        with pytest.raises(PartitionError, match="comes twice"):
            config.parse_run_key(text)
    else:
        assert config.parse_run_key(text) == partition.window


# --- coverage ---

moments = st.datetimes(min_value=dt.datetime(2026, 1, 1), max_value=dt.datetime(2026, 3, 1), timezones=st.just(UTC))
spans = st.tuples(moments, moments).map(lambda pair: (min(pair), max(pair)))


@given(wanted=spans, held=st.lists(spans))
def test_filling_the_gaps_covers_what_was_wanted(wanted: Span, held: list[Span]) -> None:
    found = missing(wanted, held)

    assert missing(wanted, [*held, *found]) == []
    assert all(missing(gap, held) == [gap] for gap in found)


@given(one=st.lists(spans), other=st.lists(spans))
def test_what_is_left_and_what_was_removed_make_up_the_whole(one: list[Span], other: list[Span]) -> None:
    left = subtract(one, other)

    assert merge([*left, *other]) == merge([*one, *other])
    assert subtract(left, other) == merge(left) == left
    assert subtract(one, one) == []


@given(at=instants, grain=grains, zone=zones, size=st.integers(1, 40), data=st.data())
def test_gaps_and_held_partitions_make_up_the_window(
    at: dt.datetime, grain: Granularity, zone: str, size: int, data: st.DataObject
) -> None:
    first = TimePartition(at, grain, zone)
    window = TimePartitionWindow.between(first, first.step(size - 1))
    held = data.draw(st.sets(st.sampled_from(window.keys)))

    found = gaps(window, held)

    absent = [partition for part in found for partition in part]
    assert {partition.key for partition in absent} == set(window.keys) - held
    assert found == TimePartitionWindow.contiguous(absent)
    assert gaps(window, held | {partition.key for partition in absent}) == ()


@given(at=instants, grain=grains, zone=zones, chosen=st.sets(st.integers(0, 40)))
def test_stretches_say_the_keys_and_no_more(at: dt.datetime, grain: Granularity, zone: str, chosen: set[int]) -> None:
    config = TimePartitionConfig(column="at", granularity=grain, timezone=zone)
    first = TimePartition(at, grain, zone)
    keys = {first.step(by).key for by in chosen}

    texts = stretches(keys, config, limit=100)

    assert {key for window in config.parse(texts) for key in window.keys} == keys


@given(one=instants, other=instants, grain=grains, zone=zones)
def test_clamping_to_start_and_end_is_an_intersection(
    one: dt.datetime, other: dt.datetime, grain: Granularity, zone: str
) -> None:
    start, end = sorted([TimePartition(one, grain, zone), TimePartition(other, grain, zone)])
    config = TimePartitionConfig(column="at", granularity=grain, timezone=zone, start=start, end=end)
    wider = TimePartitionWindow.between(start.previous(), end.next())

    assert config.clamp(wider) == wider.intersection(config.window(start, end)) == config.window(start, end)
    assert config.clamp(end.next().window) is None
    assert TimePartitionConfig.from_definition(config.to_definition()) == config
