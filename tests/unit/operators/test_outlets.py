"""What an event says, and that it stays small."""

import json
from types import SimpleNamespace

from airflow.sdk.definitions.asset import AssetUniqueKey

import airflow_provider as ap
from airflow_provider.execution.outcome import PartitionOutcome, RunResult
from airflow_provider.operators.outlets import MAX_EXTRA_BYTES, airflow_asset, event_extra, event_keys

daily = ap.TimePartitionConfig(column="day")


class Shop(ap.Source):
    @ap.asset(partitioning=daily)
    def orders(self): ...


def result_of(keys: list[str], **metadata: object) -> RunResult:
    outcomes = [
        PartitionOutcome(
            key, "parquet", "parquet:/lake", "committed", rows=3, uri=f"/lake/orders/day={key}/data.parquet"
        )
        for key in keys
    ]
    return RunResult("shop.orders", None, outcomes, metadata=dict(metadata))


def test_the_airflow_asset_is_named_by_the_qualified_key_and_carries_the_partitioning() -> None:
    asset = airflow_asset(Shop().orders)

    assert (asset.name, asset.uri) == ("shop.orders", "x-asset://shop/orders")
    assert asset.extra["partitioning"]["granularity"] == "day"


def test_an_event_of_ten_years_stays_within_its_bound_and_keeps_first_last_and_count() -> None:
    keys = list(daily.window("2016-01-01", "2025-12-28").keys)

    extra = event_extra(result_of(keys), Shop().orders)

    assert len(json.dumps(extra)) <= MAX_EXTRA_BYTES
    assert extra["partitions"] == {"first": "2016-01-01", "last": "2025-12-28", "count": len(keys)}
    assert extra["windows"] == ["2016-01-01..2025-12-28"]
    assert extra["rows"] == 3 * len(keys)


def test_a_thousand_stretches_become_their_hull_which_says_so() -> None:
    keys = list(daily.window("2016-01-01", "2025-12-28").keys)[::2]

    extra = event_extra(result_of(keys), Shop().orders)

    assert len(json.dumps(extra)) <= MAX_EXTRA_BYTES
    assert (extra["windows"], extra["truncated"]) == (["2016-01-01..2025-12-27"], True)


def test_metadata_too_large_for_an_event_is_left_out() -> None:
    extra = event_extra(result_of(["2026-01-01"], note="x" * 40_000, rows="mine"), Shop().orders)

    assert len(json.dumps(extra)) <= MAX_EXTRA_BYTES
    assert "note" not in extra
    assert extra["rows"] == 3


def test_added_metadata_is_in_the_event() -> None:
    assert event_extra(result_of(["2026-01-01"], pages=4), Shop().orders)["pages"] == 4


def test_only_what_was_stored_is_announced() -> None:
    result = result_of(["2026-01-01"])
    result.outcomes.append(PartitionOutcome("2026-01-02", "parquet", "parquet:/lake", "kept", rows=0))

    assert event_extra(result, Shop().orders)["partitions"] == {"2026-01-01": 3}


def test_keys_of_events_are_read_once_each_and_in_order() -> None:
    keyed = SimpleNamespace(partition_key="2026-01-02", extra={})
    ours = SimpleNamespace(partition_key=None, extra={"windows": ["2026-01-05..2026-01-06"]})
    events = {AssetUniqueKey("b", "x-asset://b"): [keyed, keyed], AssetUniqueKey("a", "x-asset://a"): [ours]}

    assert event_keys(events) == (["2026-01-02", "2026-01-05..2026-01-06"], ["a", "b"])
    assert event_keys({}) == (None, [])
