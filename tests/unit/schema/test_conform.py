"""Conforming: the same rule in every form, and errors that name row and column."""

import datetime as dt
import enum
import logging
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from airflow_provider.errors import ConfigError, SchemaError
from airflow_provider.schema import MaterializationStrategy, Schema, TableData, conform

WHERE = "asset 'shop.orders'"
UTC = dt.timezone.utc
FORMS = ("rows", "arrow", "pandas")


class Colour(str, enum.Enum):
    RED = "red"


class Inner(Schema):
    a: int
    b: str | None


class Orders(Schema):
    id: int
    name: str | None
    price: float = 1.5


def table(rows: list[dict[str, Any]], form: str = "rows") -> TableData:
    data = TableData.of(TableData.of(rows).to(form))
    assert data is not None
    return data


def one(value: Any, annotation: Any, strategy: str = "reconcile", form: str = "rows") -> Any:
    """What becomes of one value in a column of this type."""
    data, _ = conform(table([{"c": value}], form), Schema.from_fields("S", {"c": annotation}), strategy, where=WHERE)
    return data.to("rows")[0]["c"]


def same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and (one == other or one != one)


KEPT = [
    (True, bool),
    (2**63 - 1, int),
    (-(2**63), int),
    (0.1, float),
    (float("inf"), float),
    ("", str),
    ("é\n\"'", str),
    (b"\x00\xff", bytes),
    (dt.date(1, 1, 1), dt.date),
    (dt.datetime(2026, 3, 29, 1, 2, 3, 4, UTC), dt.datetime),
    (dt.time(1, 2, 3, 4), dt.time),
    (dt.timedelta(days=-1, microseconds=1), dt.timedelta),
    (Decimal("12345678901234567890123456789.123456789"), Decimal),
    (UUID(int=5), UUID),
    ({"a": [1, None, {"b": "x"}]}, dict),
    ({}, dict),
    ([1, 2], list[int]),
    ([], list[int]),
    ([None, "a"], list[str | None]),
    ([{"a": 1, "b": None}], list[Inner]),
    ({"a": 1, "b": "x"}, Inner),
    ("red", Colour),
    (2, Literal[1, 2]),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("strategy", ["reconcile", "strict"])
@pytest.mark.parametrize(("value", "annotation"), KEPT, ids=lambda value: str(value)[:30])
def test_a_value_of_the_type_is_kept(value: Any, annotation: Any, strategy: str, form: str) -> None:
    schema = Schema.from_fields("S", {"c": annotation})
    rows, _ = conform(table([{"c": value}]), schema, strategy, where=WHERE)
    data = TableData.of(rows.to(form))

    again, _ = conform(data, schema, "reconcile", where=WHERE)

    assert same(rows.value[0]["c"], value)
    assert same(again.to("rows")[0]["c"], value)


CHANGED = [
    ("1", int, 1),
    (" +7 ", int, 7),
    ("3.0", int, 3),
    (2.0, int, 2),
    (Decimal("5"), int, 5),
    (True, int, 1),
    (1, float, 1.0),
    (2**60, float, float(2**60)),
    ("0.1", float, 0.1),
    ("1e3", float, 1000.0),
    (Decimal("0.1"), float, 0.1),
    (1, bool, True),
    ("no", bool, False),
    (1, str, "1"),
    (1.0, str, "1.0"),
    (True, str, "True"),
    (dt.date(2026, 1, 2), str, "2026-01-02"),
    (Decimal("1.123456789"), str, "1.123456789"),
    ("2026-01-02", dt.date, dt.date(2026, 1, 2)),
    ("2026-01-02T03:04:05Z", dt.datetime, dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
    ("2026-01-02T00:00:00", dt.date, dt.date(2026, 1, 2)),
    (dt.datetime(2026, 1, 2), dt.date, dt.date(2026, 1, 2)),
    ("03:04", dt.time, dt.time(3, 4)),
    ("1.25", Decimal, Decimal("1.25")),
    (0.1, Decimal, Decimal("0.1")),
    (3, Decimal, Decimal(3)),
    (str(UUID(int=5)), UUID, UUID(int=5)),
    ("x", bytes, b"x"),
    ('{"a": 1}', dict, {"a": 1}),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("value", "annotation", "becomes"), CHANGED, ids=lambda value: str(value)[:30])
def test_reconciling_changes_the_form_and_not_the_meaning(value: Any, annotation: Any, becomes: Any, form: str) -> None:
    assert one(value, annotation, form=form) == becomes


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("value", "annotation"), [(v, a) for v, a, _ in CHANGED if not (type(v) is int and a in (float, Decimal))]
)
def test_strict_refuses_what_reconciling_would_change(value: Any, annotation: Any, form: str) -> None:
    with pytest.raises(SchemaError, match=r"asset 'shop.orders': row 0, column 'c': expected"):
        one(value, annotation, "strict", form)


@pytest.mark.parametrize("form", FORMS)
def test_strict_takes_ints_for_wider_numbers(form: str) -> None:
    assert same(one(1, float, "strict", form), 1.0)
    assert one(1, Decimal, "strict", form) == Decimal(1)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("value", "annotation"),
    [
        ("x", int),
        ("0x10", int),
        ("1_000", int),
        (1.5, int),
        (float("nan"), int),
        (2**63, int),
        (40000, Annotated[int, pa.int16()]),
        (-1, Annotated[int, pa.uint8()]),
        (2**53 + 1, float),
        (Decimal("0.12345678901234567890"), float),
        ("0.1234567890123456789", float),
        ("1e999", float),
        (2, bool),
        ("maybe", bool),
        ("2026-1-2", dt.date),
        ("2026-02-30", dt.date),
        (dt.datetime(2026, 1, 2, 3), dt.date),
        (dt.datetime(2026, 1, 2), dt.datetime),
        ("2026-01-02T03:04:05", dt.datetime),
        (dt.datetime(2026, 1, 2, tzinfo=UTC), Annotated[dt.datetime, pa.timestamp("us")]),
        ("25:00", dt.time),
        (Decimal("1.0000000001"), Decimal),
        (Decimal(10) ** 29, Decimal),
        ("1.x", Decimal),
        ("no uuid", UUID),
        (b"\xff", str),
        ("blue", Colour),
        (3, Literal[1, 2]),
        ([1, "x"], list[int]),
        ([None], list[int]),
        (5, list[int]),
        ({"b": "x"}, Inner),
        ({"a": "x", "b": None}, Inner),
        ("[1]", dict),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_would_lose_something_is_refused(value: Any, annotation: Any, form: str) -> None:
    with pytest.raises(SchemaError, match=r"row 0, column 'c': expected .*, got "):
        one(value, annotation, form=form)


@pytest.mark.parametrize("form", FORMS)
def test_the_first_bad_row_is_named_and_the_rest_of_it_not_shown(form: str) -> None:
    rows = [{"id": "1", "name": "secret-a"}, {"id": "x" * 100, "name": "secret-b"}]

    with pytest.raises(SchemaError) as caught:
        conform(table(rows, form), Orders, where=WHERE)

    assert "row 1, column 'id': expected int" in str(caught.value)
    assert "secret" not in str(caught.value)
    assert "x" * 60 not in str(caught.value)


@pytest.mark.parametrize("form", FORMS)
def test_a_null_where_none_may_be_is_refused(form: str) -> None:
    with pytest.raises(SchemaError, match=r"row 1, column 'id': expected int, got a null\n.*Fix: .*None"):
        conform(table([{"id": 1, "name": "a"}, {"id": None, "name": "b"}], form), Orders, where=WHERE)


@pytest.mark.parametrize("form", FORMS)
def test_naive_datetimes_are_refused_with_the_way_to_mend_them(form: str) -> None:
    with pytest.raises(SchemaError, match=r"naive datetime.*\n.*Fix: make it aware"):
        one(dt.datetime(2026, 1, 1, 5), dt.datetime, form=form)


@pytest.mark.parametrize("form", FORMS)
def test_extras_are_dropped_with_one_warning(form: str, caplog: pytest.LogCaptureFixture) -> None:
    rows = [{"id": n, "name": "a", "x": 1, "price": 1.0, "y": 2} for n in range(5)]

    with caplog.at_level(logging.WARNING):
        data, _ = conform(table(rows, form), Orders, where=WHERE)

    assert data.columns == ("id", "name", "price")
    assert [record.getMessage() for record in caplog.records] == [
        f"{WHERE}: dropped 2 column(s) that the schema lacks: 'x', 'y'"
    ]


@pytest.mark.parametrize("form", FORMS)
def test_missing_columns_are_filled_with_default_or_null(form: str) -> None:
    data, schema = conform(table([{"id": 1}, {"id": 2}], form), Orders, where=WHERE)

    assert schema is Orders
    assert data.kind == form
    assert data.to("rows") == [{"id": n, "name": None, "price": 1.5} for n in (1, 2)]


@pytest.mark.parametrize("form", FORMS)
def test_a_missing_column_without_default_is_an_error(form: str) -> None:
    with pytest.raises(SchemaError, match="row 0 has no column 'id'"):
        conform(table([{"name": "a"}], form), Orders, where=WHERE)


@pytest.mark.parametrize("form", FORMS)
def test_strict_refuses_extras_and_missing_columns(form: str) -> None:
    with pytest.raises(SchemaError, match=r"the schema has no column\(s\) 'x'"):
        conform(table([{"id": 1, "name": "a", "price": 1.0, "x": 1}], form), Orders, "strict", where=WHERE)
    with pytest.raises(SchemaError, match="no column 'name'"):
        conform(table([{"id": 1}], form), Orders, "strict", where=WHERE)


def test_strict_names_the_row_of_the_first_extra() -> None:
    with pytest.raises(SchemaError, match="row 1: the schema has no"):
        conform(table([{"id": 1, "name": ""}, {"id": 1, "name": "", "x": 0}]), Orders, "strict", where=WHERE)


def test_rows_with_differing_keys_are_filled_row_by_row() -> None:
    rows = [{"id": 1, "name": "a", "price": 2.0}, {"id": 2}, {"price": 3.0, "id": 3}]

    data, _ = conform(table(rows), Orders, where=WHERE)

    assert data.value == [
        {"id": 1, "name": "a", "price": 2.0},
        {"id": 2, "name": None, "price": 1.5},
        {"id": 3, "name": None, "price": 3.0},
    ]
    with pytest.raises(SchemaError, match="row 1 has no column 'id'"):
        conform(table([{"id": 1}, {"name": "a"}]), Orders, where=WHERE)


@pytest.mark.parametrize("form", FORMS)
def test_data_that_fits_passes_as_the_same_object(form: str) -> None:
    schema = Schema.from_fields("S", {"a": int | None, "b": str | None, "c": float | None})
    data = table([{"a": 1, "b": "x", "c": 0.5}, {"a": 2, "b": "y", "c": 1.0}], form)
    first, _ = conform(data, schema, where=WHERE)

    second, _ = conform(first, schema, where=WHERE)

    if form != "arrow":
        assert second.value is first.value
    if form == "rows":
        assert first.value is data.value
    if form == "arrow":
        assert (
            second.value.column("a").chunk(0).buffers()[1].address
            == data.value.column("a").chunk(0).buffers()[1].address
        )


@pytest.mark.parametrize("form", FORMS)
def test_input_is_never_changed(form: str) -> None:
    data = table([{"id": "1", "name": 5, "x": 1}], form)
    before = repr(data.value)

    conform(data, Orders, where=WHERE)

    assert repr(data.value) == before


@pytest.mark.parametrize("value", ["strict", MaterializationStrategy.STRICT])
def test_strict_as_plain_text_is_strict(value: Any) -> None:
    with pytest.raises(SchemaError):
        one("1", int, value)


def test_auto_means_reconcile_and_anything_else_is_an_error() -> None:
    assert MaterializationStrategy("auto") is MaterializationStrategy.RECONCILE
    with pytest.raises(ConfigError, match=r"'strickt' is not a strategy\n  Fix: use 'reconcile' or 'strict'"):
        conform(table([{"id": 1}]), Orders, "strickt", where=WHERE)


def test_without_schema_rows_get_the_union_of_their_keys() -> None:
    data, schema = conform(table([{"a": 1}, {"b": "x"}]), None, where=WHERE)

    assert data.value == [{"a": 1, "b": None}, {"a": None, "b": "x"}]
    assert schema is not None
    assert [spec.name for spec in schema.field_specs()] == ["a", "b"]


def test_without_schema_strict_is_an_error_and_no_rows_have_none() -> None:
    with pytest.raises(SchemaError, match="strict needs a schema"):
        conform(table([{"a": 1}]), None, "strict", where=WHERE)
    assert conform(table([]), None, where=WHERE)[1] is None


@pytest.mark.parametrize("form", FORMS)
def test_empty_data_takes_the_schema(form: str) -> None:
    empty = TableData.of({"rows": [], "arrow": pa.table({}), "pandas": pd.DataFrame()}[form])

    data, _ = conform(empty, Orders, where=WHERE)

    assert data.num_rows == 0
    assert data.arrow().schema.names == ["id", "name", "price"]


def test_a_numpy_value_in_rows_is_a_number() -> None:
    assert same(one(np.int64(5), int), 5)
    assert same(one(np.float64(0.5), float), 0.5)
    assert one(np.datetime64("2026-01-02"), dt.date) == dt.date(2026, 1, 2)


def test_pandas_nulls_in_rows_are_null() -> None:
    assert one(pd.NaT, dt.datetime | None) is None
    assert one(pd.NA, int | None) is None


def test_a_timestamp_finer_than_microseconds_is_refused() -> None:
    with pytest.raises(SchemaError, match="finer than microseconds"):
        one(pd.Timestamp("2026-01-01T00:00:00.000000001Z"), dt.datetime)


def test_int_columns_of_pandas_with_nan_become_nullable_ints() -> None:
    frame = pd.DataFrame({"id": [1.0, np.nan, 3.0]})

    data, _ = conform(TableData.of(frame), Schema.from_fields("S", {"id": int | None}), where=WHERE)

    assert str(data.value["id"].dtype) == "Int64"
    assert data.to("rows") == [{"id": 1}, {"id": None}, {"id": 3}]
    with pytest.raises(SchemaError, match="row 1, column 'id': expected int, got a null"):
        conform(TableData.of(frame), Schema.from_fields("S", {"id": int}), where=WHERE)


def test_mixed_object_columns_of_pandas_are_reconciled() -> None:
    frame = pd.DataFrame({"id": [1, "2", None]}, dtype=object)

    data, _ = conform(TableData.of(frame), Schema.from_fields("S", {"id": int | None}), where=WHERE)

    assert data.to("rows") == [{"id": 1}, {"id": 2}, {"id": None}]


def test_the_index_of_a_frame_is_ignored() -> None:
    frame = pd.DataFrame({"id": ["1", "2"], "name": ["a", "b"]}, index=[7, 7])

    data, _ = conform(TableData.of(frame), Orders, where=WHERE)

    assert data.to("rows") == [{"id": 1, "name": "a", "price": 1.5}, {"id": 2, "name": "b", "price": 1.5}]
    assert data.arrow().column_names == ["id", "name", "price"]


def test_categories_and_dictionaries_count_as_their_values() -> None:
    frame = pd.DataFrame({"c": pd.Categorical(["a", None, "a"])})
    schema = Schema.from_fields("S", {"c": Literal["a"] | None})

    for value in (frame, pa.table({"c": pa.array(["a", None, "a"]).dictionary_encode()})):
        data, _ = conform(TableData.of(value), schema, "strict", where=WHERE)
        assert data.to("rows") == [{"c": "a"}, {"c": None}, {"c": "a"}]


@pytest.mark.parametrize("form", FORMS)
def test_wrong_labels_are_named(form: str) -> None:
    twice = {
        "rows": None,
        "arrow": pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]),
        "pandas": pd.DataFrame([[1, 2]], columns=["a", "a"]),
    }[form]
    if twice is not None:
        with pytest.raises(SchemaError, match=r"asset 'shop.orders': two columns are called 'a'"):
            conform(TableData.of(twice), Orders, where=WHERE)
    numbered = {"rows": [{1: 2}], "arrow": None, "pandas": pd.DataFrame([[1, 2]])}[form]
    if numbered is not None:
        with pytest.raises(SchemaError, match=r"column label [01] is a int, not text\n.*Fix"):
            conform(TableData.of(numbered), Orders, where=WHERE)


@pytest.mark.parametrize("form", FORMS)
def test_awkward_column_names_go_all_the_way(form: str) -> None:
    names = ["schema", "copy", "json", "validate", "_id", "class", "fields", "index", "items", "two words", "0"]
    rows = [{name: str(n) for name in names} for n in range(2)]
    schema = Schema.from_fields("S", dict.fromkeys(names, int))

    data, _ = conform(table(rows, form), schema, where=WHERE)

    assert data.to("rows") == [dict.fromkeys(names, n) for n in range(2)]


def test_arrow_traps_are_not_fallen_into() -> None:
    naive = pa.table({"c": pa.array([dt.datetime(2026, 1, 1, 5)])})
    with pytest.raises(SchemaError, match="time of day"):
        conform(TableData.of(naive), Schema.from_fields("S", {"c": dt.date}), where=WHERE)
    with pytest.raises(SchemaError, match="naive"):
        conform(TableData.of(naive), Schema.from_fields("S", {"c": dt.datetime}), where=WHERE)
    with pytest.raises(SchemaError, match="no whole number"):
        conform(TableData.of(pa.table({"c": ["0x10"]})), Schema.from_fields("S", {"c": int}), where=WHERE)


def test_units_and_zones_of_arrow_are_brought_to_the_schema() -> None:
    column = pa.array([dt.datetime(2026, 1, 1, 5, tzinfo=UTC)], pa.timestamp("ns", tz="Europe/Berlin"))

    data, _ = conform(TableData.of(pa.table({"c": column})), Schema.from_fields("S", {"c": dt.datetime}), where=WHERE)

    assert data.arrow().schema.field("c").type == pa.timestamp("us", tz="UTC")
    assert data.to("rows") == [{"c": dt.datetime(2026, 1, 1, 5, tzinfo=UTC)}]


class Mixed(Schema):
    a: int
    b: str | None
    c: float = 1.5
    t: dt.datetime | None = None


AGREED = {
    "extra": [{"a": 1, "b": "x", "c": 1.0, "t": None, "z": 1}],
    "with_a_default": [{"a": 1, "b": "x"}],
    "nullable_missing": [{"a": 1}],
    "required_missing": [{"b": "x"}],
    "null": [{"a": 1}, {"a": None}],
    "null_despite_default": [{"a": 1, "c": None}],
    "loose": [{"a": "1", "b": 2, "c": "1.5"}],
    "unfit": [{"a": 1}, {"a": "x"}],
    "record_as_text": [{"a": 1, "b": {"k": [1]}}],
    "naive": [{"a": 1, "t": dt.datetime(2026, 1, 1)}],
    "count_of_time": [{"a": 1, "t": 1_700_000_000}],
}


@pytest.mark.parametrize("strategy", ["reconcile", "strict"])
@pytest.mark.parametrize("case", AGREED)
def test_every_form_agrees_on_what_fits_and_on_what_it_becomes(case: str, strategy: str) -> None:
    found = set()
    for form in ("rows", "arrow", "pandas", "polars"):
        data = TableData.of(TableData.of(AGREED[case]).to(form))
        try:
            found.add(repr(conform(data, Mixed, strategy, where="x")[0].to("rows")))
        except SchemaError as error:
            found.add(str(error))

    assert len(found) == 1, found


def test_a_number_for_a_datetime_is_refused_with_the_way_to_declare_it() -> None:
    with pytest.raises(SchemaError, match=r"row 0, column 't': expected datetime, got an int.*\n.*epoch_columns"):
        conform(TableData.of(AGREED["count_of_time"]), Mixed, where="x")


def of(value: Any) -> TableData:
    table = TableData.of(value)
    assert table is not None
    return table


class Unknown(dt.tzinfo):
    """A zone that knows no offset, so that its datetimes are naive."""

    def utcoffset(self, moment: dt.datetime | None) -> None:
        return None


class Odd(dt.tzinfo):
    """A zone of somebody's own."""

    def utcoffset(self, moment: dt.datetime | None) -> dt.timedelta:
        return dt.timedelta(hours=3)


ZONES = [dt.timezone.utc, ZoneInfo("Europe/Berlin"), dt.timezone(dt.timedelta(hours=2)), Odd()]


@pytest.mark.parametrize("strategy", ["reconcile", "strict"])
def test_datetimes_of_any_zone_pass_as_the_same_object(strategy: str) -> None:
    rows = [{"at": dt.datetime(2026, 7, 1, 12, tzinfo=zone)} for zone in ZONES]

    data, _ = conform(of(rows), Schema.from_fields("S", {"at": dt.datetime}), strategy, where=WHERE)

    assert data.value is rows
    assert data.arrow().column("at").to_pylist() == [row["at"] for row in rows]


@pytest.mark.parametrize("zone", [None, Unknown()])
def test_one_naive_datetime_among_aware_ones_is_named(zone: dt.tzinfo | None) -> None:
    rows = [{"at": dt.datetime(2026, 7, 1, tzinfo=zone)} for zone in (dt.timezone.utc, zone)]

    with pytest.raises(SchemaError, match=r"row 1, column 'at'.*naive"):
        conform(of(rows), Schema.from_fields("S", {"at": dt.datetime}), where=WHERE)


def test_one_aware_datetime_among_naive_ones_is_named() -> None:
    naive = Schema.from_fields("S", {"at": Annotated[dt.datetime, pa.timestamp("us")]})
    rows = [{"at": dt.datetime(2026, 7, 1, tzinfo=zone)} for zone in (None, dt.timezone.utc)]

    assert conform(of(rows[:1]), naive, where=WHERE)[0].arrow().schema.field("at").type == pa.timestamp("us")
    with pytest.raises(SchemaError, match=r"row 1, column 'at'.*aware"):
        conform(of(rows), naive, where=WHERE)


def test_choices_pass_as_a_whole_and_the_first_other_value_is_named() -> None:
    sizes = Schema.from_fields("S", {"size": Literal["s", "m", None]})
    rows = [{"size": value} for value in ("s", None, "m")]

    assert conform(of(rows), sizes, where=WHERE)[0].value is rows
    with pytest.raises(SchemaError, match="row 3, column 'size'"):
        conform(of([*rows, {"size": "l"}]), sizes, where=WHERE)


@pytest.mark.parametrize(
    "rows",
    [
        [{"n": 1, "name": "x"}, {"name": "y", "n": 2}],
        [{"n": "1", "name": "x"}, {"n": 2, "name": None}],
        [{"n": 1}, {"n": 2, "more": 3, "name": "y"}],
        ({"n": 1, "name": "x"},),
    ],
)
def test_the_arrow_form_is_that_of_the_rows(rows: Any) -> None:
    schema = Schema.from_fields("S", {"n": int, "name": str | None})

    data, _ = conform(of(rows), schema, where=WHERE)

    fresh = TableData.of(list(data.value), schema=schema)
    assert fresh is not None
    assert data.columns == fresh.columns
    assert data.arrow().equals(fresh.arrow(), check_metadata=True)
    assert data.arrow() is data.arrow()
    assert data.slice(0, 1).arrow().to_pylist() == fresh.arrow().slice(0, 1).to_pylist()


def test_an_int_that_arrow_cannot_hold_is_named_in_rows_that_fit_otherwise() -> None:
    with pytest.raises(SchemaError, match="row 1, column 'n'"):
        conform(of([{"n": 1}, {"n": 2**63}]), Schema.from_fields("S", {"n": int}), where=WHERE)
