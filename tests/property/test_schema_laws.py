"""Laws of schemas and of splitting, in every form of data."""

import datetime as dt
import math
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pandas as pd
import pyarrow as pa
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from airflow_provider.errors import PartitionError, SchemaError
from airflow_provider.partitioning import TimePartition, TimePartitionConfig, TimePartitionWindow
from airflow_provider.schema import Normalizer, Schema, TableData, conform, infer, split

WHERE = "asset 'x'"
UTC = dt.timezone.utc
FORMS = ("rows", "arrow", "pandas", "polars")
ZONES = ("UTC", "America/New_York", "Europe/Berlin", "Pacific/Apia", "Australia/Lord_Howe", "Asia/Kathmandu")

settings.register_profile("schema", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("schema")

aware = st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2200, 1, 1)).map(lambda value: value.replace(tzinfo=UTC))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
decimals = st.decimals(-(10**15), 10**15, places=9)
SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    bool: st.booleans(),
    int: st.integers(-(2**63), 2**63 - 1),
    float: st.floats(allow_nan=False),
    str: st.text(),
    bytes: st.binary(),
    dt.date: st.dates(),
    dt.datetime: aware,
    dt.time: st.times(),
    dt.timedelta: st.timedeltas(dt.timedelta(days=-10_000), dt.timedelta(days=10_000)),
    Decimal: decimals,
    dict: st.dictionaries(st.text(), json_values, max_size=3),
    list[int | None]: st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), max_size=3),
}
names = st.sampled_from(["a", "schema", "copy", "json", "validate", "_id", "index", "two words", "class", "é"])
loose = st.one_of(st.none(), st.floats(), st.text(max_size=5), json_values, *SCALARS.values()) | st.sampled_from(
    ["1", "1.0", "1.5", "true", "2026-01-01", "2026-01-01T00:00:00Z", "0x10", " 1 ", "1e3", "nan", "007"]
)


@st.composite
def fitting(draw: st.DrawFn) -> tuple[type[Schema], list[dict[str, Any]]]:
    """A schema and rows that fit it; every column may be null."""
    columns = draw(st.dictionaries(names, st.sampled_from(list(SCALARS)), min_size=1, max_size=4))
    row = st.fixed_dictionaries({name: st.none() | SCALARS[kind] for name, kind in columns.items()})
    schema = Schema.from_fields("S", {name: kind | None for name, kind in columns.items()})
    return schema, draw(st.lists(row, max_size=6))


def table(value: Any, form: str, schema: type[Schema] | None = None) -> TableData:
    data = TableData.of(value, schema=schema)
    assert data is not None
    again = TableData.of(data.to(form))
    assert again is not None
    return again


def rows_of(data: TableData) -> list[dict[str, Any]]:
    return data.to("rows")


@given(pair=fitting(), form=st.sampled_from(FORMS))
def test_rows_that_fit_pass_unchanged_through_every_form(
    pair: tuple[type[Schema], list[dict[str, Any]]], form: str
) -> None:
    schema, rows = pair
    for strategy in ("reconcile", "strict"):
        first, _ = conform(TableData.of(rows), schema, strategy, where=WHERE)
        data = table(first.value, form, schema)

        again, _ = conform(data, schema, "reconcile", where=WHERE)

        assert first.value == rows
        assert rows_of(again) == rows


@given(kind=st.sampled_from([*SCALARS, Any]), form=st.sampled_from(FORMS), data=st.data())
def test_conforming_is_idempotent(kind: Any, form: str, data: st.DataObject) -> None:
    own = json_values if kind is Any else SCALARS[kind]
    values = data.draw(st.lists(own | own.map(str) | st.none(), min_size=1, max_size=4) | st.lists(loose, min_size=1))
    schema = Schema.from_fields("S", {"c": kind | None if kind is not Any else Any})
    try:
        once, _ = conform(table([{"c": value} for value in values], form), schema, where=WHERE)
    except SchemaError:
        return

    twice, _ = conform(once, schema, where=WHERE)
    strictly, _ = conform(TableData.of(once.value), schema, "strict", where=WHERE)

    assert repr(rows_of(twice)) == repr(rows_of(once)) == repr(rows_of(strictly))


def meaning(value: Any) -> Any:
    """What a value says, whatever form it has: numbers in decimal, a float as it is written."""
    if isinstance(value, bool):
        return Decimal(int(value))
    if isinstance(value, (float, Decimal)) and math.isnan(value):
        return "nan"
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


@given(
    value=st.integers() | st.floats() | st.decimals() | st.booleans(),
    kind=st.sampled_from([int, float, Decimal, bool, str]),
)
def test_reconciling_never_changes_a_number_it_keeps(value: Any, kind: Any) -> None:
    schema = Schema.from_fields("S", {"c": kind})
    try:
        data, _ = conform(TableData.of([{"c": value}]), schema, where=WHERE)
    except SchemaError:
        return

    kept = data.value[0]["c"]

    if kind is str:
        kept = {"True": True, "False": False}.get(kept) if isinstance(value, bool) else type(value)(kept)
    if not isinstance(kept, str) and kept == value:
        return
    if isinstance(kept, float) and Decimal(f"{kept:.17g}") == value:
        return  # 17 digits name one float, too
    assert meaning(kept) == meaning(value)


@given(number=st.integers() | st.floats() | st.decimals(allow_nan=False), kind=st.sampled_from([int, float, Decimal]))
def test_reconciling_never_changes_a_number_written_as_text(number: Any, kind: Any) -> None:
    text = str(number)
    try:
        data, _ = conform(TableData.of([{"c": text}]), Schema.from_fields("S", {"c": kind}), where=WHERE)
    except SchemaError:
        return

    kept = data.value[0]["c"]

    exact = meaning(number) if isinstance(number, float) else Decimal(text)
    assert meaning(kept) == exact or Decimal(f"{kept:.17g}") == exact or Decimal(kept) == exact


@given(values=st.lists(st.none() | st.text(max_size=6) | st.integers() | st.floats() | aware, min_size=1, max_size=4),
       kind=st.sampled_from([int, float, str, bool, Decimal, dt.date, dt.datetime]))  # fmt: skip
def test_all_forms_agree_on_what_fits_and_on_what_it_becomes(values: list[Any], kind: Any) -> None:
    schema = Schema.from_fields("S", {"c": kind | None})
    rows = [{"c": value} for value in values]
    try:
        arrow = table(rows, "arrow")
    except SchemaError:
        assume(False)
    outcomes = []
    for data in (TableData.of(rows_of(arrow)), arrow):
        try:
            kept = [row["c"] for row in rows_of(conform(data, schema, where=WHERE)[0])]
            outcomes.append(repr([value.normalize() if isinstance(value, Decimal) else value for value in kept]))
        except SchemaError as error:
            outcomes.append(error.what)

    assert outcomes[0] == outcomes[1]


@given(rows=st.lists(st.dictionaries(names, loose, max_size=4), min_size=1, max_size=6), data=st.data())
def test_inference_does_not_depend_on_the_order_of_rows(rows: list[dict[str, Any]], data: st.DataObject) -> None:
    assume(any(rows))

    shuffled = data.draw(st.permutations(rows))

    assert infer(rows).fingerprint() == infer(shuffled).fingerprint()


@given(rows=st.lists(st.dictionaries(names, json_values, max_size=4), max_size=6))
def test_json_like_rows_come_back_from_arrow_as_they_were(rows: list[dict[str, Any]]) -> None:
    columns = TableData.of(rows).columns
    full = [{name: row.get(name) for name in columns} for row in rows]
    schema = Schema.from_fields("S", dict.fromkeys(columns, Any))

    arrow = TableData.of(full, schema=schema).arrow()

    assert repr(rows_of(TableData.of(arrow))) == repr(full) or not columns


@st.composite
def windows(draw: st.DrawFn) -> TimePartitionWindow:
    grain = draw(st.sampled_from(["hour", "day", "week", "month", "quarter", "year"]))
    zone = draw(st.sampled_from(ZONES))
    moment = draw(st.datetimes(dt.datetime(1970, 1, 1), dt.datetime(2040, 1, 1)))
    first = TimePartition(moment.replace(tzinfo=UTC), grain, zone)
    return TimePartitionWindow(first, first.step(draw(st.integers(0, 5))))


@st.composite
def partitioned(draw: st.DrawFn) -> tuple[TimePartitionWindow, list[Any]]:
    """A window and values near it: one type of value, among them nulls."""
    window = draw(windows())
    margin = (window.end - window.start) / 4
    instants = st.datetimes(
        (window.start - margin).replace(tzinfo=None), (window.end + margin).replace(tzinfo=None)
    ).map(lambda value: value.replace(tzinfo=UTC))
    edges = st.sampled_from(window.edges) | st.sampled_from(window.edges).map(
        lambda e: e - dt.timedelta(microseconds=1)
    )
    zone = ZoneInfo(window.timezone or "UTC")
    kinds = [instants | edges, (instants | edges).map(dt.datetime.isoformat), st.sampled_from(window.keys)]
    if window.granularity != "hour":
        kinds.append((instants | edges).map(lambda value: value.astimezone(zone).date()))
    if window.granularity == "year":
        kinds.append((instants | edges).map(lambda value: value.year))
    return window, draw(st.lists(st.none() | draw(st.sampled_from(kinds)), min_size=1, max_size=12))


def by(column: str, window: TimePartitionWindow) -> TimePartitionConfig:
    """A partitioning that the window is one of."""
    return TimePartitionConfig(column=column, granularity=window.granularity, timezone=window.timezone or "UTC")


def expected(value: Any, window: TimePartitionWindow) -> str | None:
    """The key of the partition that holds a value, by the slow and plain way."""
    if isinstance(value, str) and value in window.keys:
        return value
    if isinstance(value, str):
        value = dt.datetime.fromisoformat(value)
    if isinstance(value, int):
        value = f"{value:04}"
    try:
        key = TimePartition(value, window.granularity, window.timezone).key
    except PartitionError:
        return None
    return key if key in window.keys else None


@given(pair=partitioned(), form=st.sampled_from([*FORMS, "objects"]), ordered=st.booleans())
def test_each_row_is_in_the_partition_that_holds_it_and_none_is_lost(
    pair: tuple[TimePartitionWindow, list[Any]], form: str, ordered: bool
) -> None:
    window, values = pair
    if ordered and None not in values:
        values = sorted(values)
    rows = [{"t": value, "n": number} for number, value in enumerate(values)]
    data = TableData.of(pd.DataFrame(rows, dtype=object)) if form == "objects" else table(rows, form)

    found = split(data, by("t", window), window, where=WHERE)

    placed = [expected(value, window) if value is not None else None for value in values]
    for key, part in zip(window.keys, found.slices, strict=True):
        assert [row["n"] for row in rows_of(part)] == [n for n, home in enumerate(placed) if home == key]
    assert [row["n"] for row in rows_of(found.outside)] == [n for n, home in enumerate(placed) if home is None]
    assert found.nulls == values.count(None)
    strays = [n for n, home in enumerate(placed) if home is None and values[n] is not None]
    assert (None if found.first_stray is None else found.first_stray[0]) == (strays[0] if strays else None)


@given(pair=partitioned(), form=st.sampled_from(FORMS))
def test_splitting_then_joining_keeps_all_rows_and_columns(
    pair: tuple[TimePartitionWindow, list[Any]], form: str
) -> None:
    window, values = pair
    rows = [{"t": value, "n": number, "s": str(number)} for number, value in enumerate(values)]
    data = table(rows, form)

    found = split(data, by("t", window), window, where=WHERE)
    joined = TableData.concat([*found.slices, found.outside])

    assert joined.kind == data.kind
    assert sorted(rows_of(joined), key=lambda row: row["n"]) == rows_of(data)
    if form == "arrow":
        assert joined.value.schema == data.value.schema


@given(pair=partitioned(), form=st.sampled_from(FORMS))
def test_splitting_a_slice_again_changes_nothing(pair: tuple[TimePartitionWindow, list[Any]], form: str) -> None:
    window, values = pair
    data = table([{"t": value, "n": number} for number, value in enumerate(values)], form)

    for partition, part in zip(window, split(data, by("t", window), window, where=WHERE).slices, strict=True):
        again = split(part, by("t", partition.window), partition.window, where=WHERE)
        assert rows_of(again.slices[0]) == rows_of(part)
        assert again.stray_count == 0


@given(values=st.lists(aware, min_size=1, max_size=8), unit=st.sampled_from(["s", "ms", "us", "ns"]), window=windows())
def test_the_unit_of_a_timestamp_decides_nothing_but_its_rounding(
    values: list[dt.datetime], unit: str, window: TimePartitionWindow
) -> None:
    column = pa.array(values, pa.timestamp("us", "UTC")).cast(pa.timestamp(unit, "UTC"), safe=False)
    held = column.cast(pa.timestamp("us", "UTC")).to_pylist()

    found = split(TableData.of(pa.table({"t": column, "n": range(len(held))})), by("t", window), window, where=WHERE)

    for partition, part in zip(window, found.slices, strict=True):
        inside = [n for n, value in enumerate(held) if partition.start <= value < partition.end]
        assert part.value.column("n").to_pylist() == inside


records = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)


steps = st.fixed_dictionaries(
    dict.fromkeys(("replace_empty_dicts", "replace_empty_strings", "drop_na_columns"), st.booleans())
)


@given(
    rows=st.lists(st.dictionaries(st.sampled_from("abc"), records, max_size=3), min_size=1, max_size=4),
    level=st.sampled_from([0, 1, None]),
    options=steps,
    form=st.sampled_from(FORMS),
    data=st.data(),
)
def test_a_normalizer_does_the_same_to_every_form_and_whatever_the_order_of_rows(
    rows: list[dict[str, Any]], level: int | None, options: dict[str, bool], form: str, data: st.DataObject
) -> None:
    assume(any(rows))
    normalizer = Normalizer(flatten_max_level=level, **options)
    whole = [{name: row.get(name) for name in TableData.of(rows).columns} for row in rows]
    order = data.draw(st.permutations(range(len(rows))))
    expected = normalizer.normalize_rows(whole)

    found = rows_of(normalizer.normalize(table(whole, form)))
    shuffled = normalizer.normalize_rows([whole[n] for n in order])

    assert found == expected or not TableData.of(expected).columns
    assert [shuffled[order.index(n)] for n in range(len(rows))] == expected
