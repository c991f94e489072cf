"""What one output is given in one pass, piece by piece: in memory while it is about a batch, else on the disk.

A function that fills several assets yields a piece for this one, then one for that; so each output has its own spool.
"""

import contextlib
from collections.abc import Sequence
from typing import Any

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.destination import Destination
from airflow_provider.errors import AssetError
from airflow_provider.execution.intake import Intake
from airflow_provider.execution.produce import Spooled
from airflow_provider.execution.spool import Spool
from airflow_provider.execution.stream import Stream, size_of
from airflow_provider.partitioning import PartitionWindow
from airflow_provider.schema.representations import TableData, unwrap
from airflow_provider.schema.representations.reader import BATCH_BYTES, BATCH_ROWS


class Pieces:
    """Takes up the data of one output.

    It is spooled only where every destination takes Arrow: another one is given what was yielded, and thus all of it
    at once.

    Args:
        asset: Whose data it is.
        window: The partitions asked for; None for the unpartitioned whole.
        destinations: Where it goes; none for a run that does not write, which collects.
    """

    def __init__(self, asset: Asset, window: PartitionWindow | None, destinations: Sequence[Destination]) -> None:
        self._asset, self._window = asset, window
        self._may_spool = bool(destinations) and all(d.representation in ("arrow", "reader") for d in destinations)
        self._values: list[Any] = []
        self._rows = self._bytes = 0
        self._intake: Intake | None = None
        self._spools = contextlib.ExitStack()

    @property
    def is_empty(self) -> bool:
        """Whether no piece was given, not even one without rows."""
        return not self._values and self._intake is None

    def add(self, value: Any) -> None:
        """Take up one piece; a stream is read to its end and closed.

        Raises:
            Exception: Whatever the stream raises.
            SchemaError, PartitionError, NormalizerError: A row of a stream that does not fit.
        """
        rows = self._asset.schema is not None
        stream = Stream.of(value, dataclass_rows=rows, where=self._asset.label)
        if stream is None:
            self._hold(unwrap(value, dataclass_rows=rows, where=self._asset.label))
            return
        with stream:
            if not self._may_spool:
                self._hold(stream.all())
            elif self._intake is None and (whole := stream.whole()) is not None:
                self._hold(whole[0])
            else:
                self._spooled().feed(stream)

    def whole(self) -> Any:
        """All pieces as one value: tables are joined in order; ``Spooled`` where they are on the disk.

        Raises:
            AssetError: Several pieces, one of which is no table.
        """
        if self._intake is not None:
            self._intake.finish()
            return Spooled(self._intake.spool, self._intake.schema, self._intake.strays)
        if len(self._values) <= 1:
            return self._values[0] if self._values else []
        tables = [TableData.of(value) for value in self._values]
        for value, table in zip(self._values, tables, strict=True):
            if table is None:
                raise AssetError(
                    f"was given {len(tables)} times, one of them a {type(value).__name__}, which is no table",
                    where=self._asset.label,
                    fix="yield it once, or yield tables or rows, which are joined",
                )
        found = [table for table in tables if table is not None]
        return TableData.concat([table for table in found if not table.is_empty] or found[:1]).value

    def close(self) -> None:
        """Give back memory and disk; a second call does nothing."""
        self._values = []
        self._spools.close()

    def _hold(self, value: Any) -> None:
        """Keep a piece, on the disk from the second batch on."""
        if self._intake is not None:
            self._feed(value)
            return
        self._values.append(value)
        data = TableData.of(value)
        if data is None or not self._may_spool:
            return
        self._rows, self._bytes = self._rows + data.num_rows, self._bytes + size_of(data)
        if len(self._values) > 1 and (self._rows > BATCH_ROWS or self._bytes > BATCH_BYTES):
            self._spooled()

    def _spooled(self) -> Intake:
        """The intake of the spool, which has got what was held before."""
        if self._intake is None:
            count = 1 if self._window is None else len(self._window)
            spool = self._spools.enter_context(Spool(count, where=self._asset.label))
            self._intake = Intake(self._asset, self._window, spool)
            held, self._values = self._values, []
            for value in held:
                self._feed(value)
        return self._intake

    def _feed(self, value: Any) -> None:
        stream = Stream(iter([value]), dataclass_rows=self._asset.schema is not None, where=self._asset.label)
        self._spooled().feed(stream)
