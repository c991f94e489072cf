"""A stream on its way to the spool: each batch is normalized, conformed, placed and kept on the disk.

The whole stream is read before the first write, so whatever does not fit leaves every destination as it was.
"""

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from airflow_provider.definitions.asset import Asset
from airflow_provider.errors import AssetError
from airflow_provider.execution.managed_key import with_key
from airflow_provider.execution.spool import Spool
from airflow_provider.execution.stream import Batch, Stream, counted_from
from airflow_provider.partitioning import PartitionWindow
from airflow_provider.schema import Schema, conform, infer
from airflow_provider.schema.promotion import GrowingSchema
from airflow_provider.schema.representations import Split, TableData, split
from airflow_provider.schema.representations.reader import BATCH_BYTES

if TYPE_CHECKING:
    import pyarrow as pa


log = logging.getLogger(__name__)

_PLACED_AT_ONCE = 2 * BATCH_BYTES
"""Bytes that are placed at a time: the more, the fewer and larger the pieces of each partition."""


@dataclass
class Strays:
    """The rows of a stream that lie in no partition of the window; like a ``Split`` of the whole.

    Attributes:
        stray_count: How many there are.
        nulls: How many of them have no partition value.
        first_stray: Number in the stream and value of the first one, null ones not counted.
    """

    stray_count: int = 0
    nulls: int = 0
    first_stray: tuple[int, str] | None = None


@dataclass
class Intake:
    """Takes a stream into a spool.

    Args:
        asset: Whose data it is.
        window: The partitions asked for; None for the unpartitioned whole.
        spool: Takes the rows.

    Attributes:
        strays: Filled as the stream is read.
        schema: What the data fits; set at the end.
    """

    asset: Asset
    window: PartitionWindow | None
    spool: Spool
    strays: Strays = field(default_factory=Strays)
    schema: type[Schema] | None = None

    def __post_init__(self) -> None:
        self._growing = GrowingSchema(self.asset.label, fixed=self.asset.schema is not None)
        self._told: set[str] = set()
        self._waiting: list[pa.Table] = []
        self._waiting_from = 0
        self._bytes = 0
        self._rows = 0
        self._lacking: pa.Table | None = None

    def take(self, stream: Stream) -> None:
        """Read the stream to its end.

        Raises:
            SchemaError, PartitionError, NormalizerError: A row that does not fit; it is named by its number in the
                stream.
            AssetError: An item that is no row, or no space for the spool.
        """
        self.feed(stream)
        self.finish()

    def feed(self, stream: Stream) -> None:
        """Read one of several streams to its end; its rows count on from those before."""
        before = self._rows
        for batch in stream.batches():
            first_row = before + batch.first_row
            with counted_from(first_row):
                table = self._conformed(batch)
            self._growing.add(table, first_row, from_rows=batch.data.kind == "rows")
            self._place_later(table, first_row)
            self._rows = first_row + batch.data.num_rows

    def finish(self) -> None:
        """Place what is left, and say what all of it fits."""
        rows = self._rows
        self._place()
        if self._lacking is not None and not self._has_columns(self._growing.schema):
            self._split(self._lacking)  # says which column is not there
        if rows and not (self._growing.schema and self._growing.schema.names):
            raise AssetError(
                f"yielded {rows} row(s) without a column; no destination would keep them",
                where=self.asset.label,
                fix="yield no rows at all, or rows with at least one column",
            )
        self.spool.schema = self._growing.schema
        self.schema = self.asset.schema or _schema_of(self._growing.schema, self.asset.label)
        log.info("%s spooled %s rows, %.0f MB in %s", self.asset.label, rows, self.spool.size / 1e6, self.spool.folder)

    def _conformed(self, batch: Batch) -> "pa.Table":
        asset, data = self.asset, batch.data
        if asset.normalizer is not None:
            data = asset.normalizer.normalize(data, where=asset.label)
        data = with_key(data, asset, self.window)
        data, _ = conform(data, asset.schema, asset.strategy, where=asset.label, told=self._told)
        return _plain(data.arrow(where=asset.label))

    def _place_later(self, table: "pa.Table", first_row: int) -> None:
        """Hold tables of one schema until it pays to place them."""
        if self._waiting and not table.schema.equals(self._waiting[0].schema, check_metadata=True):
            self._place()
        if not self._waiting:
            self._waiting_from = first_row
        self._waiting.append(table)
        self._bytes += table.nbytes
        if self.window is None or self._bytes >= _PLACED_AT_ONCE:
            self._place()

    def _place(self) -> None:
        import pyarrow as pa

        if not self._waiting:
            return
        table = pa.concat_tables(self._waiting)
        self._waiting, self._bytes = [], 0
        if self.window is None:
            self.spool.append(0, table)
            return
        if not self._has_columns(table.schema):  # another batch may have them
            self._lacking = table.slice(0, 1)
            self._count(Strays(table.num_rows, table.num_rows))
            return
        with counted_from(self._waiting_from):
            parts = self._split(table)
        self._count(parts)
        for position, part in enumerate(parts.slices):
            if not part.is_empty:
                self.spool.append(position, part.value)

    def _has_columns(self, schema: "pa.Schema | None") -> bool:
        """Whether the partition columns are there."""
        partitioning = self.asset.partitioning
        return partitioning is not None and schema is not None and set(partitioning.columns) <= set(schema.names)

    def _split(self, table: "pa.Table") -> Split:
        data = TableData.of(table)
        assert data is not None  # noqa: S101 -- an Arrow table
        assert self.asset.partitioning is not None and self.window is not None  # noqa: S101, PT018 -- else no split
        return split(data, self.asset.partitioning, self.window, where=self.asset.label)

    def _count(self, parts: Split | Strays) -> None:
        found = self.strays
        found.stray_count += parts.stray_count
        found.nulls += parts.nulls
        if found.first_stray is None and parts.first_stray is not None:
            row, value = parts.first_stray
            found.first_stray = (row + self._waiting_from, value)


def _plain(table: "pa.Table") -> "pa.Table":
    """The table with dictionary-encoded columns as their values: batches have dictionaries that differ."""
    import pyarrow as pa

    fields = [held.with_type(_plain_type(held.type)) for held in table.schema]
    schema = pa.schema(fields, metadata=table.schema.metadata)
    return table if schema.equals(table.schema) else table.cast(schema)


def _plain_type(kind: "pa.DataType") -> "pa.DataType":
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return kind.value_type
    if pa.types.is_struct(kind):
        return pa.struct([held.with_type(_plain_type(held.type)) for held in kind])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_plain_type(kind.value_type)))
    if pa.types.is_large_list(kind):
        return pa.large_list(kind.value_field.with_type(_plain_type(kind.value_type)))
    return kind


def _schema_of(schema: "pa.Schema | None", where: str) -> type[Schema] | None:
    return None if schema is None or not len(schema) else infer(schema.empty_table(), where=where)
