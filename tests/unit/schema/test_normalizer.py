"""The normalizer: names, nesting and empty values, and that no column is lost to another."""

import datetime as dt
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from airflow_provider.errors import ConfigError, NormalizerError
from airflow_provider.schema import Normalizer, TableData

UTC = dt.timezone.utc


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
        ("ÄpfelÖl", "äpfel_öl"),
        ("e\u0301te\u0301", "été"),
        ("İstanbul", "i\u0307stanbul"),
        ("$value$", "_value"),
        ("A", "a"),
    ],
)
def test_names_become_snake_case(raw: str, name: str) -> None:
    assert list(normal([{raw: 1}])[0]) == [name]


@pytest.mark.parametrize("raw", ["DepDelay", "_id", "1st", "HTTPCode2", "$v", "Größe", "İstanbul"])
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


FORMS = ("rows", "arrow", "pandas", "polars")


def in_form(rows: list[dict[str, Any]], form: str) -> TableData:
    data = TableData.of(TableData.of(rows).to(form))
    assert data is not None
    return data


@pytest.mark.parametrize("form", FORMS)
def test_every_form_takes_the_same_steps_and_stays_in_its_form(form: str) -> None:
    rows = [
        {"Id": 1, "Who": {"Name": "a", "at": {"x": 1.5}}, "note": "", "gone": None, "tags": [{"k": 1}]},
        {"Id": 2, "Who": None, "note": "n", "gone": None, "tags": None},
        {"Id": 3, "Who": {"Name": "", "more": {}}, "note": None, "gone": None, "tags": []},
    ]
    normalizer = Normalizer(flatten_max_level=None, drop_na_columns=True, replace_empty_strings=True)

    found = normalizer.normalize(in_form(rows, form))

    assert found.kind == form
    assert [{k: row[k] for k in sorted(row)} for row in found.to("rows")] == [
        {"id": 1, "note": None, "tags": [{"k": 1}], "who_at_x": 1.5, "who_more": None, "who_name": "a"},
        {"id": 2, "note": "n", "tags": None, "who_at_x": None, "who_more": None, "who_name": None},
        {"id": 3, "note": None, "tags": [], "who_at_x": None, "who_more": {}, "who_name": None},
    ]


STRUCTS = pa.table(
    {
        "A": pa.array(
            [{"b": 1, "c": {"d": "x", "e": [1]}}, None, {"b": None, "c": None}],
            pa.struct([("b", pa.int8()), ("c", pa.struct([("d", pa.string()), ("e", pa.list_(pa.int8()))]))]),
        ),
        "n": pa.array([1, 2, 3], pa.uint16()),
    }
)


@pytest.mark.parametrize(
    ("level", "columns"), [(1, ["a_b", "a_c", "n"]), (2, ["a_b", "a_c_d", "a_c_e", "n"]), (0, ["a", "n"])]
)
def test_structs_become_columns_and_keep_their_types(level: int, columns: list[str]) -> None:
    flat = Normalizer(flatten_max_level=level).normalize(TableData.of(STRUCTS)).value

    assert flat.column_names == columns
    assert flat.schema.field("n").type == pa.uint16()
    if level == 2:
        assert flat.schema.types == [pa.int8(), pa.string(), pa.list_(pa.int8()), pa.uint16()]
        assert flat.to_pylist()[1:] == [dict.fromkeys(columns[:3]) | {"n": n} for n in (2, 3)]


def test_structs_of_a_slice_and_of_no_rows_are_flattened() -> None:
    normalizer = Normalizer(flatten_max_level=None)

    assert normalizer.normalize(TableData.of(STRUCTS.slice(2, 1))).value.num_rows == 1
    assert normalizer.normalize(TableData.of(STRUCTS.slice(0, 0))).value.schema == (
        normalizer.normalize(TableData.of(STRUCTS)).value.schema
    )


def test_structs_of_polars_become_columns_and_keep_their_types() -> None:
    who = pl.Series("Who", [{"size": "s", "n": 1}, None], dtype=pl.Struct({"size": pl.Enum(["s", "m"]), "n": pl.UInt8}))
    frame = pl.DataFrame([who, pl.Series("c", ["a", "b"], dtype=pl.Categorical)])

    flat = Normalizer(flatten_max_level=None).normalize(TableData.of(frame)).value

    assert flat.schema == {"who_size": pl.Enum(["s", "m"]), "who_n": pl.UInt8(), "c": pl.Categorical()}
    assert flat["who_size"].to_list() == ["s", None]


def test_columns_of_a_frame_that_no_step_changes_keep_their_dtype_and_rows_their_index() -> None:
    frame = pd.DataFrame(
        {"d": [{"x": 1}, {"x": 2}], "c": pd.Categorical(["a", ""]), "f": pd.array([1.5, 2], dtype="Float32")}
    )[1:]

    flat = Normalizer(flatten_max_level=None).normalize(TableData.of(frame)).value

    assert flat.dtypes.astype(str).to_dict() == {"d_x": "int64", "c": "category", "f": "Float32"}
    assert list(flat.index) == [1]


@pytest.mark.parametrize(
    "array",
    [
        pa.array(["", "a", None]),
        pa.array(["", "a", None], pa.large_string()),
        pa.array(["", "a", None]).dictionary_encode(),
        pa.chunked_array([pa.array([""]).dictionary_encode(), pa.array(["a", None]).dictionary_encode()]),
    ],
    ids=lambda array: str(array.type),
)
def test_empty_text_becomes_null_and_the_type_stays(array: Any) -> None:
    found = Normalizer(replace_empty_strings=True).normalize(TableData.of(pa.table({"a": array}))).value

    assert found.column("a").to_pylist() == [None, "a", None]
    assert found.schema.field("a").type == array.type


@pytest.mark.parametrize("value", [STRUCTS, pl.DataFrame({"a": ["x"]}), pd.DataFrame({"a": ["x"]})], ids=type)
def test_steps_that_find_nothing_leave_the_data_as_it_is(value: Any) -> None:
    data = TableData.of(value)
    options = {"replace_empty_strings": True, "replace_empty_dicts": True, "drop_na_columns": True}

    assert Normalizer(normalize_columns_names=False, **options).normalize(data) is data


def test_columns_of_no_rows_are_not_dropped_as_null() -> None:
    table = pa.table({"a": pa.array([], pa.int64())})

    assert Normalizer(drop_na_columns=True).normalize(TableData.of(table)).value.column_names == ["a"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "rows",
    [
        [{"a": {"b": 1}, "a_b": 2}],
        [{"a": {"b": 1}}, {"a_b": 2}],
        [{"a_b": 2}, {"a": {"b": 1}}],
        [{"a": {"b": {"c": 1}}}, {"a": {"b_c": 1}}],
    ],
)
def test_two_paths_to_one_name_are_an_error_in_whatever_rows_they_are(rows: list[dict[str, Any]], form: str) -> None:
    with pytest.raises(NormalizerError, match="would both be called 'a_b"):
        Normalizer(flatten_max_level=None).normalize(in_form(rows, form))
    apart = {"flatten_separator": "__", "normalize_columns_names": False}
    assert Normalizer(flatten_max_level=None, **apart).normalize(in_form(rows, form)).num_rows == len(rows)


def test_a_record_that_is_null_in_some_rows_leaves_no_column_of_its_own() -> None:
    rows: list[dict[str, Any]] = [{"a": None}, {"a": {"b": 1}}, {}]

    for order in (rows, rows[::-1]):
        assert sorted(map(repr, normal(order, flatten_max_level=None))) == [
            "{'a_b': 1}", "{'a_b': None}", "{'a_b': None}",
        ]  # fmt: skip
    assert normal([{"a": None}], flatten_max_level=None) == [{"a": None}]


def test_values_beside_records_keep_their_column() -> None:
    rows: list[dict[str, Any]] = [{"a": 5}, {"a": {"b": 1}}, {"a": {}}]

    assert normal(rows, flatten_max_level=None) == [
        {"a": 5, "a_b": None},
        {"a": None, "a_b": 1},
        {"a": {}, "a_b": None},
    ]


def test_nesting_deeper_than_python_calls_is_no_matter() -> None:
    deep: dict[str, Any] = {}
    for _ in range(5_000):
        deep = {"k": deep}
    options = {"replace_empty_dicts": True, "flatten_max_level": None, "normalize_columns_names": False}

    (row,) = normal([{"top": deep}], **options)

    assert row == {"top" + "_k" * 5_000: None}


@pytest.mark.parametrize("key", [1, None, ("a", "b"), True])
def test_keys_that_are_no_text_are_an_error_at_any_depth_that_names_columns(key: Any) -> None:
    rows = [{"a": {"b": {key: 1}}}]

    with pytest.raises(NormalizerError, match=r"asset 'x': row 0, 'a' > 'b' has the key .* of type"):
        normal(rows, flatten_max_level=None)
    assert normal(rows, flatten_max_level=1) == [{"a_b": {key: 1}}]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"drop_na_columns": "yes"}, "drop_na_columns='yes'"),
        ({"fill_missing": 1}, "fill_missing=1"),
        ({"flatten_separator": None}, "flatten_separator=None"),
        ({"column_overrides": {"a": 1}}, "column_overrides"),
        ({"column_overrides": ["a"]}, "column_overrides"),
        ({"column_overrides": {"a": ""}}, "column_overrides"),
        ({"epoch_columns": "created"}, "epoch_columns='created'"),
        ({"epoch_columns": [1]}, "epoch_columns"),
        ({"epoch_unit": "minutes"}, "epoch_unit='minutes'"),
    ],
)
def test_options_of_another_type_are_refused_when_defined(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Normalizer(**options)


def test_a_normalizer_compares_by_value() -> None:
    assert Normalizer(flatten_max_level=1) == Normalizer(flatten_max_level=1) != Normalizer()


@pytest.mark.parametrize("form", FORMS)
def test_counts_of_time_become_datetimes_where_they_are_declared(form: str) -> None:
    rows = [{"Created": 1_700_000_000_123, "n": 1_700_000_000_123}, {"Created": None, "n": 2}]
    normalizer = Normalizer(epoch_columns=["created", "not_there"], epoch_unit="ms")

    found = normalizer.normalize(in_form(rows, form))

    assert found.kind == form
    assert found.to("rows") == [
        {"created": dt.datetime(2023, 11, 14, 22, 13, 20, 123_000, UTC), "n": 1_700_000_000_123},
        {"created": None, "n": 2},
    ]


@pytest.mark.parametrize("form", FORMS)
def test_a_count_in_the_wrong_unit_is_told(form: str) -> None:
    data = in_form([{"created": 1}, {"created": 1_700_000_000_123}], form)

    with pytest.raises(NormalizerError, match=r"row 1, column 'created': a count of s beyond.*\n.*epoch_unit"):
        Normalizer(epoch_columns=["created"]).normalize(data, where="asset 'x'")


def test_rows_without_a_count_stay_without_it() -> None:
    assert normal([{"a": 1}, {"at": 0}], fill_missing=False, epoch_columns=["at"]) == [
        {"a": 1},
        {"at": dt.datetime(1970, 1, 1, tzinfo=UTC)},
    ]
