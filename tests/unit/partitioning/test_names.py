"""Texts as path components; the laws are in tests/property/test_path_laws.py."""

import pytest

from airflow_provider.errors import PartitionError
from airflow_provider.partitioning.names import component, decode


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("eu", "eu"),
        ("EU", "%45%55"),
        ("2026-W10", "2026-W10"),
        ("2026-01-01T05+02:00", "2026-01-01T05+02%3A00"),
        ("../x", "%2E.%2Fx"),
        ("_ledger", "%5Fledger"),
        ("a|b", "a%7Cb"),
        ("con", "%63on"),
        ("data.csv", "data%2Ecsv"),
        ("é", "%C3%A9"),
        (" ", "%20"),
        ("__HIVE_DEFAULT_PARTITION__", "%5F_%48%49%56%45_%44%45%46%41%55%4C%54_%50%41%52%54%49%54%49%4F%4E__"),
    ],
)
def test_a_text_has_one_name_and_comes_back(text: str, name: str) -> None:
    assert component(text) == name
    assert decode(name) == text


@pytest.mark.parametrize("text", ["", "x" * 201, "\ud800"])
def test_what_fits_no_path_is_refused(text: str) -> None:
    with pytest.raises(PartitionError):
        component(text)
