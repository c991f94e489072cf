"""What a form of tabular data must be able to do, and the list of those that exist.

A representation recognises its values without importing its library: a DataFrame can only be there if somebody has
imported pandas. A package adds its own with ``register``, or offers it as an entry point of the group
``airflow_provider.representations``, which is looked at once, when nothing known fits.
"""

import functools
import logging
from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from airflow_provider.errors import RepresentationError
from airflow_provider.schema.representations.grouping import group_bounds, in_order, stable_order

if TYPE_CHECKING:
    import pyarrow as pa

    from airflow_provider.schema.schema import Schema


log = logging.getLogger(__name__)

ENTRY_POINTS = "airflow_provider.representations"
"""Group of the entry points that name a ``Representation`` class, to be called without arguments."""

Column = tuple[str, "str | tuple[pa.Field, pa.ChunkedArray]"]


class Representation(ABC):
    """One form of tabular data. Values are never changed in place."""

    kind: ClassVar[str]
    last_resort: ClassVar[bool] = False
    """Whether values of other forms match too, so that those are asked first."""

    @abstractmethod
    def matches(self, value: Any) -> bool:
        """Whether ``value`` is of this form; imports nothing."""

    def wrap(self, value: Any) -> Any:
        """What stands for ``value`` from now on; the value itself, but for one that can be read only once."""
        return value

    def check(self, value: Any, *, where: str) -> None:  # noqa: B027 -- most forms have nothing to check
        """Refuse a value that holds data which no column has; called before the labels are looked at.

        Raises:
            SchemaError: There is such data.
        """

    @abstractmethod
    def num_rows(self, value: Any) -> int:
        """Number of rows."""

    @abstractmethod
    def labels(self, value: Any) -> Sequence[Any]:
        """The column labels as they are: not yet checked to be text, and each once."""

    @abstractmethod
    def to_arrow(self, value: Any, schema: "type[Schema] | None", *, where: str) -> "pa.Table":
        """The Arrow form; ``schema`` is what the data is known to fit.

        Raises:
            SchemaError: A column that Arrow has no type for.
        """

    @abstractmethod
    def from_arrow(self, table: "pa.Table") -> Any:
        """A value of this form from Arrow."""

    @abstractmethod
    def to_rows(self, value: Any) -> list[dict[str, Any]]:
        """The rows as dicts, all with the same keys; nulls are None."""

    @abstractmethod
    def column(self, value: Any, name: str) -> "list[Any] | pa.ChunkedArray":
        """One column, as a list of Python values or as Arrow where that is cheap."""

    @abstractmethod
    def select(self, value: Any, names: Sequence[str]) -> Any:
        """These columns, in this order."""

    @abstractmethod
    def rename(self, value: Any, names: Sequence[str]) -> Any:
        """The same data under new column names, one for each of ``labels``."""

    def assemble(self, value: Any, columns: Sequence[Column]) -> Any:
        """A value of these columns, as many rows as ``value`` has.

        Args:
            value: The data.
            columns: Each name, with the column of ``value`` that it takes over, or a new one as Arrow field and data.
        """
        import pyarrow as pa

        table = self.to_arrow(value, None, where=self.kind)
        parts = [(table.schema.field(c), table.column(c)) if isinstance(c, str) else c for _, c in columns]
        fields = [field.with_name(name) for (name, _), (field, _) in zip(columns, parts, strict=True)]
        if not parts:
            return self.from_arrow(table.select([]))
        return self.from_arrow(pa.Table.from_arrays([array for _, array in parts], schema=pa.schema(fields)))

    def filled(self, value: Any, name: str, text: str) -> Any:
        """The same data with ``text`` in column ``name`` wherever that is null, or everywhere where it is not there."""
        import pyarrow as pa

        table = self.to_arrow(value, None, where=self.kind)
        if name not in table.column_names:
            return self.from_arrow(table.append_column(name, pa.array([text] * table.num_rows, pa.string())))
        column = table.column(name)
        column = column.cast(pa.string()) if pa.types.is_null(column.type) else column
        return self.from_arrow(table.set_column(table.column_names.index(name), name, column.fill_null(text)))

    @abstractmethod
    def slice(self, value: Any, start: int, stop: int) -> Any:
        """Rows ``start`` up to ``stop``, without a copy where that is possible."""

    @abstractmethod
    def take(self, value: Any, positions: Any) -> Any:
        """The rows at these positions (a NumPy array), in that order."""

    def group(self, value: Any, codes: Any, count: int) -> list[Any]:
        """Group the rows by their code, input order kept.

        Args:
            value: The data.
            codes: One small integer for each row, ``0`` to ``count - 1`` (a NumPy array).
            count: Number of groups.

        Returns:
            ``count`` values of this form, in the order of the codes.
        """
        if not in_order(codes):
            value = self.take(value, stable_order(codes).to_numpy().view("int64"))
        return [self.slice(value, start, stop) for start, stop in pairwise(group_bounds(codes, count))]

    @abstractmethod
    def concat(self, values: Sequence[Any]) -> Any:
        """All rows of at least one value, in order; columns are joined by name."""


_REPRESENTATIONS: dict[str, Representation] = {}


def register(representation: Representation) -> None:
    """Add a representation, or replace the one of its kind."""
    _REPRESENTATIONS[representation.kind] = representation


def known() -> tuple[Representation, ...]:
    """Every representation there is, in the order in which values are tried; those of installed packages last."""
    _load_offered()
    return tuple(_REPRESENTATIONS.values())


def find(value: Any) -> Representation | None:
    """The representation of ``value``, or None where it is not tabular."""
    found = _matching(value, last_resort=False)
    if found is None and not _PLAIN.intersection(type(value).__mro__[:-1]) and _load_offered():
        found = _matching(value, last_resort=False)
    return found or _matching(value, last_resort=True)


def by_kind(kind: str) -> Representation:
    """The representation called ``kind``.

    Raises:
        RepresentationError: There is none of that name.
    """
    if kind not in _REPRESENTATIONS:
        _load_offered()
    if kind not in _REPRESENTATIONS:
        raise RepresentationError(
            f"no representation is called {kind!r}",
            where="TableData",
            fix=f"use one of {', '.join(map(repr, _REPRESENTATIONS))}",
        )
    return _REPRESENTATIONS[kind]


_PLAIN = frozenset({bool, bytes, dict, float, int, list, set, str, tuple, type(None)})
"""Types that no package's form is looked for: they are Python's own."""


def _matching(value: Any, *, last_resort: bool) -> Representation | None:
    forms = (form for form in _REPRESENTATIONS.values() if form.last_resort is last_resort)
    return next((form for form in forms if form.matches(value)), None)


@functools.cache
def _load_offered() -> bool:
    """Register what installed packages offer, unless something of that kind is there; whether there was anything."""
    import importlib.metadata  # dear, and seldom needed

    points = importlib.metadata.entry_points(group=ENTRY_POINTS)
    for point in sorted(points, key=lambda point: point.name):
        try:
            representation = point.load()()
        except Exception as error:  # noqa: BLE001 -- a broken package must not stop the assets that do not need it
            log.warning("the representation %r of %s cannot be loaded: %s", point.name, point.value, error)
            continue
        _REPRESENTATIONS.setdefault(representation.kind, representation)
    return bool(points)
