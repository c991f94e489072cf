"""The normalizer: names, nesting and empty values, and that no column is lost to another."""

from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from airflow_provider.errors import ConfigError, NormalizerError
from airflow_provider.schema import Normalizer, TableData


def normal(rows: list[dict[str, Any]], **options: Any) -> list[dict[str, Any]]:
    return Normalizer(**options).normalize_rows(rows, where="asset 'x'")


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("DepDelay", "dep_delay"),
        ("dep delay", "dep_delay"),
        ("dep--delay ", "dep_delay"),
        ("HTTPCode", "http_code"),
        ("userID", "user_id"),
        ("already_snake", "already_snake"),
        ("_id", "_id"),
        ("__typename", "__typename"),
        ("a.b", "a_b"),
        ("1st", "_1st"),
        ("address1", "address1"),
        ("Größe", "größe"),
        ("$value$", "_value"),
        ("A", "a"),
    ],
)
def test_names_become_snake_case(raw: str, name: str) -> None:
    assert list(normal([{raw: 1}])[0]) == [name]


@pytest.mark.parametrize("raw", ["DepDelay", "_id", "1st", "HTTPCode2", "$v", "Größe"])
def test_a_normal_name_stays_as_it_is(raw: str) -> None:
    once = Normalizer(snake_case_digits=True).column_name(raw)

    assert Normalizer(snake_case_digits=True).column_name(once) == once


def test_digits_are_set_off_on_request() -> None:
    assert list(normal([{"address1": 1, "a2b": 2}], snake_case_digits=True)[0]) == ["address_1", "a_2_b"]


@pytest.mark.parametrize("raw", ["", "--", "___", "!?"])
def test_a_name_of_which_nothing_is_left_is_an_error(raw: str) -> None:
    with pytest.raises(NormalizerError, match=r"no letter or digit.*\n.*column_overrides"):
        normal([{raw: 1}])
    assert normal([{raw: 1}], column_overrides={raw: "other"}) == [{"other": 1}]


def test_columns_that_would_share_a_name_are_an_error() -> None:
    with pytest.raises(NormalizerError, match="asset 'x': 'userId' and 'user_id' would both be called 'user_id'"):
        normal([{"userId": 1}, {"user_id": 2}])
    with pytest.raises(NormalizerError, match="'a_b'"):
        normal([{"a": {"b": 1}, "a_b": 2}], flatten_max_level=1)


def test_overrides_go_by_raw_or_normal_name() -> None:
    assert normal([{"userId": 1, "B": 2}], column_overrides={"userId": "ID", "b": "x"}) == [{"ID": 1, "x": 2}]


def test_names_stay_without_normalising() -> None:
    assert normal([{"userId": 1}], normalize_columns_names=False) == [{"userId": 1}]


NESTED = {"a": {"b": {"c": 1}, "e": {}}, "l": [{"x": 1}]}


@pytest.mark.parametrize(
    ("level", "row"),
    [
        (0, NESTED),
        (1, {"a_b": {"c": 1}, "a_e": {}, "l": [{"x": 1}]}),
        (2, {"a_b_c": 1, "a_e": {}, "l": [{"x": 1}]}),
        (None, {"a_b_c": 1, "a_e": {}, "l": [{"x": 1}]}),
    ],
)
def test_nesting_is_flattened_to_the_level_and_nothing_disappears(level: int | None, row: dict[str, Any]) -> None:
    assert normal([NESTED], flatten_max_level=level) == [row]


def test_the_separator_joins_the_levels() -> None:
    options = {"flatten_separator": "__", "normalize_columns_names": False}

    assert normal([NESTED], flatten_max_level=None, **options) == [{"a__b__c": 1, "a__e": {}, "l": [{"x": 1}]}]


def test_empty_values_become_null_on_request() -> None:
    rows = [{"a": {}, "b": "", "c": [{"d": {}}]}]

    assert normal(rows) == rows
    assert normal(rows, replace_empty_dicts=True, replace_empty_strings=True) == [
        {"a": None, "b": None, "c": [{"d": None}]}
    ]


def test_columns_without_a_value_are_left_out_on_request() -> None:
    assert normal([{"a": None, "b": 1}, {"b": None, "c": 0}], drop_na_columns=True) == [
        {"b": 1, "c": None},
        {"b": None, "c": 0},
    ]


def test_missing_keys_are_filled_unless_told_otherwise() -> None:
    assert normal([{"a": 1}, {"b": 2}]) == [{"a": 1, "b": None}, {"a": None, "b": 2}]
    assert normal([{"a": 1}, {"b": 2}], fill_missing=False) == [{"a": 1}, {"b": 2}]


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ("text", "a str cannot"),
        ([1], "row 0 is a int, not a dict"),
        ([{"a": 1}, {1: 2}], "row 1 has the key 1 of type int"),
    ],
)
def test_what_is_no_rows_is_an_error(rows: Any, text: str) -> None:
    with pytest.raises(NormalizerError, match=text):
        Normalizer().normalize_rows(rows)


def test_input_is_never_changed() -> None:
    rows = [{"A": {"b": ""}}]

    normal(rows, flatten_max_level=None, replace_empty_strings=True)

    assert rows == [{"A": {"b": ""}}]


@pytest.mark.parametrize("level", [-1, 1.5, True, "1"])
def test_a_level_that_is_none_is_refused(level: Any) -> None:
    with pytest.raises(ConfigError, match="flatten_max_level"):
        Normalizer(flatten_max_level=level)


def test_arrow_and_frames_are_renamed_without_a_copy() -> None:
    table = pa.table({"DepDelay": pa.array([1], pa.int16()), "b": ["x"]})

    renamed = Normalizer().normalize(TableData.of(table)).value

    assert renamed.schema == pa.schema([("dep_delay", pa.int16()), ("b", pa.string())])
    assert renamed.column(0).chunk(0).buffers()[1].address == table.column(0).chunk(0).buffers()[1].address
    assert list(Normalizer().normalize(TableData.of(table.to_pandas())).value.columns) == ["dep_delay", "b"]


def test_names_that_are_normal_leave_the_data_as_it_is() -> None:
    data = TableData.of(pa.table({"a": [1]}))

    assert Normalizer().normalize(data) is data


@pytest.mark.parametrize(
    "value", [pa.table({"A": [{"b": 1}, {"b": 2}]}), pd.DataFrame({"A": [{"b": 1}, {"b": 2}]})], ids=["arrow", "pandas"]
)
def test_flattening_goes_through_rows_and_keeps_the_form(value: Any) -> None:
    data = TableData.of(value)

    flat = Normalizer(flatten_max_level=None).normalize(data)

    assert (flat.kind, flat.to("rows")) == (data.kind, [{"a_b": 1}, {"a_b": 2}])


def test_a_normalizer_compares_by_value() -> None:
    assert Normalizer(flatten_max_level=1) == Normalizer(flatten_max_level=1) != Normalizer()
