"""Which partition of a window a value lies in.

By time, dates are compared as local dates of the partitions, aware datetimes as instants, ints as years, text as a key
of the window's grain, an ISO date, or an ISO datetime with its offset. The bounds of a bare window (without a zone) are
UTC. In a list, text is compared letter by letter, an int by its digits, a date by its ISO form; what has several forms
as text (a float, a bool, a datetime) is refused, and so is a column that mixes types.
"""

import datetime as dt
from abc import ABC, abstractmethod
from bisect import bisect_right
from enum import Enum
from functools import cached_property
from typing import Any
from uuid import UUID

from airflow_provider.errors import AssetsError, PartitionError, SchemaError
from airflow_provider.partitioning import (
    Granularity,
    MultiPartitionWindow,
    PartitionWindow,
    TimePartition,
    TimePartitionWindow,
)
from airflow_provider.schema.values import is_null

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)
_EPOCH_DAY = dt.date(1970, 1, 1).toordinal()
_MICROSECOND = dt.timedelta(microseconds=1)
_SHOWN = 60

AWARE = (
    "make the values aware: value.replace(tzinfo=...), series.dt.tz_localize(...), pc.assume_timezone(...); "
    "or give the column as dates"
)


class MisplacedError(Exception):
    """A value that can name no partition of the grain.

    Attributes:
        what: What is wrong with it, without the value.
        fix: How to mend it.
        error: The class of error to raise for it.
    """

    def __init__(self, what: str, fix: str, error: type[AssetsError] = PartitionError) -> None:
        super().__init__(what)
        self.what = what
        self.fix = fix
        self.error = error


class Places(ABC):
    """The ``n`` partitions of a window of one dimension: index 0 to n-1, or n for outside.

    Attributes:
        size: How many there are.
        outside: The index that stands for none of them.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.outside = size

    @abstractmethod
    def of(self, value: Any) -> int:
        """The index of the partition that holds ``value``, not null.

        Raises:
            MisplacedError: The value can name no partition of this kind.
        """

    @abstractmethod
    def keeps(self, value: Any) -> bool:
        """Whether it pays, and is right, to remember the index of a value for those that are equal to it."""


def places_of(window: PartitionWindow) -> tuple[Places, ...]:
    """The places of each dimension of a window, in the order of its columns."""
    parts = tuple(window.parts.values()) if isinstance(window, MultiPartitionWindow) else (window,)
    return tuple(TimePlaces(part) if isinstance(part, TimePartitionWindow) else ListPlaces(part) for part in parts)


class ListPlaces(Places):
    """The values of a window of a list. It sees one column only, whose values are of one type."""

    def __init__(self, window: PartitionWindow) -> None:
        super().__init__(len(window))
        self.keys = {key: index for index, key in enumerate(window.keys)}
        self._type: type | None = None

    def of(self, value: Any) -> int:
        """The index of the value that is the text of ``value``, not null.

        Raises:
            MisplacedError: A type without one exact text, or another type than that of the values before.
        """
        kind, text = _text_of(value)
        if self._type is None:
            self._type = kind
        if kind is not self._type:
            names = " and ".join(sorted({kind.__name__, self._type.__name__}))
            raise MisplacedError(f"the column mixes {names}", "give all its values one type, best as text")
        return self.keys.get(text, self.outside)

    def keeps(self, value: Any) -> bool:
        """Whether it is text or a date: ``1``, ``True`` and ``1.0`` are equal, and only one of them has a place."""
        return type(value) is str or type(value) is dt.date


def _text_of(value: Any) -> tuple[type, str]:
    """The one text of a value, and what it is a text of."""
    if hasattr(value, "dtype") and hasattr(value, "item"):
        value = value.item()  # a NumPy scalar
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, str):
        return str, str.__str__(value)
    if isinstance(value, UUID):
        return UUID, str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int, int.__repr__(value)
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return dt.date, value.isoformat()
    raise no_text(type(value).__name__)


def no_text(kind: str) -> MisplacedError:
    """The error for values of a type that has no one form as text."""
    return MisplacedError(
        f"a value of type {kind} is no text, and may be written in several ways", "give the column as text"
    )


class TimePlaces(Places):
    """The partitions of a window of time, as edges to look values up in."""

    def __init__(self, window: TimePartitionWindow) -> None:
        super().__init__(len(window))
        self.window = window

    def keeps(self, value: Any) -> bool:
        """Whether it is no instant: nearly every one is another, and keeping them only costs memory."""
        return not hasattr(value, "utcoffset")

    @cached_property
    def days(self) -> list[int]:
        """The first local date of each partition, and the one after the last, as days since 1970-01-01."""
        self.check_dates()
        starts = [partition.date.toordinal() - _EPOCH_DAY for partition in self.window.partitions]
        return [*starts, self._day_after(starts[-1])]

    def _day_after(self, last: int) -> int:
        if self.by_day:
            return last + 1
        return self.window.end.astimezone(self.window.last.zone).date().toordinal() - _EPOCH_DAY

    @cached_property
    def instants(self) -> list[int]:
        """The edges of the partitions, as microseconds since 1970 in UTC."""
        return [(edge - _EPOCH) // _MICROSECOND for edge in self.window.edges]

    @cached_property
    def years(self) -> list[int]:
        """The year of each partition, and the one after the last."""
        self.check_years()
        first = self.window.first.date.year
        return list(range(first, first + self.size + 1))

    @cached_property
    def keys(self) -> dict[str, int]:
        """Index of each key."""
        return {key: index for index, key in enumerate(self.window.keys)}

    @property
    def by_day(self) -> bool:
        """Whether each partition is one date; a zone may have skipped one, which then lies in no partition."""
        return self.window.granularity is Granularity.DAY

    @property
    def has_gaps(self) -> bool:
        """Whether the zone skipped a date inside the window."""
        return self.by_day and self.days[-1] - self.days[0] != self.size

    def check_dates(self) -> None:
        """Refuse dates where partitions are hours.

        Raises:
            MisplacedError: The grain is hour.
        """
        if self.window.granularity is Granularity.HOUR:
            raise MisplacedError(
                "a date names no hour", "give the column as aware datetimes, or partition by day", SchemaError
            )

    def check_years(self) -> None:
        """Refuse bare numbers where partitions are not years.

        Raises:
            MisplacedError: The grain is not year.
        """
        grain = self.window.granularity
        if grain is not Granularity.YEAR:
            raise MisplacedError(
                f"a number names no {grain.value}",
                f"give the column as dates, aware datetimes or keys ({grain.example!r})",
            )

    def of(self, value: Any) -> int:
        """The index of the partition that holds ``value``, not null.

        Raises:
            MisplacedError: The value names no partition of this grain.
        """
        if isinstance(value, dt.datetime):
            return self._of_datetime(value)
        if isinstance(value, dt.date):
            return self._of_day(value.toordinal() - _EPOCH_DAY)
        if isinstance(value, str):
            index = self.keys.get(value)
            return self._of_text(value) if index is None else index
        if hasattr(value, "dtype") and hasattr(value, "item"):
            value = value.item()  # a NumPy scalar
            if isinstance(value, dt.datetime):
                return self._of_datetime(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value == value // 1:
            return self._inside(bisect_right(self.years, value))
        raise MisplacedError(f"a value of type {type(value).__name__} names no partition", self._forms())

    def _of_datetime(self, value: dt.datetime) -> int:
        if value.utcoffset() is None:
            raise MisplacedError("a naive datetime names no instant", AWARE)
        return self._inside(bisect_right(self.instants, (value - _EPOCH) // _MICROSECOND))

    def _of_day(self, day: int) -> int:
        index = self._inside(bisect_right(self.days, day))
        return self.outside if self.by_day and index < self.size and self.days[index] != day else index

    def _inside(self, position: int) -> int:
        return position - 1 if 0 < position <= self.size else self.outside

    def _of_text(self, text: str) -> int:
        """Text that is no key of the window: a key outside it, or an ISO date or datetime."""
        try:
            TimePartition.from_key(text, self.window.granularity, self.window.timezone)
        except PartitionError:
            return self._of_iso(text)
        return self.outside

    def _of_iso(self, text: str) -> int:
        try:
            if len(text) == 10:
                return self._of_day(dt.date.fromisoformat(text).toordinal() - _EPOCH_DAY)
            moment = dt.datetime.fromisoformat(text[:-1] + "+00:00" if text[-1:] == "Z" else text)
        except ValueError:
            raise MisplacedError("the text is neither a key nor an ISO date or datetime", self._forms()) from None
        return self._of_datetime(moment)

    def _forms(self) -> str:
        example = self.window.granularity.example
        return f"give dates, aware datetimes, or keys such as {example!r}"


def shown(value: Any) -> str:
    """A partition value for a message, cut to 60 characters."""
    text = value.isoformat() if isinstance(value, (dt.date, dt.datetime)) else str(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def missing(value: Any) -> bool:
    """Whether a value is null: None, NaT, NA, or NaN, for no partition is called that."""
    return is_null(value) or (isinstance(value, float) and value != value)
