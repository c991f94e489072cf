"""Arrow casts that mean the same as the rule for one value.

Arrow's own "safe" casts are not all safe in our sense: ``"0x10"`` becomes 16, a timestamp loses its time of day on the
way to a date, a naive one is taken for UTC, 0.1 as Decimal becomes a float without a word. Those are left out here and
go value by value.
"""

from typing import TYPE_CHECKING

from airflow_provider.schema.arrow_types import is_bytes, is_text

if TYPE_CHECKING:
    import pyarrow as pa

_WHOLE = r"^[+-]?[0-9]+$"


def exact_cast(column: "pa.ChunkedArray", target: "pa.DataType", *, strict: bool) -> "pa.ChunkedArray | None":
    """Cast a whole column, or return None where that could change a value or does not work.

    Args:
        column: The column, not dictionary-encoded.
        target: Another type than the column's.
        strict: Whether only types of the same family are cast: widths, units, scales, and ints to wider numbers.
    """
    import pyarrow as pa

    if not (_same_family(column.type, target) or (not strict and _converts(column, target))):
        return None
    try:
        return column.cast(target)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


def _same_family(source: "pa.DataType", target: "pa.DataType") -> bool:
    import pyarrow as pa

    kind = pa.types
    if kind.is_timestamp(source) and kind.is_timestamp(target):
        return (source.tz is None) == (target.tz is None)
    if kind.is_floating(source) and kind.is_floating(target):
        return bool(source.bit_width <= target.bit_width)
    if kind.is_integer(source):
        return bool(kind.is_integer(target) or kind.is_floating(target) or kind.is_decimal(target))
    families = (is_text, is_bytes, kind.is_date, kind.is_time, kind.is_duration, kind.is_decimal)
    return kind.is_null(source) or any(family(source) and family(target) for family in families)


def _converts(column: "pa.ChunkedArray", target: "pa.DataType") -> bool:
    """Whether a cast to another family is exact, or fails."""
    import pyarrow as pa

    kind, source = pa.types, column.type
    if is_text(source):
        if kind.is_integer(target):
            return _all_whole(column)
        return bool(kind.is_date32(target) or (kind.is_timestamp(target) and target.tz is not None))
    if is_text(target):
        return bool(kind.is_integer(source) or kind.is_date32(source))
    if kind.is_timestamp(source) and source.tz is None and kind.is_date32(target):
        return _all_midnight(column)
    return bool(kind.is_floating(source) and kind.is_integer(target))


def _all_whole(column: "pa.ChunkedArray") -> bool:
    import pyarrow.compute as pc

    return _all(pc.match_substring_regex(column, _WHOLE))


def _all_midnight(column: "pa.ChunkedArray") -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    return _all(pc.equal(column.cast(pa.date32(), safe=False).cast(column.type, safe=False), column))


def _all(mask: "pa.ChunkedArray") -> bool:
    import pyarrow.compute as pc

    return bool(pc.all(mask, min_count=0).as_py())
