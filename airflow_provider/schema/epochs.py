"""Numbers that count time since 1970 in UTC, as datetimes: where that is declared, for a number alone says nothing.

Counts are exact: one that falls between two microseconds, or beyond the years 1 to 9999, is an error.
"""

import datetime as dt
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from airflow_provider.errors import NormalizerError
from airflow_provider.schema.type_map import row_outside
from airflow_provider.schema.values import is_null

if TYPE_CHECKING:
    import pyarrow as pa

EpochUnit = Literal["s", "ms", "us", "ns"]

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
UNITS = tuple(_PER_SECOND)


def moment(value: Any, unit: EpochUnit) -> dt.datetime | None:
    """The datetime in UTC that a count stands for; None for null and NaN, a datetime as it is.

    Raises:
        ValueError: The value is no count, or names no moment; the text says why.
    """
    if is_null(value) or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, dt.datetime):
        return value
    if hasattr(value, "dtype") and hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)) or not math.isfinite(value):
        raise ValueError(f"a {type(value).__name__} that counts no {unit}")
    micros = Decimal(repr(value) if isinstance(value, float) else value) * 10**6 / _PER_SECOND[unit]
    if micros != int(micros):
        raise ValueError("a count between two microseconds")
    try:
        return _EPOCH + dt.timedelta(microseconds=int(micros))
    except OverflowError:
        raise ValueError(f"a count of {unit} beyond the years 1 to 9999: is the unit right?") from None


def moments(
    column: "list[Any] | pa.ChunkedArray", unit: EpochUnit, *, name: str, where: str
) -> "list[Any] | pa.ChunkedArray":
    """A column of counts as datetimes in UTC, in the form it came in; a column of datetimes as it is.

    Raises:
        NormalizerError: A value that counts nothing, or names no moment; row and column are named.
    """
    if not isinstance(column, list):
        import pyarrow as pa

        if pa.types.is_timestamp(column.type):
            return column
        if pa.types.is_integer(column.type) and column.type != pa.uint64():
            found = column.cast(pa.int64()).cast(pa.timestamp(unit, "UTC"))
            row = row_outside(found, 1, 9999)
            if row is None:
                return found
    values = column if isinstance(column, list) else column.to_pylist()
    result = []
    for row, value in enumerate(values):
        try:
            result.append(moment(value, unit))
        except ValueError as error:
            raise NormalizerError(
                f"row {row}, column {name!r}: {error}",
                where=where,
                fix="set epoch_unit to what the column counts, or make datetimes of it in data()",
            ) from None
    if isinstance(column, list):
        return result
    return pa.chunked_array([pa.array(result, pa.timestamp("us", "UTC"))])
