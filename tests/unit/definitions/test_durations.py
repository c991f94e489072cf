import datetime as dt

import pytest

from airflow_provider.definitions.durations import seconds_of
from airflow_provider.errors import ConfigError


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        ("250ms", 0.25), ("1s", 1), ("1.5 s", 1.5), ("15m", 900), ("2h", 7200), ("1d", 86400), (" 3s ", 3),
        (0, 0), (2.5, 2.5), (dt.timedelta(minutes=2), 120),
    ],
)  # fmt: skip
def test_lengths_as_people_write_them(given, seconds):
    assert seconds_of(given, name="delay", where="Retry") == pytest.approx(seconds)


@pytest.mark.parametrize(
    "given",
    ["", "1", "s", "1 week", "-1s", "1h30m", "\u0661s", -1, float("nan"), float("inf"), True, None, b"1s"],
)
def test_anything_else_is_refused_with_its_name(given):
    with pytest.raises(ConfigError, match="delay="):
        seconds_of(given, name="delay", where="Retry")
