"""Time zones as stretches of one UTC offset, in whole seconds since 1970.

A zone is a list of stretches; local time runs evenly inside one and jumps between two. Everything
the partition arithmetic needs (midnights, skipped dates, repeated hours) is read off that list, so
that no rule ever compares two local datetimes, whose comparison ignores the jumps.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from itertools import pairwise
from zoneinfo import ZoneInfo

from airflow_provider.errors import ConfigError, PartitionError

UTC = timezone.utc
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
EPOCH_ORDINAL = EPOCH.toordinal()
DAY_S = 86_400
# Partitions live in the years 2 to 9998: a day of margin on both sides keeps every bound inside datetime.
FIRST_YEAR, LAST_YEAR = 2, 9998

_SECOND = timedelta(seconds=1)
_EARLIEST_S = (date(1, 12, 28).toordinal() - EPOCH_ORDINAL) * DAY_S
_LATEST_S = (date(9999, 1, 8).toordinal() - EPOCH_ORDINAL) * DAY_S


def zone_of(value: str | tzinfo, *, where: str) -> ZoneInfo:
    """Look up a zone by its name, or by a timezone object that has one (``zoneinfo``, pendulum, UTC).

    Raises:
        ConfigError: No zone of that name, or a fixed offset, which names no place.
    """
    name = value if isinstance(value, str) else getattr(value, "key", None) or getattr(value, "name", None)
    if value is UTC:
        name = "UTC"
    try:
        if isinstance(name, str) and name:
            return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # absent, not a relative path, or a folder such as "Europe"
        pass
    raise ConfigError(
        f"time zone {value!r} is not known",
        where=where,
        fix="name a zone of the IANA database, for example 'UTC' or 'Europe/Brussels'; "
        "if that is what you did, install the tzdata package",
    )


def seconds_of(instant: datetime, *, where: str) -> int:
    """Return the whole seconds since 1970 of an aware datetime, rounded down.

    Raises:
        PartitionError: The datetime is naive, or outside the years 2 to 9998.
    """
    offset = instant.utcoffset()
    if offset is None:
        raise PartitionError(
            f"datetime {instant.isoformat()} has no time zone",
            where=where,
            fix="make it aware, for example datetime(..., tzinfo=ZoneInfo('UTC')), or pass a date",
        )
    # By parts, for subtracting pendulum's or pandas' datetimes gives durations of their own.
    local = (instant.toordinal() - EPOCH_ORDINAL) * DAY_S + instant.hour * 3600 + instant.minute * 60 + instant.second
    seconds = local - offset // _SECOND
    if not _EARLIEST_S <= seconds <= _LATEST_S:
        raise out_of_range(instant.isoformat(), where=where)
    return seconds


def instant_of(seconds: int) -> datetime:
    """Return the UTC datetime of whole seconds since 1970."""
    return EPOCH + timedelta(seconds=seconds)


def out_of_range(text: str, *, where: str) -> PartitionError:
    """Build the error for a time that no partition can hold."""
    return PartitionError(
        f"{text} is outside the years {FIRST_YEAR:04} to {LAST_YEAR} that partitions cover",
        where=where,
        fix="name a partition inside them; for 'without end', leave the end out",
    )


def stretches(zone: ZoneInfo, start: int, end: int) -> list[tuple[int, int, int]]:
    """Cut ``[start, end)`` where the zone's UTC offset changes.

    Returns:
        ``(start, end, offset)`` in seconds, oldest first; neighbours differ in offset.
    """
    cuts: list[tuple[int, int]] = []
    for year in range(_year_of(start), _year_of(end - 1) + 1):
        for at, offset in _changes(zone, year):
            if at <= start:
                cuts = [(start, offset)]
            elif at < end and cuts[-1][1] != offset:
                cuts.append((at, offset))
    ends = [at for at, _ in cuts[1:]] + [end]
    return [(at, until, offset) for (at, offset), until in zip(cuts, ends, strict=True)]


def offset_at(zone: ZoneInfo, seconds: int) -> int:
    """Return the zone's UTC offset at an instant, in seconds."""
    offset = 0
    for at, value in _changes(zone, _year_of(seconds)):
        if at > seconds:
            break
        offset = value
    return offset


def midnight(zone: ZoneInfo, ordinal: int) -> int:
    """Return the first instant whose local time is at or past midnight of a date.

    Where midnight does not exist, that is the first instant after the jump; where it comes twice,
    the first of the two.
    """
    local = (ordinal - EPOCH_ORDINAL) * DAY_S
    for start, end, offset in stretches(zone, local - DAY_S, local + DAY_S):
        first = max(start, local - offset)
        if first < end:
            return first
    return local + DAY_S  # unreachable with offsets under a day, which datetime guarantees


def local_ordinal(zone: ZoneInfo, seconds: int) -> int:
    """Return the ordinal of the local date at an instant."""
    return (seconds + offset_at(zone, seconds)) // DAY_S + EPOCH_ORDINAL


def skipped_dates(zone: ZoneInfo, first: int, last: int) -> list[int]:
    """List the dates (ordinals, ``first`` to ``last`` inclusive) that the zone jumped over.

    Pacific/Apia has no 2011-12-30: the islands moved across the date line.
    """
    start, end = (first - 2 - EPOCH_ORDINAL) * DAY_S, (last + 3 - EPOCH_ORDINAL) * DAY_S
    return [
        ordinal
        for (_, _, before), (at, _, after) in pairwise(stretches(zone, start, end))
        if after - before >= DAY_S
        for ordinal in _whole_days(at + before, at + after)
        if first <= ordinal <= last
    ]


def _whole_days(start: int, end: int) -> range:
    """Return the ordinals of the dates that lie wholly in a stretch of local seconds."""
    return range(-(-start // DAY_S) + EPOCH_ORDINAL, end // DAY_S + EPOCH_ORDINAL)


def _year_of(seconds: int) -> int:
    return date.fromordinal(seconds // DAY_S + EPOCH_ORDINAL).year


@lru_cache(maxsize=16_384)
def _changes(zone: ZoneInfo, year: int) -> tuple[tuple[int, int], ...]:
    """Return ``(instant, offset)``: the offset at the start of the UTC year, then every change in it."""
    return tuple(_scan(zone, year))


def _scan(zone: ZoneInfo, year: int) -> Iterator[tuple[int, int]]:
    # zoneinfo does not list its transitions: compare the offsets day by day, then bisect to the second.
    # The first and last days of the calendar are left out, for their local time would overflow.
    first = max(date(year, 1, 1).toordinal(), date(1, 1, 3).toordinal())
    last = date(year, 12, 31).toordinal() + 1 if year < 9999 else date(9999, 12, 28).toordinal()
    at, offset = (first - EPOCH_ORDINAL) * DAY_S, _probe(zone, (first - EPOCH_ORDINAL) * DAY_S)
    yield at, offset
    for ordinal in range(first + 1, last + 1):
        following = (ordinal - EPOCH_ORDINAL) * DAY_S
        changed = _probe(zone, following)
        if changed != offset:
            yield _bisect(zone, at, following, changed), changed
        at, offset = following, changed


def _bisect(zone: ZoneInfo, low: int, high: int, offset: int) -> int:
    """Return the first second in ``(low, high]`` from which the zone has the offset."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _probe(zone, middle) == offset else (middle, high)
    return high


def _probe(zone: ZoneInfo, seconds: int) -> int:
    offset = instant_of(seconds).astimezone(zone).utcoffset()
    return 0 if offset is None else offset // _SECOND
