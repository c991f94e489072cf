import datetime as dt

import pyarrow as pa
import pytest

import airflow_provider as ap
from airflow_provider.errors import AssetError, PartitionError
from airflow_provider.execution.events import Emitter
from airflow_provider.execution.produce import Produced, conformed, joined, require_forms, sliced
from airflow_provider.schema.representations import TableData

DAYS = ap.TimePartitionWindow(dt.date(2026, 1, 1), dt.date(2026, 1, 3))


class Orders(ap.Schema):
    date: dt.date
    units: int


@ap.asset(partitioning=ap.TimePartitionConfig(column="date", allow_window=True))
def orders():
    return []


def emitter():
    return Emitter("orders", (), {})


@ap.asset(schema=Orders)
def typed_orders():
    return []


def test_rows_are_fitted_to_the_schema_and_keep_their_form():
    produced = conformed([{"date": "2026-01-01", "units": "3"}], typed_orders())

    assert produced.value == [{"date": dt.date(2026, 1, 1), "units": 3}]
    assert produced.schema is Orders


def test_a_value_that_is_no_table_passes_unless_a_schema_is_declared():
    assert conformed(5, orders()) == Produced(5, None, None)
    with pytest.raises(AssetError, match="which is no table"):
        conformed(5, typed_orders())


def test_each_partition_of_the_window_gets_its_rows():
    rows = [{"date": dt.date(2026, 1, 3), "units": 1}, {"date": dt.date(2026, 1, 1), "units": 2}]
    slices = sliced(conformed(rows, orders()), orders(), DAYS, emitter())

    assert [(p.key, piece.value) for p, piece in slices.pairs()] == [
        ("2026-01-01", [rows[1]]),
        ("2026-01-02", []),
        ("2026-01-03", [rows[0]]),
    ]


def test_a_row_outside_the_window_is_refused_with_its_place():
    rows = [{"date": dt.date(2026, 1, 4), "units": 1}]
    with pytest.raises(PartitionError, match=r"row 0 has date=2026-01-04"):
        sliced(conformed(rows, orders()), orders(), DAYS, emitter())


def test_a_value_that_is_no_table_goes_whole_to_each_partition():
    slices = sliced(conformed("a model", orders()), orders(), DAYS, emitter())

    assert [(piece.value, piece.table) for _, piece in slices.pairs()] == [("a model", None)] * 3


def test_what_one_of_two_destinations_cannot_hold_is_refused_before_any_write(tmp_path):
    both = [ap.MemoryDestination(), ap.ParquetDestination(base_path=str(tmp_path))]
    with pytest.raises(AssetError, match="holds tables only"):
        require_forms(conformed(5, orders()), orders(), both)


def test_passes_of_one_form_are_joined_and_others_listed():
    def piece(value):
        return Produced(value, TableData.of(value), None)

    one, two = pa.table({"a": [1]}), pa.table({"a": [2]})
    assert joined([piece(one), piece(two)]).column("a").to_pylist() == [1, 2]
    assert joined([piece(one), piece([{"a": 2}])]) == [one, [{"a": 2}]]
    assert joined([]) is None


@pytest.mark.parametrize("kind", [ap.ParquetDestination, ap.CSVDestination])
def test_rows_without_a_column_do_not_vanish_without_a_word(kind, tmp_path):
    @ap.asset
    def hollow():
        return [{}, {}]

    with pytest.raises(AssetError, match=r"asset 'hollow': returned 2 row\(s\) without a column"):
        hollow(destinations=kind(base_path=str(tmp_path))).materialize()
    assert hollow(destinations=ap.MemoryDestination()).materialize() == [{}, {}]
