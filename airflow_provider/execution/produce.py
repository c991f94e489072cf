"""From what ``data()`` returned to the partitions that are written: unwrapped, normalized, conformed, sliced.

A stream that outgrows its first batch takes those steps batch by batch, on its way to a spool on the disk.

Everything here happens before the first write, so whatever does not fit leaves every destination as it was.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.destination import Destination
from airflow_provider.definitions.view import View
from airflow_provider.errors import AssetError, PartitionError
from airflow_provider.execution.events import Emitter
from airflow_provider.execution.intake import Strays
from airflow_provider.execution.managed_key import with_key
from airflow_provider.execution.spool import Spool
from airflow_provider.execution.tracing import span
from airflow_provider.partitioning import Partition, PartitionWindow
from airflow_provider.schema import Schema, conform
from airflow_provider.schema.representations import TableData, split
from airflow_provider.schema.representations.reader import Batches

if TYPE_CHECKING:
    from airflow_provider.schema.representations import Split


@dataclass(frozen=True)
class Produced:
    """What ``data()`` gave after conforming, or a part of it: the value, and its tabular view if it has one."""

    value: Any
    table: TableData | None
    schema: type[Schema] | None

    @property
    def is_spooled(self) -> bool:
        """Whether its rows are on the disk, for the time of this pass."""
        return isinstance(self.value, (Spooled, Batches))

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to write."""
        if self.table is not None:
            return self.table.is_empty
        return self.value is None or (hasattr(self.value, "__len__") and len(self.value) == 0)

    def form(self, destination: Destination, *, where: str) -> Any:
        """The data as ``destination`` wants it; what can be read anew where it wants a reader."""
        if isinstance(self.value, Batches):
            return self.value if destination.streams or destination.representation == "reader" else self.value.table()
        if self.table is None:
            return self.value
        if destination.representation is None:
            return self.table.value
        if not self.table.is_empty and not self.table.checked_columns(where=where):
            raise AssetError(
                f"returned {self.table.num_rows} row(s) without a column; {destination.key!r} would keep none of them",
                where=where,
                fix="return no rows at all, or rows with at least one column",
            )
        if destination.representation == "reader":
            return self.table.arrow(where=where)
        return self.table.to(destination.representation, where=where)


@dataclass(frozen=True)
class Spooled:
    """A stream that was read to its end: its rows by partition, on the disk."""

    spool: Spool
    schema: type[Schema] | None
    strays: Strays

    def __len__(self) -> int:
        return self.spool.num_rows


@dataclass(frozen=True)
class Slices:
    """Partitions with what is written to each; a value that is no table goes whole to each."""

    partitions: list[Partition | None]
    pieces: list[Produced]

    def pairs(self) -> Iterator[tuple[Partition | None, Produced]]:
        """Each partition with its piece, in time order."""
        return zip(self.partitions, self.pieces, strict=True)


def conformed(value: Any, asset: Asset, window: PartitionWindow | None = None) -> Produced:
    """``value`` normalized and fitted to the asset's schema; without one a schema is inferred for a table.

    Args:
        value: What was taken in.
        asset: Whose data it is.
        window: The partitions of the pass; rows without a partition column of their own get the key from it.

    Raises:
        AssetError: It is no table, but the asset declares a schema.
        SchemaError: It does not fit the schema.
        PartitionError: Rows of several partitions lack the key that only they can say.
    """
    if isinstance(value, Spooled):
        return Produced(value, None, value.schema)
    if isinstance(asset, View):
        return Produced(asset.definition(value), None, None)
    table = TableData.of(value)
    if table is None:
        if asset.schema is not None:
            raise AssetError(
                f"returned a {type(value).__name__}, which is no table, but the asset declares a schema",
                where=asset.label,
                fix="return rows, a DataFrame or an Arrow table, or remove schema=",
            )
        return Produced(value, None, None)
    if asset.normalizer is not None:
        with span("asset_normalize", asset=asset.qualified_key, rows=table.num_rows):
            table = asset.normalizer.normalize(table, where=asset.label)
    table = with_key(table, asset, window)
    with span("asset_conform", asset=asset.qualified_key, rows=table.num_rows):
        table, schema = conform(table, asset.schema, asset.strategy, where=asset.label)
    return Produced(table.value, table, schema)


def require_forms(produced: Produced, asset: Asset, destinations: Sequence[Destination]) -> None:
    """Refuse what one destination cannot hold before any is written to.

    Raises:
        AssetError: A value that is no table, for a destination that holds tables only.
        SchemaError: A column that a destination has no type for; it is named with the reason.
    """
    for destination in destinations:
        _require_types(produced, asset, destination)
    if len(destinations) < 2 or produced.is_empty or produced.is_spooled:
        return
    for destination in (destination for destination in destinations if destination.representation is not None):
        if produced.table is None:
            raise AssetError(
                f"returned a {type(produced.value).__name__}, but {destination.key!r} holds tables only",
                where=asset.label,
                fix="return rows, a DataFrame or an Arrow table, or leave that destination out",
            )
        produced.table.to(cast("str", destination.representation), where=asset.label)


def _require_types(produced: Produced, asset: Asset, destination: Destination) -> None:
    types, told = destination.type_map, {"where": asset.label, "destination": destination.label}
    if types.is_open or produced.is_empty:
        return
    if isinstance(produced.value, Spooled):
        types.check_schema(produced.value.spool.schema, **told)
    elif produced.table is not None and destination.representation in ("arrow", "reader"):
        types.check_table(produced.table.arrow(where=asset.label), **told)
    elif produced.table is not None and produced.schema is not None:
        types.check_schema(produced.schema.arrow(), **told)


def sliced(produced: Produced, asset: Asset, window: PartitionWindow | None, emitter: Emitter) -> Slices:
    """The partitions with their rows; stray rows are refused, or dropped and counted, before any write.

    Raises:
        PartitionError: A row lies outside the window or has no partition value, and ``stray_rows`` is ``"error"``.
    """
    partitions: list[Partition | None] = [None] if window is None else list(window)
    if isinstance(produced.value, Spooled):
        _check_strays(asset, window, produced.value.strays, emitter)
        return Slices(partitions, _spooled_pieces(produced.value, len(partitions)))
    if window is None or produced.table is None or produced.table.is_empty:
        return Slices(partitions, [produced] * len(partitions))
    assert asset.partitioning is not None  # noqa: S101 -- a window means a partitioned asset
    parts = split(_for_split(produced.table, asset), asset.partitioning, window, where=asset.label)
    _check_strays(asset, window, parts, emitter)
    return Slices(partitions, [Produced(part.value, part, produced.schema) for part in parts.slices])


def _spooled_pieces(spooled: Spooled, count: int) -> list[Produced]:
    spool, schema = spooled.spool, spooled.spool.schema
    batches = [Batches(schema, partial(spool.reader, at), spool.rows[at]) for at in range(count)]
    return [Produced(each, None, spooled.schema) for each in batches]


def joined(kept: Sequence[Produced]) -> Any:
    """One value out of those of several passes: a table where all are tables of one form, else a list of them."""
    if len(kept) <= 1:
        return kept[0].value if kept else None
    tables = [piece.table for piece in kept if piece.table is not None]
    filled = [table for table in tables if not table.is_empty] or tables[:1]
    if len(tables) < len(kept) or len({table.kind for table in filled}) > 1:
        return [piece.value for piece in kept]
    return TableData.concat(filled).value


def _for_split(table: TableData, asset: Asset) -> TableData:
    """Arrow, converted once as a whole, where every destination takes that; so all slices have the same types."""
    forms = {destination.representation for destination in asset.destinations}
    return TableData.of(table.arrow(where=asset.label)) or table if forms == {"arrow"} else table


def _check_strays(asset: Asset, window: PartitionWindow | None, parts: "Split | Strays", emitter: Emitter) -> None:
    if not parts.stray_count or window is None or asset.partitioning is None:
        return
    if asset.stray_rows == "error":
        raise _stray_error(asset, window, parts)
    emitter.warn(
        "%s dropped %s rows outside the window %s or without %s",
        asset.label, parts.stray_count, window, "|".join(asset.partitioning.columns),
    )  # fmt: skip


def _stray_error(asset: Asset, window: PartitionWindow, parts: "Split | Strays") -> PartitionError:
    assert asset.partitioning is not None  # noqa: S101 -- only partitioned data is sliced
    column = "|".join(asset.partitioning.columns)
    first = f"row {parts.first_stray[0]} has {column}={parts.first_stray[1]}" if parts.first_stray else "a row"
    return PartitionError(
        f"{first}, outside the window {window} ({parts.stray_count} such rows, {parts.nulls} of them without a value)",
        where=asset.label,
        fix="filter the rows in data() on context.window, run the window that holds them, or set stray_rows='drop'",
    )
