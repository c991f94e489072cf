"""The column ``_partition``, which holds a row's key where the data itself has no column that says it."""

from airflow_provider.definitions.asset import Asset
from airflow_provider.errors import PartitionError
from airflow_provider.partitioning import MANAGED_COLUMN, PartitionWindow
from airflow_provider.schema.representations import TableData


def with_key(table: TableData, asset: Asset, window: PartitionWindow | None) -> TableData:
    """Give rows that have no ``_partition`` the key of the run's partition; of another asset the table as it is.

    Args:
        table: The rows, not changed.
        asset: Whose rows they are.
        window: The partitions of the run. Of several, only the rows themselves can say which they lie in.

    Raises:
        PartitionError: The run covers several partitions and the rows have no such column, or it holds no text.
    """
    partitioning = asset.partitioning
    if partitioning is None or not partitioning.is_managed or window is None or table.is_empty:
        return table
    is_there = MANAGED_COLUMN in table.checked_columns(where=asset.label)
    if is_there:
        _require_text(table, asset.label)
    if len(window) == 1:
        return table.filled(MANAGED_COLUMN, window.first.key)
    if not is_there:
        raise PartitionError(
            f"the rows have no {MANAGED_COLUMN!r}, and the run covers {len(window)} partitions: {window}",
            where=asset.label,
            fix=f"give each row the key of its partition as {MANAGED_COLUMN!r}, or leave allow_window out, "
            "so that data() is called for one partition at a time",
        )
    return table


def _require_text(table: TableData, where: str) -> None:
    values = table.column(MANAGED_COLUMN)
    wrong = _first_other(values) if isinstance(values, list) else _other_type(values)
    if wrong:
        raise PartitionError(
            f"{MANAGED_COLUMN!r} holds {wrong}, but the key of a partition is text",
            where=where,
            fix="give str(partition), or leave the column out",
        )


def _first_other(values: list[object]) -> str:
    return next((f"a {type(v).__name__}" for v in values if v is not None and not isinstance(v, str)), "")


def _other_type(values: object) -> str:
    import pyarrow as pa

    kind = values.type  # type: ignore[attr-defined]  # a ChunkedArray
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_null)
    return "" if any(test(kind) for test in tests) else str(kind)
