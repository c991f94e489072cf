"""Class settings are checked when they are given."""

from typing import Any

import pytest

from airflow_provider.definitions.settings import check_settings, checked
from airflow_provider.definitions.task_options import TaskOptions
from airflow_provider.errors import DefinitionError
from airflow_provider.partitioning import TimePartitionConfig
from airflow_provider.schema import Schema


class Row(Schema):
    n: int


@pytest.mark.parametrize(
    ("name", "value", "canonical"),
    [
        ("key", "users", "users"),
        ("tags", {"team": "ads", "tier": "1"}, ["team:ads", "tier:1"]),
        ("tags", ("b", "a"), ["b", "a"]),
        ("tags", {"b", "a"}, ["a", "b"]),
        ("schema", Row, Row),
        ("schema", None, None),
        ("partitioning", None, None),
        ("airflow", None, None),
        ("stray_rows", "drop", "drop"),
        ("on_empty", "fail", "fail"),
        ("colour", 5, 5),
    ],
)
def test_a_setting_comes_out_in_its_canonical_form(name: str, value: Any, canonical: Any) -> None:
    assert checked(name, value, where="here") == canonical


def test_objects_pass_as_they_are() -> None:
    daily, options = TimePartitionConfig(column="day"), TaskOptions(pool="x")

    assert checked("partitioning", daily, where="here") is daily
    assert checked("airflow", options, where="here") is options


@pytest.mark.parametrize(
    ("name", "value", "fix"),
    [
        ("key", 5, "give a name, or leave the key out"),
        ("key", "", "give a name, or leave the key out"),
        ("tags", "ads", "give a list of texts, or a dict of texts"),
        ("tags", 5, "give a list of texts"),
        ("partitioning", "daily", "give a partitioning such as ap.TimePartitionConfig(column='date')"),
        ("airflow", {}, "give ap.TaskOptions(...)"),
        ("stray_rows", "keep", "give 'error' or 'drop'"),
        ("on_empty", "drop", "give 'keep' or 'replace' or 'fail'"),
    ],
)
def test_a_wrong_setting_says_the_value_and_what_to_give(name: str, value: Any, fix: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        checked(name, value, where="here")
    assert (caught.value.what, caught.value.where, caught.value.fix) == (f"{name}={value!r}", "here", fix)


def test_an_error_of_the_schema_is_told_as_it_is() -> None:
    with pytest.raises(DefinitionError):
        checked("schema", 5, where="here")


def test_only_the_settings_asked_for_are_looked_at() -> None:
    class Body:
        tags = ("a",)
        icon = 3

    check_settings(Body, ["tags", "name"], where="x")

    assert (Body.tags, Body.icon) == (["a"], 3)
    with pytest.raises(DefinitionError, match="icon=3"):
        check_settings(Body, ["icon"], where="x")
