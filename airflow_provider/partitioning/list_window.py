"""One value of a declared list as a partition, and several of them as a window."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from airflow_provider.errors import DefinitionError, PartitionError
from airflow_provider.partitioning.grain import shown
from airflow_provider.partitioning.partition import Partition
from airflow_provider.partitioning.window import PartitionWindow


class ListPartition(Partition):
    """One value of a list; the value is the key.

    Args:
        value: The value, text with at least one visible character.

    Raises:
        PartitionError: Anything else.
    """

    __slots__ = ("_value",)

    _value: str

    def __init__(self, value: object) -> None:
        if not isinstance(value, str) or not value.strip():
            raise PartitionError(
                f"{shown(value)} is no value of a list of partitions",
                where="partition",
                fix="give one of the texts that the list declares",
            )
        object.__setattr__(self, "_value", str.__str__(value))  # a plain text also of an Enum's member

    @property
    def key(self) -> str:
        """The value."""
        return self._value

    @property
    def window(self) -> ListPartitionWindow:
        """The window of this value alone."""
        return ListPartitionWindow.of((self._value,))

    def __eq__(self, other: object) -> bool:
        return self._value == other._value if isinstance(other, ListPartition) else NotImplemented

    def __hash__(self) -> int:
        return hash((ListPartition, self._value))

    def __repr__(self) -> str:
        return f"ListPartition({self._value!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return ListPartition, (self._value,)


class ListPartitionWindow(PartitionWindow):
    """Values of a list, in its order.

    The values of a partitioning by list alone follow one another there; beside other dimensions they may be any.

    Args:
        values: One or more values (or partitions), each once.

    Raises:
        DefinitionError: A bare text, whose letters would be taken for values.
        PartitionError: No values, one of them twice, or one that is none.
    """

    __slots__ = ("_is_range", "_values")

    _values: tuple[str, ...]
    _is_range: bool

    def __init__(self, values: Iterable[str | ListPartition]) -> None:
        if isinstance(values, str):
            raise DefinitionError(
                f"values={values!r} is one text, not a list of them",
                where="ListPartitionWindow",
                fix=f"write [{values!r}], or let the partitioning read it: config.parse({values!r})",
            )
        keys = tuple(value.key if isinstance(value, ListPartition) else ListPartition(value).key for value in values)
        if not keys or len(set(keys)) != len(keys):
            raise PartitionError(
                f"the window {shown(list(keys))} {'holds a value twice' if keys else 'holds no value'}",
                where="window",
                fix="name each of its values once",
            )
        _set(self, keys, is_range=len(keys) == 1)

    @classmethod
    def of(cls, values: tuple[str, ...], *, is_range: bool = True) -> ListPartitionWindow:
        """Return the window of declared values; the fast way for those who know that they are.

        Args:
            values: The values, in the order of the list.
            is_range: Whether they follow one another there, so that the first and the last name them all.
        """
        window = object.__new__(cls)
        _set(window, values, is_range=is_range)
        return window

    @property
    def values(self) -> tuple[str, ...]:
        """The values."""
        return self._values

    @property
    def keys(self) -> tuple[str, ...]:
        """The values, which are the keys."""
        return self._values

    @property
    def is_range(self) -> bool:
        """Whether the values are known to follow one another in their list."""
        return self._is_range

    @property
    def first(self) -> ListPartition:
        """The first value."""
        return ListPartition(self._values[0])

    @property
    def last(self) -> ListPartition:
        """The last value."""
        return ListPartition(self._values[-1])

    @property
    def partitions(self) -> tuple[ListPartition, ...]:
        """Every value as a partition."""
        return tuple(self)

    def __iter__(self) -> Iterator[ListPartition]:
        return map(ListPartition, self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, partition: object) -> bool:
        return (partition.key if isinstance(partition, ListPartition) else partition) in self._values

    def __eq__(self, other: object) -> bool:
        return self._values == other._values if isinstance(other, ListPartitionWindow) else NotImplemented

    def __hash__(self) -> int:
        return hash((ListPartitionWindow, self._values))

    def __str__(self) -> str:
        if len(self._values) == 1:
            return self._values[0]
        return f"{self._values[0]}..{self._values[-1]}" if self._is_range else ",".join(self._values)

    def __repr__(self) -> str:
        return f"ListPartitionWindow({list(self._values)!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt, (self._values, self._is_range)


def _set(window: ListPartitionWindow, values: tuple[str, ...], *, is_range: bool) -> None:
    object.__setattr__(window, "_values", values)
    object.__setattr__(window, "_is_range", is_range)


def _rebuilt(values: tuple[str, ...], is_range: bool) -> ListPartitionWindow:
    return ListPartitionWindow.of(values, is_range=is_range)
