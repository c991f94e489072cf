"""The upstream asset that a parameter of ``data()`` receives, with what was read from its destination."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from airflow_provider.definitions.asset import Asset


@dataclass(frozen=True)
class Upstream:
    """An upstream asset and the data of the partitions that this run reads.

    Attributes:
        asset: The upstream asset.
        data: What its default destination gave back; None when nothing is stored there.
        missing: Keys of the partitions that the run wanted and did not find.
    """

    asset: "Asset"
    data: Any = None
    missing: Sequence[str] = ()

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The data as rows; empty when nothing is stored."""
        rows: list[dict[str, Any]] = self._to("rows", [])
        return rows

    def arrow(self) -> "pa.Table":
        """The data as an Arrow table; an empty one without columns when nothing is stored."""
        import pyarrow as pa

        table: pa.Table = self._to("arrow", pa.table({}))
        return table

    def pandas(self) -> "pd.DataFrame":
        """The data as a frame; an empty one when nothing is stored."""
        import pandas as pd

        frame: pd.DataFrame = self._to("pandas", pd.DataFrame())
        return frame

    def _to(self, kind: str, empty: Any) -> Any:
        from airflow_provider.errors import RepresentationError
        from airflow_provider.schema.representations import TableData

        if self.data is None:
            return empty
        table = TableData.of(self.data)
        if table is None:
            raise RepresentationError(
                f"its data is a {type(self.data).__name__}, not a table",
                where=self.asset.label,
                fix="use upstream.data, which is the value as it was stored",
            )
        return table.to(kind)
