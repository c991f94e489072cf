import datetime as dt

import pytest

import airflow_provider as ap
from airflow_provider.execution.events import Emitter
from airflow_provider.execution.journal import Journal
from airflow_provider.execution.offload import Bridge
from airflow_provider.execution.outcome import RunResult
from airflow_provider.execution.produce import conformed, sliced
from airflow_provider.execution.resolve import Inputs
from airflow_provider.execution.write import RunInfo, Writer, keys_of

DAYS = ap.TimePartitionWindow(dt.date(2026, 1, 1), dt.date(2026, 1, 3))
ROWS = [{"date": dt.date(2026, 1, 1), "units": 1}, {"date": dt.date(2026, 1, 3), "units": 3}]


@ap.asset(partitioning=ap.TimePartitionConfig(column="date", allow_window=True))
def orders():
    return []


@ap.asset(partitioning=ap.TimePartitionConfig(column="date", allow_window=True), on_empty="replace")
def emptied():
    return []


def written(asset, attempt, *, says=None):
    with Bridge() as bridge, Journal(asset) as journal:
        writer = Writer(asset, RunInfo(attempt), {}, bridge, journal, RunResult(asset.qualified_key, (DAYS,)), says)
        writer.take_fences()
        if not writer.is_held(keys_of(DAYS)):
            produced = conformed(ROWS, asset)
            emitter = Emitter(asset.qualified_key, (), {})
            writer.write(sliced(produced, asset, DAYS, emitter), produced, Inputs(), "2026-02-01T00:00:00Z", emitter)
        return [(o.key, o.destination, o.status) for o in writer.result.outcomes]


@pytest.fixture
def stored(tmp_path, monkeypatch):
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", str(tmp_path / "index"))
    return tmp_path


def test_each_partition_has_an_outcome_and_one_without_rows_keeps_what_was_held(stored):
    asset = orders(destinations=ap.ParquetDestination(base_path=str(stored / "lake")))

    assert written(asset, "first") == [
        ("2026-01-01", "parquet_destination", "committed"),
        ("2026-01-02", "parquet_destination", "kept"),
        ("2026-01-03", "parquet_destination", "committed"),
    ]


def test_what_this_attempt_has_committed_is_not_written_again(stored):
    asset = emptied(destinations=ap.ParquetDestination(base_path=str(stored / "lake")))
    written(asset, "first")

    assert {status for *_, status in written(asset, "first")} == {"held"}
    assert {status for *_, status in written(asset, "second")} == {"committed", "empty"}


def test_progress_hears_of_each_outcome(stored):
    heard = []
    asset = orders(destinations=ap.ParquetDestination(base_path=str(stored / "lake")))
    written(asset, "first", says=heard.append)

    assert [outcome.key for outcome in heard] == ["2026-01-01", "2026-01-02", "2026-01-03"]


def test_the_whole_of_an_unpartitioned_asset_is_one_key():
    assert keys_of(None) == [None]
    assert keys_of(DAYS) == ["2026-01-01", "2026-01-02", "2026-01-03"]
