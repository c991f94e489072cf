"""The rule for one value: what it becomes in a column of a given type, or that it does not fit.

Reconciling may change the form of a value (``"1"`` to ``1``, ``1`` to ``"1"``), never what it says: a number is not
rounded, a time of day not cut off, a zone not guessed. Strict takes values of the column's own type, and an int where
a wider number is asked for.
"""

import datetime as dt
import json
import math
import numbers
import re
from collections.abc import Callable, Iterable
from decimal import Context, Decimal, InvalidOperation
from enum import Enum
from operator import attrgetter
from typing import Any, NoReturn
from uuid import UUID
from zoneinfo import ZoneInfo

from airflow_provider.schema.fields import NONE_TYPE, FieldSpec

Coerce = Callable[[Any], Any]

# Patterns are compiled on first use: whoever only declares a schema does not pay for them.
_INT = r"[+-]?[0-9]+(\.0*)?"
_NUMBER = r"(?i:[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|[+-]?inf(inity)?|nan)"
_TRUE = frozenset(("true", "t", "yes", "y", "on", "1"))
_FALSE = frozenset(("false", "f", "no", "n", "off", "0"))
_INT64 = 1 << 63
_DIGITS = 29  # of decimal128(38, 9) before the point


class UnfitError(Exception):
    """A value that does not fit; the text says what is wrong with it, without its content."""


def is_null(value: Any) -> bool:
    """None, or pandas' NaT and NA. A float NaN is a value."""
    return value is None or type(value).__name__ in ("NaTType", "NAType")


def coercer(spec: FieldSpec, *, strict: bool) -> Coerce:
    """The function that takes a value, not null, to its form in the column, or raises ``UnfitError``."""
    if spec.repeated:
        return _list_coercer(spec, strict=strict)
    if spec.fields:
        return _record_coercer(spec, strict=strict)
    if spec.choices is not None:
        return _choice_coercer(spec, strict=strict)
    if spec.type is dt.datetime and spec.arrow_type is not None and spec.arrow_type.tz is None:
        return _strict_naive if strict else _to_naive
    if spec.type is Decimal:
        return lambda value: _fits_decimal(_to_decimal(value, strict=strict), spec)
    if spec.type is int:
        low, high = int_bounds(spec)
        return lambda value: _in_range(_to_int(value, strict=strict), low, high)
    lax, exact = _RULES.get(spec.type, (_keep, _keep))
    return exact if strict else lax


def plain_types(spec: FieldSpec) -> frozenset[type]:
    """Types whose values need no look at all, so that a column of them passes as a whole."""
    if spec.repeated or spec.fields:
        return frozenset()
    if spec.type in (bool, float, str, bytes, dt.date, dt.time, dt.timedelta, UUID):
        return frozenset((spec.type,))
    return frozenset()


def all_zoned(moments: Iterable[dt.datetime], *, aware: bool) -> bool:
    """Whether the zones alone show that all datetimes are aware, or all naive; False where each must be asked."""
    zones = {id(zone): zone for zone in map(attrgetter("tzinfo"), moments)}.values()
    if not aware:
        return all(zone is None for zone in zones)
    return all(isinstance(zone, (dt.timezone, ZoneInfo)) for zone in zones)  # these give an offset for any datetime


def int_bounds(spec: FieldSpec) -> tuple[int, int]:
    """Least and greatest value of an int column, both inclusive."""
    if spec.arrow_type is None:
        return -_INT64, _INT64 - 1
    width = spec.arrow_type.bit_width
    return (0, 2**width - 1) if str(spec.arrow_type).startswith("u") else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)


def _in_range(value: int, low: int, high: int) -> int:
    if low <= value <= high:
        return value
    raise UnfitError(f"an int outside {low}..{high}")


def _list_coercer(spec: FieldSpec, *, strict: bool) -> Coerce:
    item, kinds = coercer(spec.item, strict=strict), (list,) if strict else (list, tuple)

    def coerce(value: Any) -> list[Any]:
        if hasattr(value, "tolist") and not strict:
            value = value.tolist()  # NumPy arrays, which pandas gives for list columns
        if not isinstance(value, kinds):
            raise UnfitError(_not(value))
        return [_item(entry, item, spec.items_nullable) for entry in value]

    return coerce


def _item(value: Any, coerce: Coerce, nullable: bool) -> Any:
    if not is_null(value):
        return coerce(value)
    if nullable:
        return None
    raise UnfitError("a null")


def _record_coercer(spec: FieldSpec, *, strict: bool) -> Coerce:
    inner = {field.name: (field, coercer(field, strict=strict)) for field in spec.fields}

    def coerce(value: Any) -> dict[str, Any]:
        record = as_record(value)
        if record is None:
            raise UnfitError(_not(value))
        if strict and (extra := [name for name in record if name not in inner]):
            raise UnfitError(f"a record with the unknown field {extra[0]!r}")
        return {name: _member(record, field, convert, strict) for name, (field, convert) in inner.items()}

    return coerce


def _member(record: dict[str, Any], field: FieldSpec, convert: Coerce, strict: bool) -> Any:
    if field.name not in record:
        if field.has_default:
            return field.make_default()
        if strict or not field.nullable:
            raise UnfitError(f"a record without the field {field.name!r}")
        return None
    try:
        return _item(record[field.name], convert, field.nullable)
    except UnfitError as error:
        raise UnfitError(f"a record whose field {field.name!r} is {error}") from None


def as_record(value: Any) -> dict[str, Any] | None:
    """The value as a dict where it is one, or a Schema or pydantic instance; else None."""
    if isinstance(value, dict):
        return value
    if type(type(value)).__name__ == "SchemaMeta":
        return dict(vars(value))
    if hasattr(type(value), "model_fields") and hasattr(type(value), "model_dump"):
        return dict(value.model_dump())
    return None


def _choice_coercer(spec: FieldSpec, *, strict: bool) -> Coerce:
    members = spec.choices or ()
    base = FieldSpec(spec.name, spec.base_type)
    convert = coercer(base, strict=strict)

    def coerce(value: Any) -> Any:
        plain = convert(value.value if isinstance(value, Enum) else value)
        if plain not in members:
            raise UnfitError("not one of them")
        return plain

    return coerce


def _not(value: Any) -> str:
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def _keep(value: Any) -> Any:
    return value


def _exact(*kinds: type) -> Coerce:
    def coerce(value: Any) -> Any:
        if type(value) in kinds:
            return value
        raise UnfitError(_not(value))

    return coerce


def _plain(value: Any) -> Any:
    """An Enum's value, and the Python number in a NumPy one."""
    if isinstance(value, Enum):
        return value.value
    if hasattr(value, "dtype") and hasattr(value, "item"):
        return value.item()
    if isinstance(value, Decimal) and value.is_snan():
        raise UnfitError("a signaling NaN, which no comparison survives")
    return value


def _to_bool(value: Any) -> bool:
    value = _plain(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float, Decimal)) and value in (0, 1):
        return bool(value)
    if isinstance(value, str) and (text := value.strip().lower()) in _TRUE | _FALSE:
        return text in _TRUE
    raise UnfitError(_not(value))


def _strict_bool(value: Any) -> bool:
    return bool(_exact(bool)(_plain(value)))


def _to_int(value: Any, *, strict: bool) -> int:
    value = _plain(value)
    if isinstance(value, int) and not (strict and isinstance(value, bool)):
        return int(value)
    if strict:
        raise UnfitError(_not(value))
    if isinstance(value, (float, Decimal)) and math.isfinite(value) and value == int(value):
        return int(value)
    if isinstance(value, str) and re.fullmatch(_INT, text := value.strip()):
        return int(text.partition(".")[0])
    raise UnfitError(
        f"{_not(value)} that is no whole number" if isinstance(value, (str, float, Decimal)) else _not(value)
    )


def _to_float(value: Any) -> float:
    value = _plain(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, str):
        return _float_from_text(value.strip())
    if isinstance(value, (int, Decimal)):
        try:
            number = float(value)
        except OverflowError:
            raise UnfitError(f"{_not(value)} too large for a float") from None
        if number == value or (isinstance(value, Decimal) and _says(number, value)):
            return number
        raise UnfitError(f"{_not(value)} that a float would round")
    raise UnfitError(_not(value))


def _float_from_text(text: str) -> float:
    if not re.fullmatch(_NUMBER, text):
        raise UnfitError("a str that is no number")
    number = float(text)
    if (len(text) <= 16 and math.isfinite(number) and number) or _says(number, Decimal(text)):  # 15 digits always fit
        return number
    raise UnfitError("a str with more digits than a float keeps")


def _says(number: float, exact: Decimal) -> bool:
    if exact.is_nan():
        return math.isnan(number)
    return exact in (Decimal(repr(number)), Decimal(f"{number:.17g}"), Decimal(number))


def _strict_float(value: Any) -> float:
    value = _plain(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise UnfitError(_not(value))
    return _to_float(value)


def _to_decimal(value: Any, *, strict: bool) -> Decimal:
    value = _plain(value)
    if isinstance(value, Decimal):
        return value
    if isinstance(value, bool) or not isinstance(value, (int,) if strict else (int, float, str)):
        raise UnfitError(_not(value))
    try:
        return Decimal(repr(value) if isinstance(value, float) else value)
    except InvalidOperation:
        raise UnfitError("a str that is no number") from None


def _fits_decimal(value: Decimal, spec: FieldSpec) -> Decimal:
    kind = spec.arrow_type
    scale, digits = (9, _DIGITS) if kind is None else (kind.scale, kind.precision - kind.scale)
    if not value.is_finite():
        raise UnfitError("a Decimal that is not finite")
    _, figures, exponent = value.normalize(_WIDE).as_tuple()
    if value and (-int(exponent) > scale or len(figures) + int(exponent) > digits):
        raise UnfitError(f"a Decimal outside {digits} digits before the point and {scale} after it")
    return value


_WIDE = Context(prec=200)


def _to_str(value: Any) -> str:
    value = _plain(value)
    if type(value) is str:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, (dict, list)):
        from airflow_provider.schema.arrow_types import to_json

        try:
            return to_json(value)
        except TypeError as error:
            raise UnfitError(f"{_not(value)} that is not JSON: {error}") from None
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, bytes):
        return _decode(value)
    if isinstance(value, (bool, numbers.Number, UUID)):
        return str(value)
    raise UnfitError(_not(value))


def _decode(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise UnfitError("bytes that are not UTF-8") from None


def _strict_str(value: Any) -> str:
    if isinstance(value, str):
        return _to_str(value)
    raise UnfitError(_not(value))


def _to_bytes(value: Any) -> bytes:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, str):
        return value.encode()
    raise UnfitError(_not(value))


def _to_date(value: Any) -> dt.date:
    if isinstance(value, dt.datetime):
        if value.time() != dt.time():
            raise UnfitError("a datetime with a time of day")
        return value.date()
    if isinstance(value, dt.date):
        return value
    if hasattr(value, "dtype") and hasattr(value, "item"):
        return _to_date(_numpy_time(value))
    if isinstance(value, str):
        text = value.strip()
        try:
            return dt.date.fromisoformat(text) if len(text) == 10 else _to_date(_parse_datetime(text))
        except ValueError:
            raise UnfitError("a str that is no ISO date") from None
    raise UnfitError(_not(value))


def _numpy_time(value: Any) -> Any:
    if value.dtype.kind != "M":
        raise UnfitError(_not(value))
    plain = value.astype("datetime64[us]").item()
    if value != value.astype("datetime64[us]"):
        raise UnfitError("a datetime64 finer than microseconds")
    return plain


def _strict_date(value: Any) -> dt.date:
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return value
    raise UnfitError(_not(value))


def _parse_datetime(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text[:-1] + "+00:00" if text[-1:] in ("Z", "z") else text)


def _as_datetime(value: Any) -> dt.datetime:
    if isinstance(value, dt.datetime):
        return _whole_microseconds(value)
    if hasattr(value, "dtype") and hasattr(value, "item"):
        return _as_datetime(_numpy_time(value))
    if isinstance(value, str):
        try:
            return _parse_datetime(value.strip())
        except ValueError:
            raise UnfitError("a str that is no ISO datetime") from None
    raise UnfitError(_not(value))


def _whole_microseconds(value: Any) -> dt.datetime:
    """A pandas Timestamp as a datetime; refused where it is finer than one."""
    if type(value) is dt.datetime or not hasattr(value, "to_pydatetime"):
        return value if isinstance(value, dt.datetime) else _as_datetime(value)
    if value.nanosecond:
        raise UnfitError("a Timestamp finer than microseconds")
    plain: dt.datetime = value.to_pydatetime()
    return plain


def _to_datetime(value: Any) -> dt.datetime:
    moment = _as_datetime(value)
    if moment.utcoffset() is None:
        raise UnfitError("a naive datetime, whose zone is not known")
    return moment


def _strict_datetime(value: Any) -> dt.datetime:
    if isinstance(value, dt.datetime):
        return _to_datetime(value)
    raise UnfitError(_not(value))


def _to_naive(value: Any) -> dt.datetime:
    moment = _as_datetime(value)
    if moment.utcoffset() is not None:
        raise UnfitError("an aware datetime, whose zone would be lost")
    return moment


def _strict_naive(value: Any) -> dt.datetime:
    if isinstance(value, dt.datetime):
        return _to_naive(value)
    raise UnfitError(_not(value))


def _to_time(value: Any) -> dt.time:
    if isinstance(value, dt.time):
        if value.tzinfo is not None:
            raise UnfitError("a time with a zone")
        return value
    if isinstance(value, str):
        try:
            return _to_time(dt.time.fromisoformat(value.strip()))
        except ValueError:
            raise UnfitError("a str that is no ISO time") from None
    raise UnfitError(_not(value))


def _strict_time(value: Any) -> dt.time:
    if isinstance(value, dt.time):
        return _to_time(value)
    raise UnfitError(_not(value))


def _to_timedelta(value: Any) -> dt.timedelta:
    if isinstance(value, dt.timedelta):
        if getattr(value, "nanoseconds", 0):
            raise UnfitError("a Timedelta finer than microseconds")
        return dt.timedelta(value.days, value.seconds, value.microseconds)
    raise UnfitError(_not(value))


def _to_uuid(value: Any) -> UUID:
    if isinstance(value, UUID):
        return value
    if isinstance(value, str):
        try:
            return UUID(value.strip())
        except ValueError:
            raise UnfitError("a str that is no UUID") from None
    raise UnfitError(_not(value))


def _to_dict(value: Any) -> dict[str, Any]:
    record = as_record(value)
    if record is None and isinstance(value, str):
        try:
            record = json.loads(value)
        except ValueError:
            record = None
    if not isinstance(record, dict):
        raise UnfitError(_not(value))
    return record


def _strict_dict(value: Any) -> dict[str, Any]:
    record = as_record(value)
    return _raise(value) if record is None else record


def _raise(value: Any) -> NoReturn:
    raise UnfitError(_not(value))


# Type of the column: how to reconcile, and how to be strict.
_RULES: dict[Any, tuple[Coerce, Coerce]] = {
    bool: (_to_bool, _strict_bool),
    float: (_to_float, _strict_float),
    str: (_to_str, _strict_str),
    bytes: (_to_bytes, _exact(bytes)),
    dt.date: (_to_date, _strict_date),
    dt.datetime: (_to_datetime, _strict_datetime),
    dt.time: (_to_time, _strict_time),
    dt.timedelta: (_to_timedelta, _to_timedelta),
    UUID: (_to_uuid, _exact(UUID)),
    dict: (_to_dict, _strict_dict),
    NONE_TYPE: (_raise, _raise),
}
