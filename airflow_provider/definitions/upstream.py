"""The upstream asset that a parameter of ``data()`` receives, with what was read from its destination."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from airflow_provider.definitions.asset import Asset


class Reads(Protocol):
    """Reads an upstream's data when it is asked for."""

    def whole(self) -> Any:
        """All of it, as its destination gives it."""

    def batches(self) -> "pa.RecordBatchReader":
        """All of it, batch by batch, in memory that does not grow; a new reader at each call."""


class Upstream:
    """An upstream asset and the data of the partitions that this run reads.

    What is larger than a batch (100,000 rows), and stored where it can be read in batches (Parquet, CSV), is read when
    it is first asked for: by ``batches()`` without ever being held, by everything else as a whole.

    Args:
        asset: The upstream asset.
        data: What its default destination gave back; None when nothing is stored there.
        missing: Keys of the partitions that the run wanted and did not find.
        reads: Reads the data when it is asked for, in place of ``data``.
    """

    __slots__ = ("_asset", "_data", "_missing", "_reads")

    def __init__(
        self, asset: "Asset", data: Any = None, missing: Sequence[str] = (), *, reads: Reads | None = None
    ) -> None:
        self._asset = asset
        self._data = data
        self._missing = missing
        self._reads = reads

    def __repr__(self) -> str:
        return f"Upstream({self._asset.qualified_key!r}, missing={list(self._missing)!r})"

    @property
    def asset(self) -> "Asset":
        """The upstream asset."""
        return self._asset

    @property
    def missing(self) -> Sequence[str]:
        """Keys of the partitions that the run wanted and did not find."""
        return self._missing

    @property
    def data(self) -> Any:
        """What its default destination gives back; None when nothing is stored there."""
        if self._data is None and self._reads is not None:
            self._data = self._reads.whole()
        return self._data

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The data as rows; empty when nothing is stored."""
        rows: list[dict[str, Any]] = self._to("rows")
        return rows

    def arrow(self) -> "pa.Table":
        """The data as an Arrow table; an empty one without columns when nothing is stored."""
        table: pa.Table = self._to("arrow")
        return table

    def pandas(self) -> "pd.DataFrame":
        """The data as a frame; an empty one when nothing is stored."""
        frame: pd.DataFrame = self._to("pandas")
        return frame

    def polars(self) -> "pl.DataFrame":
        """The data as a polars frame; an empty one when nothing is stored.

        Raises:
            RepresentationError: polars is not installed; the extra is named.
        """
        frame: pl.DataFrame = self._to("polars")
        return frame

    def batches(self) -> "pa.RecordBatchReader":
        """The data batch by batch, one partition after another, all of one schema.

        Where the destination can be read in batches (Parquet, CSV), memory holds one at a time. The reader may be
        given to whatever takes one (DuckDB, polars), or returned; each call gives a new one. Without batches when
        nothing is stored.
        """
        if self._data is None and self._reads is not None:
            return self._reads.batches()
        return self._to("reader")

    def _to(self, kind: str) -> Any:
        from airflow_provider.errors import RepresentationError
        from airflow_provider.schema.representations import TableData

        table = TableData.of([] if self.data is None else self.data)
        if table is None:
            raise RepresentationError(
                f"its data is a {type(self.data).__name__}, not a table",
                where=self.asset.label,
                fix="use upstream.data, which is the value as it was stored",
            )
        return table.to(kind)
