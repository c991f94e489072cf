"""Whatever Arrow table is written as CSV, or as Parquet, is read back equal, types included."""

import datetime as dt
import io
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from airflow_provider.destinations.csv_codec import read_csv, write_csv
from airflow_provider.destinations.parquet import ParquetDestination
from airflow_provider.testing.destination_contract import StoredAsset, context_of

ints = {pa.int8(): 7, pa.int16(): 15, pa.int32(): 31, pa.int64(): 63}
whole = st.integers(-(2**62), 2**62)
micros = st.integers(-62135596800_000_000, 253402300799_999_999)
texts = st.text(alphabet=st.characters(codec="utf-8"), max_size=6) | st.sampled_from(["", '"', "\n", "\r", "nan", "1"])


def column_of(kind: pa.DataType, values: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[pa.DataType, Any]]:
    return st.tuples(st.just(kind), st.just(st.none() | values))


leaves = st.one_of(
    *[column_of(kind, st.integers(-(2**bits), 2**bits - 1)) for kind, bits in ints.items()],
    column_of(pa.uint64(), st.integers(0, 2**64 - 1)),
    column_of(pa.float64(), st.floats(allow_nan=False)),
    column_of(pa.float32(), st.floats(width=32, allow_nan=False)),
    column_of(pa.bool_(), st.booleans()),
    column_of(pa.string(), texts),
    column_of(pa.large_string(), texts),
    column_of(pa.binary(), st.binary(max_size=5)),
    column_of(pa.date32(), st.dates()),
    column_of(pa.timestamp("us"), micros),
    column_of(pa.timestamp("us", "Asia/Kathmandu"), micros),
    column_of(pa.timestamp("ns", "UTC"), whole),
    column_of(pa.timestamp("ms"), micros.map(lambda value: value // 1000)),
    column_of(pa.time64("us"), st.times()),
    column_of(pa.time64("ns"), st.integers(0, 86_400_000_000_000 - 1)),
    column_of(pa.time32("s"), st.integers(0, 86399)),
    column_of(pa.duration("us"), whole),
    column_of(pa.decimal128(38, 9), st.decimals(-(10**20), 10**20, places=9)),
    column_of(pa.null(), st.none()),
)


def nested(inner: st.SearchStrategy[tuple[pa.DataType, Any]]) -> st.SearchStrategy[tuple[pa.DataType, Any]]:
    lists = inner.map(lambda item: (pa.list_(item[0]), st.none() | st.lists(item[1], max_size=3)))
    structs = st.lists(inner, min_size=1, max_size=2).map(
        lambda items: (
            pa.struct([(f"f{n}", item[0]) for n, item in enumerate(items)]),
            st.none() | st.fixed_dictionaries({f"f{n}": item[1] for n, item in enumerate(items)}),
        )
    )
    return lists | structs


columns = st.recursive(leaves, nested, max_leaves=3)


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    drawn = draw(st.lists(columns, min_size=1, max_size=3))
    names = draw(st.lists(texts, min_size=len(drawn), max_size=len(drawn), unique=True))
    count = draw(st.integers(0, 4))
    arrays = [pa.array(draw(st.lists(v, min_size=count, max_size=count)), kind) for kind, v in drawn]
    table = pa.Table.from_arrays(arrays, names=names)
    return table.slice(draw(st.integers(0, count)))


@settings(max_examples=500, deadline=None)
@given(tables())
def test_csv_gives_back_what_was_written(table: pa.Table) -> None:
    sink = io.BytesIO()
    types = write_csv(table, sink, where="test")
    found = read_csv(sink.getvalue(), types)
    assert found.schema.equals(table.schema)
    assert found.equals(table)


@settings(max_examples=200, deadline=None)
@given(tables())
def test_parquet_gives_back_what_was_written(table: pa.Table) -> None:
    context = context_of(StoredAsset(partitioning=None))
    with TemporaryDirectory() as base:
        destination = ParquetDestination(base_path=base)
        destination.write(context, table)
        found = destination.read(context)
    assert found.schema.equals(table.schema)
    assert found.equals(table)


def test_dictionaries_keep_order_and_index_type() -> None:
    values = pa.DictionaryArray.from_arrays(pa.array([1, 0, None], pa.int8()), ["b", "a"], ordered=True)
    table = pa.table({"x": values, "at": [dt.datetime(2026, 1, 1)] * 3})
    sink = io.BytesIO()
    types = write_csv(table, sink, where="test")
    found = read_csv(sink.getvalue(), types)
    assert found.schema.equals(table.schema)
    assert found["x"].to_pylist() == ["a", "b", None]
