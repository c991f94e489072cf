"""What a user calls a schedule, as an explicit timetable.

A cron string of Airflow 3 gives runs whose data interval has no width, so generated DAGs never pass one on.
"""

from collections.abc import Iterable
from typing import Any

from airflow_provider.definitions.asset import Asset
from airflow_provider.errors import ConfigError
from airflow_provider.operators.outlets import airflow_asset
from airflow_provider.partitioning import PartitionConfig
from airflow_provider.version_compat import (
    ContinuousTimetable,
    CronDataIntervalTimetable,
    NullTimetable,
    OnceTimetable,
)

BY_GRAIN = "by_grain"
"""One run per partition of the assets' grain, right after it is complete; none where no asset has a time."""

_PRESETS = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@weekly": "0 0 * * 1",
    "@monthly": "0 0 1 * *",
    "@quarterly": "0 0 1 */3 *",
    "@yearly": "0 0 1 1 *",
}
_BY_GRAIN = {
    "hour": "@hourly",
    "day": "@daily",
    "week": "@weekly",
    "month": "@monthly",
    "quarter": "@quarterly",
    "year": "@yearly",
}


def timetable(schedule: Any, assets: Iterable[Asset], *, where: str) -> Any:
    """An explicit timetable for ``schedule``, in the zone of the assets' partitioning (UTC without one).

    Args:
        schedule: ``"by_grain"``, a preset such as ``"@daily"``, a cron expression, None, a timetable, or Airflow
            assets (ours too).
        assets: The assets of the DAG.
        where: The DAG, for messages.

    Raises:
        ConfigError: It is none of these.
    """
    partitioning = shared_partitioning(assets)
    time = partitioning.time if partitioning is not None else None
    if schedule == BY_GRAIN:
        schedule = _BY_GRAIN[time.granularity.value] if time is not None else None
    if schedule is None:
        return NullTimetable()
    if isinstance(schedule, str):
        return _from_text(schedule, time.timezone if time is not None else "UTC", where)
    if isinstance(schedule, (list, tuple)):
        return [_airflow_asset(item) for item in schedule]
    return _airflow_asset(schedule)


def shared_partitioning(assets: Iterable[Asset]) -> PartitionConfig | None:
    """What the assets of one DAG share: the partitioning of the first one by key, one by time alone before others.

    They have one grain and zone; a time that is typed alone fits those of several dimensions, too.
    """
    found = [a.partitioning for a in sorted(assets, key=lambda a: a.qualified_key) if a.partitioning is not None]
    return next((p for p in found if p.time is p), found[0] if found else None)


def _airflow_asset(item: Any) -> Any:
    return airflow_asset(item) if isinstance(item, Asset) else item


def _from_text(schedule: str, timezone: str, where: str) -> Any:
    if schedule == "@once":
        return OnceTimetable()
    if schedule == "@continuous":
        return ContinuousTimetable()
    cron = _PRESETS.get(schedule, schedule)
    if len(cron.split()) not in (5, 6) or cron.startswith("@"):
        raise ConfigError(
            f"schedule={schedule!r} is no schedule",
            where=where,
            fix=f"use a cron expression of five fields, {', '.join(sorted(_PRESETS))}, @once, None, or a timetable",
        )
    made = CronDataIntervalTimetable(cron, timezone=timezone)
    try:
        made.validate()
    except Exception as error:  # noqa: BLE001 -- Airflow's own classes, which differ by version
        raise ConfigError(f"schedule={schedule!r}: {error}", where=where, fix="correct the cron expression") from None
    return made
