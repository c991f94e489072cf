"""CSV files: where they are, what they say, and what comes back."""

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import airflow_provider as ap

ROWS: list[dict[str, Any]] = [
    {"day": dt.date(2026, 3, 1), "price": Decimal("1.50"), "note": 'a "b", c'},
    {"day": dt.date(2026, 3, 2), "note": "", "extra": 1},
]
DAYS = ap.TimePartitionWindow(dt.date(2026, 3, 1), dt.date(2026, 3, 2))


class Sales(ap.Schema):
    day: dt.date
    price: float | None
    note: str | None


def sales(**settings: Any) -> Any:
    @ap.asset(**settings)
    def sales() -> list[dict[str, Any]]:
        return ROWS

    return sales


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("data.csv"))


def test_the_place_of_a_file(tmp_path: Path) -> None:
    """D099, D100, D101: dataset and table, and a folder for each partition."""
    store = ap.CSVDestination(base_path=str(tmp_path))
    daily = ap.TimePartitionConfig(column="day", allow_window=True)
    sales(dataset="shop")(destinations=store).materialize()
    sales()(destinations=store).materialize()
    sales(key="daily", partitioning=daily, dataset="shop")(destinations=store).materialize(DAYS)

    assert files(tmp_path) == [
        "sales/data.csv", "shop/daily/day=2026-03-01/data.csv", "shop/daily/day=2026-03-02/data.csv",
        "shop/sales/data.csv",
    ]  # fmt: skip


@pytest.mark.parametrize("form", ["rows", "pandas", "arrow"])
def test_every_tabular_form_is_written_as_the_same_rows(form: str, tmp_path: Path) -> None:
    """D102."""
    from airflow_provider.schema.representations import TableData

    table = TableData.of([{"n": 1, "text": "a"}, {"n": 2, "text": "b"}])
    assert table is not None

    @ap.asset
    def rows() -> Any:
        return table.to(form)

    rows(destinations=ap.CSVDestination(base_path=str(tmp_path))).materialize()

    text = (tmp_path / "rows" / "data.csv").read_text(encoding="utf-8")
    assert text.replace('"', "").splitlines() == ["n,text", "1,a", "2,b"]


def test_the_header_is_the_union_of_the_keys_in_order_of_appearance(tmp_path: Path) -> None:
    """D103: a later row may bring a column, and lack one."""
    sales()(destinations=ap.CSVDestination(base_path=str(tmp_path))).materialize()

    header = (tmp_path / "sales" / "data.csv").read_text(encoding="utf-8").splitlines()[0]
    assert header.replace('"', "") == "day,price,note,extra"


def test_a_schema_gives_the_declared_types_back(tmp_path: Path) -> None:
    """D104, D078: the cells are text, and the context's schema says what they were."""
    store = ap.CSVDestination(base_path=str(tmp_path))
    made = sales(schema=Sales)(destinations=store)
    made.materialize()

    found = store.read(ap.IOContext(made, None, {}, Sales)).to_pylist()
    assert found == [
        {"day": dt.date(2026, 3, 1), "price": 1.5, "note": 'a "b", c'},
        {"day": dt.date(2026, 3, 2), "price": None, "note": ""},
    ]  # fmt: skip


def test_a_file_of_another_program_is_read_by_the_schema(tmp_path: Path) -> None:
    """D104."""
    folder = tmp_path / "sales"
    folder.mkdir()
    (folder / "data.csv").write_text("day,price,note\n2026-03-01,2,x\n", encoding="utf-8")
    store = ap.CSVDestination(base_path=str(tmp_path))
    made = sales(schema=Sales)(destinations=store)

    assert store.read(ap.IOContext(made, None, {}, Sales)).to_pylist() == [
        {"day": dt.date(2026, 3, 1), "price": 2.0, "note": "x"}
    ]
