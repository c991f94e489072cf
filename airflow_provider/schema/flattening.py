"""Nested records as columns of their own: dicts in rows, structs in Arrow, to any depth and without recursion.

A column that is made of a record knows the path it came by: two paths may end under one name, and are told apart.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from airflow_provider.errors import NormalizerError
from airflow_provider.schema.values import is_null

if TYPE_CHECKING:
    import pyarrow as pa


class Path:
    """Where a value was: the keys from the row inwards. Within one ``Flattener``, equal paths are one object.

    Attributes:
        key: The last key.
        parent: The path without it; None for a column of the row.
        depth: Number of keys.
    """

    __slots__ = ("_children", "depth", "key", "parent")

    def __init__(self, key: str, parent: "Path | None" = None) -> None:
        self.key = key
        self.parent = parent
        self.depth: int = 1 if parent is None else parent.depth + 1
        self._children: dict[str, Path] = {}

    def child(self, key: Any) -> "Path":
        """The path one key further in.

        Raises:
            TypeError: The key is not text.
        """
        found = self._children.get(key)
        if found is None:
            if not isinstance(key, str):
                raise TypeError(f"the key {key!r} of type {type(key).__name__}")
            found = self._children[key] = Path(key, self)
        return found

    @property
    def keys(self) -> list[str]:
        """All keys, from the row inwards."""
        keys, path = [self.key], self.parent
        while path is not None:
            keys.append(path.key)
            path = path.parent
        return keys[::-1]


class Flattener:
    """Takes records apart, each empty one aside, for it has no column to become.

    Args:
        max_level: How many levels of records become columns; None for all.
        where: The asset, for messages.
    """

    def __init__(self, max_level: int | None, *, where: str) -> None:
        self._limit = max_level
        self._where = where
        self._tops: dict[str, Path] = {}
        self._opened: set[Path] = set()

    def path(self, column: str) -> Path:
        """The path of a column of the row."""
        found = self._tops.get(column)
        if found is None:
            found = self._tops[column] = Path(column)
        return found

    def row(self, row: Mapping[str, Any], number: int) -> dict[Path, Any]:
        """The values of one row by path, in order.

        Raises:
            NormalizerError: A key inside a record that is not text.
        """
        flat: dict[Path, Any] = {}
        for name, value in row.items():
            if isinstance(value, dict):
                flat.update(self._leaves(self.path(name), value, number))
            else:
                flat[self.path(name)] = value
        return flat

    def values(self, path: Path, values: Sequence[Any]) -> dict[Path, list[Any]]:
        """The columns that one column of Python values becomes; a row without one of them holds None.

        Raises:
            NormalizerError: A key inside a record that is not text.
        """
        columns: dict[Path, list[Any]] = {}
        for number, value in enumerate(values):
            for leaf, inner in self._leaves(path, value, number):
                if leaf not in columns:
                    columns[leaf] = [None] * len(values)
                columns[leaf][number] = inner
        empty = self.emptied({leaf for leaf, column in columns.items() if all(map(is_null, column))})
        return {leaf: column for leaf, column in columns.items() if leaf not in empty}

    def arrow(
        self, path: Path, column: "pa.ChunkedArray", field: "pa.Field"
    ) -> "list[tuple[Path, pa.ChunkedArray, pa.Field]]":
        """The columns that one Arrow column becomes; a null record is null in each."""
        import pyarrow as pa

        flat, waiting = [], [(path, column, field)]
        while waiting:
            path, column, field = waiting.pop()
            kind = field.type
            if not (pa.types.is_struct(kind) and kind.num_fields and self._opens(path)):
                flat.append((path, column, field))
                continue
            self._opened.add(path)
            parts = [chunk.flatten() for chunk in column.chunks]
            inner = [
                (path.child(part.name), pa.chunked_array([held[at] for held in parts], part.type), part)
                for at, part in enumerate(kind)
            ]
            waiting.extend(reversed(inner))
        return flat

    def emptied(self, nulls: set[Path]) -> set[Path]:
        """Those of the columns without a value that were records in other rows: their parts say all there is."""
        return nulls & self._opened

    def _opens(self, path: Path) -> bool:
        return self._limit is None or path.depth <= self._limit

    def _leaves(self, path: Path, value: Any, number: int) -> Iterator[tuple[Path, Any]]:
        """The values inside a value, depth first; no recursion, for data may be nested deeper than Python calls."""
        waiting: list[Iterator[tuple[Path, Any]]] = [iter(((path, value),))]
        while waiting:
            for inner, held in waiting[-1]:
                if isinstance(held, dict) and held and self._opens(inner):
                    self._opened.add(inner)
                    waiting.append(self._children(inner, held, number))
                    break
                yield inner, held
            else:
                waiting.pop()

    def _children(self, path: Path, record: dict[Any, Any], number: int) -> Iterator[tuple[Path, Any]]:
        for key, value in record.items():
            try:
                child = path.child(key)
            except TypeError as error:
                raise NormalizerError(
                    f"row {number}, {' > '.join(map(repr, path.keys))[:200]} has {error}, which cannot name a column",
                    where=self._where,
                    fix="make the keys text, or flatten fewer levels",
                ) from None
            yield child, value


def without_empty(value: Any) -> Any:
    """The value with each ``{}`` in it, at any depth, replaced by None; the value itself where there is none."""
    if not _holds_empty(value):
        return value
    if value == {}:
        return None
    copy = value.copy()
    waiting = [copy]
    while waiting:
        held = waiting.pop()
        for key, item in held.items() if isinstance(held, dict) else enumerate(held):
            if isinstance(item, (dict, list)):
                held[key] = None if item == {} else item.copy()
                if item:
                    waiting.append(held[key])
    return copy


def _holds_empty(value: Any) -> bool:
    waiting = [value]
    while waiting:
        held = waiting.pop()
        if isinstance(held, dict):
            if not held:
                return True
            waiting.extend(held.values())
        elif isinstance(held, list):
            waiting.extend(held)
    return False
