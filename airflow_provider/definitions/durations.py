"""Lengths of time as people write them in definitions: ``"250ms"``, ``"1s"``, ``"15m"``, ``"2h"``, ``"1d"``."""

import datetime as dt
import math
import re
from typing import Any

from airflow_provider.errors import ConfigError

_TEXT = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(ms|s|m|h|d)\s*")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def seconds_of(value: Any, *, name: str, where: str) -> float:
    """``value`` in seconds: text with a unit, a number of seconds, or a timedelta; never negative.

    Args:
        value: The length.
        name: The option it is given for, for the message.
        where: Whose option it is, for the message.

    Raises:
        ConfigError: It is none of these, or below zero.
    """
    found = _seconds(value)
    if found is None or not math.isfinite(found) or found < 0:
        raise ConfigError(
            f"{name}={value!r} is no length of time",
            where=where,
            fix='write "250ms", "1s", "15m", "2h" or "1d", a number of seconds, or a timedelta',
        )
    return found


def _seconds(value: Any) -> float | None:
    if isinstance(value, dt.timedelta):
        return value.total_seconds()
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    match = _TEXT.fullmatch(value) if isinstance(value, str) else None
    return float(match[1]) * _SECONDS[match[2]] if match is not None else None
