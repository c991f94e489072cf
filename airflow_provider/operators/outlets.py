"""The Airflow asset that stands for one of ours, and what its event says: ids, counts and keys, never data.

The extra of an event is bounded, for it is stored with the event and handed to every consumer.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from airflow_provider.definitions.asset import Asset
from airflow_provider.execution.outcome import PartitionOutcome, RunResult
from airflow_provider.partitioning import PartitionWindow
from airflow_provider.version_compat import AirflowAsset

MAX_EXTRA_BYTES = 16 * 1024


def airflow_asset(asset: Asset) -> AirflowAsset:
    """Airflow's asset named by the qualified key; it gets one event per run that stored something.

    Its static extra holds the partitioning, so that pages know which partitions to expect without loading definitions.
    """
    partitioning = asset.partitioning
    extra: dict[str, Any] = {"partitioning": partitioning.to_definition()} if partitioning is not None else {}
    return AirflowAsset(name=asset.qualified_key, uri=asset.uri, group="asset", extra=extra)


def stored(result: RunResult) -> list[PartitionOutcome]:
    """The outcomes that changed what is held, those of an earlier try of the same attempt included."""
    return [outcome for outcome in result.outcomes if outcome.status in ("committed", "empty", "held")]


def event_extra(result: RunResult, asset: Asset) -> dict[str, Any]:
    """What the event says: the windows, rows per key in the default destination, the total, and added metadata.

    Above ``MAX_EXTRA_BYTES`` the rows per key become first, last and count; then the added metadata goes.
    """
    default = asset.default_destination.address if asset.destinations else ""
    outcomes = [outcome for outcome in stored(result) if outcome.address == default] or stored(result)
    rows = {outcome.key or "": outcome.rows for outcome in outcomes}
    extra: dict[str, Any] = {
        "asset": asset.qualified_key,
        "rows": sum(count or 0 for count in rows.values()),
        "uri": _common_uri(outcomes),
    }
    if asset.partitioning is not None:
        windows = [str(window) for window in _windows_of(asset, rows)]
        extra |= {"windows": windows, "partitions": rows}
    added = {name: value for name, value in result.metadata.items() if name not in extra}
    return _bounded(extra | added, list(rows), set(added))


def event_keys(events: Mapping[Any, Sequence[Any]]) -> tuple[list[str] | None, list[str]]:
    """The keys and ranges that consumed events name, and the names of their assets; no keys at all without events.

    A partition key of Airflow's comes first; else the windows that our own events carry.
    """
    keys: list[str] = []
    sources: list[str] = []
    for airflow_key, consumed in events.items():
        sources.append(str(getattr(airflow_key, "name", airflow_key)))
        for event in consumed:
            keys.extend(_keys_of(event))
    if not sources:
        return None, []
    return list(dict.fromkeys(keys)), sorted(set(sources))


def _keys_of(event: Any) -> list[str]:
    partition_key = getattr(event, "partition_key", None)
    if partition_key:
        return [str(partition_key)]
    windows = (getattr(event, "extra", None) or {}).get("windows") or []
    return [str(window) for window in windows]


def _windows_of(asset: Asset, keys: Iterable[str]) -> tuple[PartitionWindow, ...]:
    assert asset.partitioning is not None  # noqa: S101 -- asked for partitioned assets only
    return asset.partitioning.join([asset.partitioning.partition(key).window for key in keys])


def _common_uri(outcomes: Sequence[PartitionOutcome]) -> str:
    """Where the data is: the file of one partition, else the folder that all share."""
    uris = [outcome.uri for outcome in outcomes if outcome.uri]
    if len(uris) < 2:
        return uris[0] if uris else ""
    parts = [uri.split("/") for uri in (min(uris), max(uris))]
    same = next((i for i, pair in enumerate(zip(*parts, strict=False)) if pair[0] != pair[1]), 0)
    return "/".join(parts[0][:same])


def _bounded(extra: dict[str, Any], keys: list[str], added: set[str]) -> dict[str, Any]:
    extra = json.loads(json.dumps(extra, default=str))
    if _size(extra) > MAX_EXTRA_BYTES and len(keys) > 2:
        extra["partitions"] = {"first": keys[0], "last": keys[-1], "count": len(keys)}
    if _size(extra) > MAX_EXTRA_BYTES and len(extra.get("windows", ())) > 2:
        extra["windows"] = [f"{keys[0]}..{keys[-1]}"]
        extra["truncated"] = True
    if _size(extra) > MAX_EXTRA_BYTES:
        extra = {name: value for name, value in extra.items() if name not in added} | {"truncated": True}
    return extra


def _size(extra: Mapping[str, Any]) -> int:
    return len(json.dumps(extra))
