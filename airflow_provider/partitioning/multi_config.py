r"""Partitions of several dimensions: a time and lists, or lists alone. A partition is one combination.

A window is a stretch of time times a set of values of each list. What says only a time (a data interval, an instant,
a typed date) covers it for every value of the lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import product
from typing import Any, ClassVar

from airflow_provider.errors import ConfigError, DefinitionError, PartitionError
from airflow_provider.partitioning.config import MANAGED_COLUMN, Incomplete, PartitionConfig, is_blank
from airflow_provider.partitioning.grain import shown
from airflow_provider.partitioning.keys import SEPARATOR, escaped, join_key, split_at, split_key, unescaped
from airflow_provider.partitioning.list_config import ListPartitionConfig
from airflow_provider.partitioning.list_window import ListPartitionWindow
from airflow_provider.partitioning.multi_window import MultiPartition, MultiPartitionWindow
from airflow_provider.partitioning.names import MAX_COMPONENT, component
from airflow_provider.partitioning.partition import Partition
from airflow_provider.partitioning.time_config import TimePartitionConfig
from airflow_provider.partitioning.window import PartitionWindow, TimePartitionWindow

Parts = tuple[PartitionWindow, ...]

# The longest key of a time: an hour of a zone whose offset has seconds.
_LONGEST_TIME = "2026-01-01T00+00:00:00"


@dataclass(frozen=True, init=False)
class MultiPartitionConfig(PartitionConfig):
    """Partitions by several dimensions at once.

    Args:
        dimensions: Two or more partitionings, each with a column of its own: at most one by time, the others by lists.
            Their order is that of the parts of a key (``2026-01-01|eu``) and of the folders of a path.
        allow_window: Whether the asset takes several partitions in one call; the dimensions do not say it.

    Raises:
        ConfigError: Dimensions that do not fit together; the one at fault is named.
    """

    kind: ClassVar[str] = "multi"

    dimensions: tuple[PartitionConfig, ...]
    allow_window: bool

    def __init__(self, *dimensions: PartitionConfig, allow_window: bool = False) -> None:
        _check_dimensions(dimensions)
        object.__setattr__(self, "dimensions", dimensions)
        object.__setattr__(self, "allow_window", bool(allow_window))

    @property
    def column(self) -> str:  # type: ignore[override]  # frozen, as all are
        """Not one: see ``columns``."""
        raise AttributeError(f"{self._where} has several columns: use columns")

    @property
    def columns(self) -> tuple[str, ...]:
        """The column of each dimension."""
        return tuple(dimension.column for dimension in self.dimensions)

    @property
    def time(self) -> TimePartitionConfig | None:
        """The dimension by time; ``None`` where all are lists."""
        return next((one for one in self.dimensions if isinstance(one, TimePartitionConfig)), None)

    @property
    def incomplete(self) -> Incomplete:  # type: ignore[override]  # frozen, as all are
        """What the dimension by time says."""
        return self.time.incomplete if self.time is not None else "skip"

    @property
    def whole(self) -> MultiPartitionWindow | None:
        """The window of every combination; ``None`` with a dimension by time."""
        return None if self.time is not None else self._with_time(None)

    @property
    def examples(self) -> tuple[str, ...]:
        """A key; with a time a stretch of it, which covers all values; and ranges in every part."""
        key = join_key(one.examples[0] for one in self.dimensions)
        stretch = (self.time.examples[-1],) if self.time is not None else ()
        ranges = self._of(tuple(one.parse(one.examples[-1])[0] for one in self.dimensions))
        return (key, *stretch, str(ranges))

    @property
    def described(self) -> str:
        """The dimensions."""
        return " times ".join(one.described for one in self.dimensions)

    def partition(self, value: Partition | Mapping[str, Any] | str) -> MultiPartition:
        """Return the partition that a key names, strictly, or a mapping of columns to what names each part."""
        if isinstance(value, Partition):
            return self.adopt(value.window).first
        if isinstance(value, Mapping):
            self._check_names(value, where=self._where, all_of_them=True)
            texts: Sequence[Any] = [value[column] for column in self.columns]
        else:
            texts = self._parts_of(value, where=self._where)
        parts = tuple(one.partition(text) for one, text in zip(self.dimensions, texts, strict=True))
        return MultiPartition.of(self.columns, parts)

    def window(self, start: Any, end: Any = None) -> MultiPartitionWindow:
        """Return the window whose every part goes from that of one partition to that of another, both included."""
        first = self.partition(start)
        last = first if end is None else self.partition(end)
        ends = zip(self.dimensions, first.parts.values(), last.parts.values(), strict=True)
        return self._of(tuple(one.window(begin, until) for one, begin, until in ends))

    def adopt(self, window: PartitionWindow) -> MultiPartitionWindow:
        """Return the window as one of this partitioning: part by part, in the order of the dimensions.

        Raises:
            PartitionError: Another kind of window, or a part that does not fit its dimension.
        """
        return self._adopted(window, where=self._where)

    def clamp(self, window: PartitionWindow) -> MultiPartitionWindow | None:
        """Return the part of a window whose time lies between the start and the end; ``None`` where none does."""
        own = self.adopt(window)
        if self.time is None or own.time is None:
            return own
        inside = self.time.clamp(own.time)
        if inside is None:
            return None
        return self._of(tuple(inside if part is own.time else part for part in own.parts.values()))

    def parse(self, typed: object, *, where: str | None = None) -> tuple[MultiPartitionWindow, ...]:
        r"""Read what a person typed.

        Args:
            typed: Text with a part for each dimension, joined with ``|``. The part of a time is a key or
                ``first..last``; that of a list what ``ListPartitionConfig.parse`` reads, ``*`` for all. ``|``, ``,``
                and ``\`` in a value have a ``\`` before them. The part of the time alone covers all values. Or a
                mapping of columns to what each dimension reads, where a list that is left out is covered whole; a
                window or a partition, also of the time alone; or a list of those.
            where: What the message is about.

        Returns:
            The windows, in order and disjoint; ``()`` where nothing was typed.

        Raises:
            PartitionError: Something that names no partition; nothing is corrected or rounded.
        """
        where = where or self._where
        items = typed if isinstance(typed, (list, tuple)) else [typed]
        return self.join(
            window for item in items if not is_blank(item) for window in self._parse_one(item, where=where)
        )

    def parse_run_key(self, text: str, *, where: str | None = None) -> MultiPartitionWindow:
        """Read a partition key of a run or an event: a key, a window as it is written, or a key of the time alone."""
        where = where or self._where
        texts = split_at(text.strip(), SEPARATOR)
        if self.time is not None and len(texts) == 1:
            return self._with_time(self.time.parse_run_key(unescaped(texts[0]), where=where))
        windows = self.parse(text, where=where)
        if len(windows) != 1:
            raise PartitionError(
                f"{shown(text)} is no key and no window", where=where, fix=f"give a key such as {self.examples[0]!r}"
            )
        return windows[0]

    def rank(self, partition: Partition) -> tuple[Any, ...]:
        """Return the ranks of the parts, the first dimension first."""
        parts = self.partition(partition).parts.values()
        return tuple(one.rank(part) for one, part in zip(self.dimensions, parts, strict=True))

    def join(self, windows: Iterable[PartitionWindow]) -> tuple[MultiPartitionWindow, ...]:
        """Join windows that overlap or touch; the result is in order, disjoint, and holds the same partitions.

        Stretches of time are joined for each combination of values; combinations of the same stretch are one window,
        as far as they are a product.
        """
        stretches: dict[tuple[str, ...], list[TimePartitionWindow]] = {}
        for window in windows:
            own = self.adopt(window)
            lists = [part.keys for part in own.parts.values() if part is not own.time]
            for values in product(*lists):
                stretches.setdefault(values, []).extend([own.time] if own.time is not None else [])
        sets: dict[TimePartitionWindow | None, set[tuple[str, ...]]] = {}
        for values, found in stretches.items():
            joined = self.time.join(found) if self.time is not None else (None,)
            for stretch in joined:
                sets.setdefault(stretch, set()).add(values)
        found_windows = [
            self._with_time(stretch, parts) for stretch, chosen in sets.items() for parts in self._products(chosen)
        ]
        return tuple(sorted(found_windows, key=lambda window: self.rank(window.first)))

    def spanning(self, partitions: Iterable[Partition]) -> MultiPartitionWindow | None:
        """Return the stretch of time from the first to the last of the partitions, for all values."""
        times = [time for partition in partitions if (time := self.partition(partition).time) is not None]
        if self.time is None:
            return self.whole
        return self._spread(self.time.spanning(times))

    def completed_between(self, start: datetime, end: datetime) -> MultiPartitionWindow | None:
        """Return the partitions whose time ends in ``(start, end]``, for all values; ``None`` where none does."""
        return self._by_time(lambda time: time.completed_between(start, end))

    def in_progress(self, instant: datetime) -> MultiPartitionWindow | None:
        """Return the partitions in whose time an instant lies."""
        return self._by_time(lambda time: time.in_progress(instant))

    def newest(self, now: datetime) -> MultiPartitionWindow | None:
        """Return what the time covers at an instant when nothing else says it, for all values."""
        return self._by_time(lambda time: time.newest(now))

    def expected(self, now: datetime) -> MultiPartitionWindow | None:
        """Return the partitions that ought to be held at an instant: all combinations with the times that are due."""
        return self.whole if self.time is None else self._by_time(lambda time: time.expected(now))

    def compatible(self, other: PartitionConfig) -> bool:
        """Tell whether the other partitioning has the same dimensions in the same order, whatever their columns."""
        if not isinstance(other, MultiPartitionConfig) or len(self.dimensions) != len(other.dimensions):
            return False
        swapped = set(self.columns) == set(other.columns) and self.columns != other.columns
        return not swapped and all(
            one.compatible(another) for one, another in zip(self.dimensions, other.dimensions, strict=True)
        )

    def to_definition(self) -> dict[str, Any]:
        """Return the partitioning as a JSON-able dict, with its ``kind``."""
        return {
            "kind": self.kind,
            "dimensions": [one.to_definition() for one in self.dimensions],
            "allow_window": self.allow_window,
        }

    @classmethod
    def _from_fields(cls, fields: dict[str, Any]) -> MultiPartitionConfig:
        fields = dict(fields)
        dimensions = [PartitionConfig.from_definition(one) for one in fields.pop("dimensions", ())]
        return cls(*dimensions, **fields)

    @property
    def _where(self) -> str:
        return f"partitioning by {', '.join(map(repr, self.columns))}"

    def _of(self, parts: Parts) -> MultiPartitionWindow:
        return MultiPartitionWindow.of(self.columns, parts)

    def _by_time(
        self, answer: Callable[[TimePartitionConfig], TimePartitionWindow | None]
    ) -> MultiPartitionWindow | None:
        return None if self.time is None else self._spread(answer(self.time))

    def _spread(self, time: TimePartitionWindow | None) -> MultiPartitionWindow | None:
        return None if time is None else self._with_time(time)

    def _with_time(
        self, time: TimePartitionWindow | None, lists: Sequence[PartitionWindow] | None = None
    ) -> MultiPartitionWindow:
        """Return a window of a time and of these parts of the lists; by default of all their values."""
        others = iter(lists if lists is not None else [one.whole for one in self._lists])
        return self._of(tuple(time if one is self.time and time else next(others) for one in self.dimensions))

    @property
    def _lists(self) -> list[ListPartitionConfig]:
        return [one for one in self.dimensions if isinstance(one, ListPartitionConfig)]

    def _products(self, chosen: set[tuple[str, ...]]) -> Iterator[list[PartitionWindow]]:
        """Cut a set of combinations of values into products, as few as joining one dimension after another gives."""
        pieces: set[tuple[tuple[str, ...], ...]] = {tuple((value,) for value in values) for values in chosen}
        for place, one in enumerate(self._lists):
            groups: dict[Any, set[str]] = {}
            for piece in pieces:
                groups.setdefault((piece[:place], piece[place + 1 :]), set()).update(piece[place])
            order = one.positions
            pieces = {
                (*before, tuple(sorted(values, key=order.__getitem__)), *after)
                for (before, after), values in groups.items()
            }
        for piece in pieces:
            yield [
                one.chosen(ListPartitionWindow.of(values), where=self._where)
                for one, values in zip(self._lists, piece, strict=True)
            ]

    def _check_ends(self, window: MultiPartitionWindow, *, where: str) -> None:
        if self.time is not None and window.time is not None:
            self.time._check_ends(window.time, where=where)

    def _adopted(self, window: PartitionWindow, *, where: str) -> MultiPartitionWindow:
        if not isinstance(window, MultiPartitionWindow) or len(window.columns) != len(self.columns):
            raise PartitionError(
                f"{shown(str(window))} is a {type(window).__name__}, but the partitions are by {len(self.columns)} "
                f"dimensions: {', '.join(self.columns)}",
                where=where,
                fix=f"name partitions such as {self.examples[0]!r}",
            )
        parts = window.parts
        if set(self.columns) == set(window.columns):  # by name where the names are ours, else by place
            given: Iterable[PartitionWindow] = [parts[column] for column in self.columns]
        else:
            given = parts.values()
        return self._of(
            tuple(
                one.chosen(part, where=where) if isinstance(one, ListPartitionConfig) else one.adopt(part)
                for one, part in zip(self.dimensions, given, strict=True)
            )
        )

    def _parts_of(self, text: object, *, where: str) -> tuple[str, ...]:
        parts = split_key(text, where=where) if isinstance(text, str) else ()
        if len(parts) != len(self.dimensions):
            raise self._misshapen(text, where)
        return parts

    def _misshapen(self, text: object, where: str) -> PartitionError:
        return PartitionError(
            f"{shown(text)} is not one part for each of {', '.join(self.columns)}",
            where=where,
            fix=f"join them with {SEPARATOR}, for example {self.examples[0]!r}",
        )

    def _parse_one(self, item: object, *, where: str) -> Iterator[MultiPartitionWindow]:
        if isinstance(item, Partition):
            item = item.window
        if isinstance(item, TimePartitionWindow) and self.time is not None:
            yield self._with_time(self.time.parse(item, where=where)[0])
            return
        if isinstance(item, PartitionWindow):
            yield self._adopted(item, where=where)
            return
        if isinstance(item, Mapping):
            read = self._read_mapping(item, where=where)
        elif isinstance(item, str):
            read = self._read_text(item, where=where)
        elif self.time is not None:  # a date, or an aware datetime: the time alone
            times = self.time.parse(item, where=where)
            read = [[one.whole] if isinstance(one, ListPartitionConfig) else times for one in self.dimensions]
        else:
            raise self._misshapen(item, where)
        for parts in product(*read):
            yield self._of(parts)

    def _read_text(self, text: str, *, where: str) -> list[Sequence[PartitionWindow]]:
        """Return the windows of each dimension."""
        texts = split_at(text, SEPARATOR)
        if len(texts) == 1 and self.time is not None:
            texts = [texts[0] if one is self.time else "*" for one in self.dimensions]
        if len(texts) != len(self.dimensions) or any(is_blank(part) for part in texts):
            raise self._misshapen(text, where)
        return [self._read_part(one, part, where=where) for one, part in zip(self.dimensions, texts, strict=True)]

    def _read_part(self, one: PartitionConfig, text: str, *, where: str) -> Sequence[PartitionWindow]:
        if not isinstance(one, ListPartitionConfig):
            return one.parse(unescaped(text), where=where)
        # As it stands in a key a value has its commas bare; in a set they are escaped.
        is_value = any(
            unescaped(written) in one.positions and escaped(unescaped(written)) == written
            for written in (text, text.strip())
        )
        pieces = [unescaped(piece) for piece in ([text] if is_value else split_at(text, ","))]
        if any(is_blank(piece) for piece in pieces):
            raise self._misshapen(text, where)
        return [_chosen(one, pieces, where)]

    def _read_mapping(self, given: Mapping[str, Any], *, where: str) -> list[Sequence[PartitionWindow]]:
        self._check_names(given, where=where, all_of_them=False)
        found: list[Sequence[PartitionWindow]] = []
        for one in self.dimensions:
            typed = given.get(one.column)
            said_nothing = all(is_blank(item) for item in (typed if isinstance(typed, (list, tuple)) else [typed]))
            if not isinstance(one, ListPartitionConfig):
                if said_nothing:
                    raise PartitionError(
                        f"no {one.column!r} is given, and time has no end",
                        where=where,
                        fix=f"give it, for example {one.examples[-1]!r}",
                    )
                found.append(one.parse(typed, where=where))
            else:
                found.append([one.whole] if said_nothing else [_chosen(one, typed, where)])
        return found

    def _check_names(self, given: Mapping[str, Any], *, where: str, all_of_them: bool) -> None:
        unknown = [name for name in given if name not in self.columns]
        lacking = [column for column in self.columns if column not in given] if all_of_them else []
        if unknown or lacking:
            raise PartitionError(
                f"{shown(dict(given))} {'names' if unknown else 'lacks'} {', '.join(map(repr, unknown or lacking))}",
                where=where,
                fix=f"the dimensions are {', '.join(self.columns)}",
            )


def _chosen(one: ListPartitionConfig, typed: object, where: str) -> ListPartitionWindow:
    if isinstance(typed, ListPartitionWindow):
        return one.chosen(typed, where=where)
    return one.chosen(ListPartitionWindow.of(one.parse_values(typed, where=where)), where=where)


def _check_dimensions(dimensions: Sequence[object]) -> None:
    where = "MultiPartitionConfig"
    for one in dimensions:
        if not isinstance(one, (TimePartitionConfig, ListPartitionConfig)):
            raise DefinitionError(
                f"{shown(one)} is no dimension",
                where=where,
                fix="give a TimePartitionConfig and ListPartitionConfigs, one after another",
            )
        if one.column == MANAGED_COLUMN:
            raise ConfigError(
                f"a dimension has no column of its own: {one.described}",
                where=where,
                fix="use TimePartitionConfig(column=...) and ListPartitionConfig(..., column=...) for dimensions",
            )
        if one.allow_window:
            raise ConfigError(
                f"allow_window=True stands at the dimension {one.column!r}",
                where=where,
                fix="give it to MultiPartitionConfig: it says that data() takes all dimensions of a window at once",
            )
    columns = [one.column for one in dimensions if isinstance(one, PartitionConfig)]
    times = [one for one in dimensions if isinstance(one, TimePartitionConfig)]
    problem = (
        "has fewer than two dimensions"
        if len(dimensions) < 2
        else f"two dimensions have one column: {', '.join(columns)}"
        if len(set(columns)) < len(columns)
        else f"{' and '.join(repr(one.column) for one in times)} are both times"
        if len(times) > 1
        else None
    )
    if problem:
        raise ConfigError(problem, where=where, fix="give at most one time, and lists, each with a column of its own")
    _check_length([one for one in dimensions if isinstance(one, PartitionConfig)], where)


def _check_length(dimensions: Sequence[PartitionConfig], where: str) -> None:
    """Refuse dimensions whose longest keys together fit no path, before anything is written."""
    longest = [
        max(one.values, key=_width) if isinstance(one, ListPartitionConfig) else _LONGEST_TIME for one in dimensions
    ]
    if sum(map(_width, longest)) + 3 * len(longest) + 4 > MAX_COMPONENT:
        raise ConfigError(
            f"the key {shown(join_key(longest))} is longer than a path takes ({MAX_COMPONENT} bytes, encoded)",
            where=where,
            fix="use shorter values",
        )


def _width(part: str) -> int:
    """Bytes that a part takes in the path of a key's record; at the ends of a key it may take two more."""
    text = f"x{escaped(part)}"
    return len(component(text)) - 1
