"""From run to window: every cell of the table."""

import datetime as dt
from dataclasses import replace
from itertools import pairwise

import pytest

from airflow_provider.errors import PartitionError
from airflow_provider.partitioning.interval import Resolution, RunFacts, near_misses, resolve
from airflow_provider.partitioning.list_config import ListPartitionConfig
from airflow_provider.partitioning.multi_config import MultiPartitionConfig
from airflow_provider.partitioning.time_config import TimePartitionConfig
from airflow_provider.partitioning.window import TimePartitionWindow

WHERE = "asset 'nyc.flights'"
DAILY = TimePartitionConfig(column="day", start=dt.date(2026, 1, 1), end=dt.date(2026, 12, 31))
HOURLY = TimePartitionConfig(column="at", granularity="hour")
BRUSSELS = TimePartitionConfig(column="day", timezone="Europe/Brussels")
NEW_YORK = TimePartitionConfig(column="day", timezone="America/New_York")
MONTHLY = TimePartitionConfig(column="day", granularity="month")
TRAILING = replace(DAILY, lookback=3, offset=2)
PROGRESS = replace(DAILY, offset=0)
EAGER = replace(DAILY, incomplete="run")


def at(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(f"{text}+00:00")


def interval(start: str, end: str) -> tuple[dt.datetime, dt.datetime]:
    return at(start), at(end)


def run(facts: RunFacts, config: TimePartitionConfig | None = DAILY) -> Resolution:
    return resolve(facts, config, where=WHERE)


DAY = interval("2026-03-05T00:00", "2026-03-06T00:00")
TICK = interval("2026-03-06T00:00", "2026-03-06T00:00")
NOW = at("2026-03-06T10:15")

COVERED = [
    # rule 1: typed
    ("a key", RunFacts(typed="2026-03-01"), DAILY, 1, ["2026-03-01"]),
    ("a range", RunFacts(typed="2026-03-01..2026-03-03"), DAILY, 1, ["2026-03-01..2026-03-03"]),
    (
        "a list",
        RunFacts(typed=["2026-03-09", "2026-03-01..2026-03-02"]),
        DAILY,
        1,
        ["2026-03-01..2026-03-02", "2026-03-09"],
    ),
    ("a list of neighbours", RunFacts(typed=["2026-03-02", "2026-03-01"]), DAILY, 1, ["2026-03-01..2026-03-02"]),
    ("a trailing newline", RunFacts(typed="2026-03-01\n"), DAILY, 1, ["2026-03-01"]),
    ("blanks among keys", RunFacts(typed=["2026-03-01", "", " "]), DAILY, 1, ["2026-03-01"]),
    (
        "a window object",
        RunFacts(typed=TimePartitionWindow("2026-03-01", "2026-03-02")),
        DAILY,
        1,
        ["2026-03-01..2026-03-02"],
    ),
    (
        "typed wins over all",
        RunFacts("2026-03-01", "2026-03-02", DAY, NOW, NOW, ("2026-03-03",)),
        DAILY,
        1,
        ["2026-03-01"],
    ),
    (
        "typed hours of a manual run",
        RunFacts("2026-03-01T02..2026-03-01T03", run_after=NOW),
        HOURLY,
        1,
        ["2026-03-01T02..2026-03-01T03"],
    ),
    # null and blank are absent: the next rule applies
    ("explicit null", RunFacts(typed=None, interval=DAY), DAILY, 3, ["2026-03-05"]),
    ("blank", RunFacts(typed=" \n", interval=DAY), DAILY, 3, ["2026-03-05"]),
    ("blanks only", RunFacts(typed=["", None], interval=DAY), DAILY, 3, ["2026-03-05"]),
    ("an empty list", RunFacts(typed=[], interval=DAY), DAILY, 3, ["2026-03-05"]),
    ("a backfill with null", RunFacts(typed=None, interval=DAY, backfill=True), DAILY, 3, ["2026-03-05"]),
    ("a backfill with blanks", RunFacts(typed=[""], interval=DAY, backfill=True), DAILY, 3, ["2026-03-05"]),
    # rule 2: Airflow's partition key
    ("our key", RunFacts(partition_key="2026-03-05"), DAILY, 2, ["2026-03-05"]),
    ("Airflow's key", RunFacts(partition_key="2026-03-05T00:00:00", run_after=NOW), DAILY, 2, ["2026-03-05"]),
    ("Airflow's key in a zone", RunFacts(partition_key="2026-03-05T00:00:00"), BRUSSELS, 2, ["2026-03-05"]),
    ("a range of keys", RunFacts(partition_key="2026-03-05..2026-03-07"), DAILY, 2, ["2026-03-05..2026-03-07"]),
    ("a key before an interval", RunFacts(partition_key="2026-03-01", interval=DAY), DAILY, 2, ["2026-03-01"]),
    ("a blank key is absent", RunFacts(partition_key=" ", interval=DAY), DAILY, 3, ["2026-03-05"]),
    (
        "a key reaching before the start",
        RunFacts(partition_key="2025-12-30..2026-01-02"),
        DAILY,
        2,
        ["2026-01-01..2026-01-02"],
    ),
    # rule 3: an interval wider than zero
    ("one day", RunFacts(interval=DAY), DAILY, 3, ["2026-03-05"]),
    (
        "an interval with a logical date",
        RunFacts(interval=DAY, logical_date=at("2026-03-06T05:00")),
        DAILY,
        3,
        ["2026-03-05"],
    ),
    (
        "a week",
        RunFacts(interval=interval("2026-03-02T00:00", "2026-03-09T00:00")),
        DAILY,
        3,
        ["2026-03-02..2026-03-08"],
    ),
    (
        "an interval that cuts days",
        RunFacts(interval=interval("2026-03-05T06:00", "2026-03-07T06:00")),
        DAILY,
        3,
        ["2026-03-05..2026-03-06"],
    ),
    (
        "a day ending with the interval",
        RunFacts(interval=interval("2026-03-05T23:00", "2026-03-06T00:00")),
        DAILY,
        3,
        ["2026-03-05"],
    ),
    ("a local day", RunFacts(interval=interval("2026-03-28T23:00", "2026-03-29T22:00")), BRUSSELS, 3, ["2026-03-29"]),
    (
        "a UTC day of local days",
        RunFacts(interval=interval("2026-03-05T00:00", "2026-03-06T00:00")),
        NEW_YORK,
        3,
        ["2026-03-04"],
    ),
    ("hours of a day", RunFacts(interval=DAY), HOURLY, 3, ["2026-03-05T00..2026-03-05T23"]),
    (
        "a month completes on its last day",
        RunFacts(interval=interval("2026-03-31T00:00", "2026-04-01T00:00")),
        MONTHLY,
        3,
        ["2026-03"],
    ),
    ("completing wins over in progress", RunFacts(interval=DAY), EAGER, 3, ["2026-03-05"]),
    (
        "in progress where asked for",
        RunFacts(interval=interval("2026-03-05T10:00", "2026-03-05T11:00")),
        EAGER,
        3,
        ["2026-03-05"],
    ),
    (
        "in progress of an explicit run",
        RunFacts(interval=interval("2026-03-05T10:00", "2026-03-05T11:00"), explicit=True),
        EAGER,
        3,
        ["2026-03-05"],
    ),
    (
        "an interval reaching before the start",
        RunFacts(interval=interval("2025-12-30T00:00", "2026-01-03T00:00")),
        DAILY,
        3,
        ["2026-01-01..2026-01-02"],
    ),
    ("lookback is not for intervals", RunFacts(interval=DAY), TRAILING, 3, ["2026-03-05"]),
    ("a backfill", RunFacts(interval=DAY, backfill=True, run_after=at("2026-03-06T00:00")), DAILY, 3, ["2026-03-05"]),
    # rule 4: one instant
    ("a tick", RunFacts(interval=TICK, logical_date=TICK[0], run_after=TICK[0]), DAILY, 4, ["2026-03-05"]),
    (
        "a tick within the day",
        RunFacts(interval=interval("2026-03-06T10:15", "2026-03-06T10:15")),
        DAILY,
        4,
        ["2026-03-05"],
    ),
    ("a logical date only", RunFacts(logical_date=NOW, run_after=at("2026-05-01T00:00")), DAILY, 4, ["2026-03-05"]),
    ("run_after only", RunFacts(run_after=NOW), DAILY, 4, ["2026-03-05"]),
    ("run_after, explicit", RunFacts(run_after=NOW, explicit=True), DAILY, 4, ["2026-03-05"]),
    ("the newest hour", RunFacts(run_after=at("2026-03-01T10:15")), HOURLY, 4, ["2026-03-01T09"]),
    ("lookback and offset", RunFacts(interval=TICK), TRAILING, 4, ["2026-03-02..2026-03-04"]),
    ("offset zero is in progress", RunFacts(run_after=NOW), PROGRESS, 4, ["2026-03-06"]),
    ("the zone's day", RunFacts(run_after=at("2026-03-06T03:00")), NEW_YORK, 4, ["2026-03-04"]),
    (
        "lookback reaching before the start",
        RunFacts(run_after=at("2026-01-04T12:00")),
        TRAILING,
        4,
        ["2026-01-01..2026-01-02"],
    ),
    ("a logical date before events", RunFacts(logical_date=NOW, event_keys=("2026-03-01",)), DAILY, 4, ["2026-03-05"]),
    # rule 5: events
    (
        "keys with a hole",
        RunFacts(event_keys=("2026-03-03", "2026-03-01"), run_after=NOW),
        DAILY,
        5,
        ["2026-03-01", "2026-03-03"],
    ),
    (
        "neighbours are one window",
        RunFacts(event_keys=("2026-03-02", "2026-03-01", "2026-03-02")),
        DAILY,
        5,
        ["2026-03-01..2026-03-02"],
    ),
    (
        "ranges and Airflow's form",
        RunFacts(event_keys=("2026-03-01..2026-03-02", "2026-03-03T00:00:00")),
        DAILY,
        5,
        ["2026-03-01..2026-03-03"],
    ),
    ("keys on both sides of the start", RunFacts(event_keys=("2025-12-31", "2026-01-01")), DAILY, 5, ["2026-01-01"]),
]


@pytest.mark.parametrize(
    ("facts", "config", "rule", "windows"), [pytest.param(*cell[1:], id=cell[0]) for cell in COVERED]
)
def test_a_run_covers(facts: RunFacts, config: TimePartitionConfig, rule: int, windows: list[str]) -> None:
    resolution = run(facts, config)

    assert [str(window) for window in resolution.windows] == windows
    assert (resolution.rule, resolution.skip) == (rule, False)
    assert windows[0] in resolution.reason


SKIPPED = [
    (
        "no day completes",
        RunFacts(interval=interval("2026-03-05T10:00", "2026-03-05T11:00")),
        DAILY,
        3,
        "lies inside 2026-03-05",
    ),
    ("no month completes", RunFacts(interval=DAY), MONTHLY, 3, "lies inside 2026-03"),
    (
        "an interval before the start",
        RunFacts(interval=interval("2025-12-30T00:00", "2025-12-31T00:00")),
        DAILY,
        3,
        "2025-12-30 lies outside",
    ),
    (
        "an interval after the end",
        RunFacts(interval=interval("2027-01-01T00:00", "2027-01-02T00:00")),
        DAILY,
        3,
        "2027-01-01 lies outside",
    ),
    (
        "in progress before the start",
        RunFacts(interval=interval("2025-12-30T01:00", "2025-12-30T02:00")),
        EAGER,
        3,
        "2025-12-30 lies outside",
    ),
    ("a key before the start", RunFacts(partition_key="2025-12-30T00:00:00"), DAILY, 2, "2025-12-30 lies outside"),
    (
        "a tick at the start",
        RunFacts(interval=interval("2026-01-01T00:00", "2026-01-01T00:00")),
        DAILY,
        4,
        "2025-12-31 lies outside",
    ),
    ("events before the start", RunFacts(event_keys=("2025-12-30",)), DAILY, 5, "2025-12-30 lies outside"),
]


@pytest.mark.parametrize(
    ("facts", "config", "rule", "reason"), [pytest.param(*cell[1:], id=cell[0]) for cell in SKIPPED]
)
def test_a_run_skips(facts: RunFacts, config: TimePartitionConfig, rule: int, reason: str) -> None:
    resolution = run(facts, config)

    assert (resolution.windows, resolution.rule, resolution.skip) == ((), rule, True)
    assert reason in resolution.reason


REFUSED = [
    (
        "typed in a backfill",
        RunFacts("2026-03-01", interval=DAY, backfill=True),
        DAILY,
        "in the conf of a backfill.*\n.*leave window out",
    ),
    ("typed, malformed", RunFacts("2026-3-1"), DAILY, "'2026-3-1' is not a key"),
    ("typed, another grain", RunFacts("2026-03"), DAILY, "'2026-03' is not a key of a partition by day"),
    ("typed, reversed", RunFacts("2026-03-02..2026-03-01"), DAILY, "ends before it starts"),
    ("typed, before the start", RunFacts("2025-12-31"), DAILY, "2025-12-31 lies before the first partition 2026-01-01"),
    ("typed, reaching before the start", RunFacts("2025-12-31..2026-01-02"), DAILY, "lies before the first partition"),
    ("typed, after the end", RunFacts("2027-01-01"), DAILY, "lies after the last partition 2026-12-31"),
    ("typed, an object", RunFacts({"start": "2026-03-01"}), DAILY, "is a dict, which names no partition"),
    ("typed, a number", RunFacts(20260301), DAILY, "which names no partition"),
    ("typed, false", RunFacts(typed=False), DAILY, "which names no partition"),
    ("a malformed key", RunFacts(partition_key="eu"), DAILY, "'eu' is not a key"),
    (
        "a key before the start, explicit",
        RunFacts(partition_key="2025-12-31", explicit=True),
        DAILY,
        "lies before the first partition",
    ),
    (
        "no day completes, explicit",
        RunFacts(interval=interval("2026-03-05T10:00", "2026-03-05T11:00"), explicit=True),
        DAILY,
        "no partition completes in the interval.*lies inside 2026-03-05\n.*type the partition",
    ),
    (
        "an interval after the end, explicit",
        RunFacts(interval=interval("2027-01-01T00:00", "2027-01-02T00:00"), explicit=True),
        DAILY,
        "lies after the last partition",
    ),
    (
        "a reversed interval",
        RunFacts(interval=interval("2026-03-06T00:00", "2026-03-05T00:00")),
        DAILY,
        "ends before it starts",
    ),
    (
        "a naive interval",
        RunFacts(interval=(dt.datetime(2026, 3, 5), dt.datetime(2026, 3, 6))),
        DAILY,
        "2026-03-05T00:00:00 has no time zone",
    ),
    ("a naive logical date", RunFacts(logical_date=dt.datetime(2026, 3, 5)), DAILY, "has no time zone"),
    ("a naive run_after", RunFacts(run_after=dt.datetime(2026, 3, 5)), DAILY, "has no time zone"),
    (
        "run_after before the start, explicit",
        RunFacts(run_after=at("2026-01-01T12:00"), explicit=True),
        DAILY,
        "lies before the first partition",
    ),
    (
        "events without keys",
        RunFacts(event_keys=(), event_sources=("shop.orders", "shop.lines"), run_after=NOW),
        DAILY,
        "events of shop.orders, shop.lines name no partition\n.*type `window`",
    ),
    ("events without keys or names", RunFacts(event_keys=()), DAILY, "the events of its upstreams name no partition"),
    (
        "an event with a bad key",
        RunFacts(event_keys=("2026-03-01", "eu"), event_sources=("shop.orders",)),
        DAILY,
        "event of shop.orders: 'eu' is not a key",
    ),
    (
        "nothing",
        RunFacts(),
        DAILY,
        "the run says no partition\n.*type `window`.*partition key.*logical date.*data intervals",
    ),
    (
        "typed for an unpartitioned asset",
        RunFacts("2026-03-01"),
        None,
        "is not partitioned, but the run was given window='2026-03-01'",
    ),
    (
        "typed in a backfill of an unpartitioned asset",
        RunFacts("2026-03-01", backfill=True),
        None,
        "in the conf of a backfill",
    ),
]


@pytest.mark.parametrize(("facts", "config", "message"), [pytest.param(*cell[1:], id=cell[0]) for cell in REFUSED])
def test_a_run_is_refused(facts: RunFacts, config: TimePartitionConfig | None, message: str) -> None:
    with pytest.raises(PartitionError, match=message) as caught:
        run(facts, config)

    assert str(caught.value).startswith(WHERE)
    assert caught.value.fix


@pytest.mark.parametrize(
    "facts",
    [
        RunFacts(),
        RunFacts(typed=" \n"),
        RunFacts(typed=[None, ""]),
        RunFacts(partition_key="eu"),
        RunFacts(interval=DAY),
        RunFacts(interval=TICK),
        RunFacts(logical_date=NOW),
        RunFacts(run_after=NOW, explicit=True),
        RunFacts(event_keys=()),
        RunFacts(event_keys=("2026-03-01",)),
        RunFacts(interval=DAY, backfill=True),
    ],
)
def test_an_unpartitioned_asset_runs_whole_whatever_the_run_carries(facts: RunFacts) -> None:
    resolution = run(facts, None)

    assert (resolution.windows, resolution.rule, resolution.skip) == (None, 6, False)
    assert "not partitioned" in resolution.reason


def test_a_cut_window_says_so() -> None:
    resolution = run(RunFacts(interval=interval("2025-12-30T00:00", "2026-01-03T00:00")))

    assert resolution.reason == (
        "2026-01-01..2026-01-02: complete in the interval (2025-12-30T00:00:00+00:00, 2026-01-03T00:00:00+00:00]; "
        "2025-12-30..2026-01-02 reaches outside the partitioning's start or end"
    )


def test_the_autumn_day_is_25_hours_of_runs_without_a_hole() -> None:
    hourly = TimePartitionConfig(column="at", granularity="hour", timezone="Europe/Brussels")
    ticks = [at("2026-10-24T22:00") + dt.timedelta(hours=hour) for hour in range(26)]

    keys = [run(RunFacts(interval=pair), hourly).windows[0].keys[0] for pair in pairwise(ticks)]

    assert len(keys) == len(set(keys)) == 25
    assert (
        tuple(keys) == TimePartitionWindow(dt.date(2026, 10, 25), granularity="hour", timezone="Europe/Brussels").keys
    )


def test_a_long_list_of_windows_is_short_in_the_reason() -> None:
    keys = [f"2026-03-{day:02}" for day in range(1, 31, 2)]

    assert run(RunFacts(typed=keys)).reason.endswith("2026-03-09 and 10 more")


@pytest.mark.parametrize("key", ["widnow", "windows", "Window", " window", "wndow", "windwo"])
def test_a_misspelt_window_is_noticed(key: str) -> None:
    assert near_misses([key, "window", "select"]) == {key: "window"}


@pytest.mark.parametrize("key", ["Select", "selects", "slect", "selection"])
def test_a_misspelt_select_is_noticed(key: str) -> None:
    assert near_misses([key]) == {key: "select"}


def test_keys_of_others_are_left_alone() -> None:
    assert near_misses(["window", "select", "date", "env", "dry_run", "partition", "limit", "source"]) == {}


# --- lists and several dimensions ---

REGIONS = ListPartitionConfig(["us", "eu"], column="region")
SALES = MultiPartitionConfig(TimePartitionConfig(column="day", start="2026-01-01"), REGIONS)
TICK, LATER = dt.datetime(2026, 1, 5, tzinfo=dt.timezone.utc), dt.datetime(2026, 1, 7, tzinfo=dt.timezone.utc)


@pytest.mark.parametrize(
    ("facts", "listed", "several"),
    [
        (RunFacts(typed="eu"), (1, ["eu"]), None),
        (RunFacts(typed="2026-01-05|eu"), None, (1, ["2026-01-05|eu"])),
        (RunFacts(typed="2026-01-05"), None, (1, ["2026-01-05|us..eu"])),
        (RunFacts(partition_key="eu", interval=(TICK, LATER)), (2, ["eu"]), None),
        (RunFacts(partition_key="2026-01-05"), None, (2, ["2026-01-05|us..eu"])),
        (RunFacts(interval=(TICK, LATER)), (6, ["us..eu"]), (3, ["2026-01-05..2026-01-06|us..eu"])),
        (RunFacts(interval=(TICK, TICK)), (6, ["us..eu"]), (4, ["2026-01-04|us..eu"])),
        (RunFacts(logical_date=TICK), (6, ["us..eu"]), (4, ["2026-01-04|us..eu"])),
        (RunFacts(run_after=TICK, explicit=True), (6, ["us..eu"]), (4, ["2026-01-04|us..eu"])),
        (RunFacts(interval=(TICK, LATER), backfill=True), (6, ["us..eu"]), (3, ["2026-01-05..2026-01-06|us..eu"])),
        (RunFacts(event_keys=("eu", "us")), (5, ["us..eu"]), None),
        (RunFacts(event_keys=("2026-01-05|eu", "2026-01-06|eu")), None, (5, ["2026-01-05..2026-01-06|eu"])),
        (RunFacts(event_keys=("2026-01-05",)), None, (5, ["2026-01-05|us..eu"])),
        (RunFacts(event_keys=()), (6, ["us..eu"]), None),
        (RunFacts(), (6, ["us..eu"]), None),
    ],
)
def test_a_list_has_no_time_and_of_several_dimensions_only_the_time_is_told(
    facts: RunFacts, listed: tuple[int, list[str]] | None, several: tuple[int, list[str]] | None
) -> None:
    for config, wanted in ((REGIONS, listed), (SALES, several)):
        if wanted is None:
            with pytest.raises(PartitionError):
                resolve(facts, config, where="asset 'a'")
        else:
            found = resolve(facts, config, where="asset 'a'")
            assert (found.rule, [str(window) for window in found.windows or ()]) == wanted


def test_several_dimensions_may_take_the_time_in_progress() -> None:
    config = MultiPartitionConfig(TimePartitionConfig(column="day", incomplete="run"), REGIONS)
    hour = (dt.datetime(2026, 1, 5, 1, tzinfo=dt.timezone.utc), dt.datetime(2026, 1, 5, 2, tzinfo=dt.timezone.utc))

    assert [str(window) for window in resolve(RunFacts(interval=hour), config, where="a").windows or ()] == [
        "2026-01-05|us..eu"
    ]


def test_a_typed_list_in_a_backfill_is_refused() -> None:
    with pytest.raises(PartitionError, match="in the conf of a backfill"):
        resolve(RunFacts(typed="eu", backfill=True), REGIONS, where="a")
