"""Partitionings in one word, for assets whose rows do not say which partition they lie in."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import tzinfo

from airflow_provider.errors import ConfigError, DefinitionError
from airflow_provider.partitioning.config import MANAGED_COLUMN
from airflow_provider.partitioning.grain import Granularity, shown
from airflow_provider.partitioning.list_config import ListPartitionConfig
from airflow_provider.partitioning.time_config import TimePartitionConfig
from airflow_provider.partitioning.window import Point


class Partitions:
    """Partitionings that need no column: each row's key is kept in the column ``_partition``.

    Rows that lack it get the key of the run's one partition. With ``allow_window=True`` a run may cover several; its
    rows must then carry the key themselves.
    """

    def __new__(cls) -> Partitions:
        """Refuse: this is a name for three functions."""
        raise DefinitionError(
            "Partitions() is no partitioning",
            where="Partitions",
            fix="use Partitions.daily(start), Partitions.years(first, last) or Partitions.static(keys)",
        )

    @staticmethod
    def daily(
        start: Point, end: Point | None = None, *, timezone: str | tzinfo = "UTC", allow_window: bool = False
    ) -> TimePartitionConfig:
        """One partition a day.

        Args:
            start: The first day there is: a date, or its ISO form.
            end: The last one, included; without it days go on.
            timezone: The zone whose days are meant.
            allow_window: Whether the asset takes several days in one call.
        """
        if start is None:
            raise ConfigError("has no start", where="Partitions.daily", fix="give the first day there is")
        return TimePartitionConfig(
            column=MANAGED_COLUMN, start=start, end=end, timezone=timezone, allow_window=allow_window
        )

    @staticmethod
    def years(
        a: int | str, b: int | str, *, timezone: str | tzinfo = "UTC", allow_window: bool = False
    ) -> TimePartitionConfig:
        """One partition a year.

        Args:
            a: The first year there is, such as ``2018``.
            b: The last one, included.
            timezone: The zone whose years are meant.
            allow_window: Whether the asset takes several years in one call.
        """
        return TimePartitionConfig(
            column=MANAGED_COLUMN,
            granularity=Granularity.YEAR,
            start=_year(a),
            end=_year(b),
            timezone=timezone,
            allow_window=allow_window,
        )

    @staticmethod
    def static(keys: Iterable[str], *, allow_window: bool = False) -> ListPartitionConfig:
        """One partition for each name.

        Args:
            keys: The names, in their order.
            allow_window: Whether the asset takes several of them in one call.
        """
        return ListPartitionConfig(keys, column=MANAGED_COLUMN, allow_window=allow_window)


def _year(year: object) -> str:
    if isinstance(year, str):
        return year
    if isinstance(year, bool) or not isinstance(year, int):
        raise ConfigError(f"{shown(year)} is no year", where="Partitions.years", fix="give whole years, such as 2018")
    return f"{year:04}"
