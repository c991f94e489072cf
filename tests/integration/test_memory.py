"""F17: how much memory a window takes on its way in and out, each case in a process of its own."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DAYS = 365


def load_benchmark() -> Any:
    spec = importlib.util.spec_from_file_location("bench_memory", ROOT / "benchmarks" / "bench_memory.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


bench = load_benchmark()


def peak_of(case: str, rows: int, folder: Path, days: int = DAYS) -> float:
    found = bench.measured(case, rows=rows, days=days, folder=str(folder))
    return float(found["peak_mb"])


@pytest.mark.parametrize("case", ["stream", "stream-one-partition", "stream-csv"])
def test_f17_twice_the_rows_of_a_stream_take_no_more_memory(case: str, tmp_path: Path) -> None:
    few, many = (peak_of(case, rows, tmp_path / str(rows), days=60) for rows in (3_000_000, 6_000_000))

    assert many < bench.STREAM_MB
    assert many < few + 50  # the buffers are full with either; 3,000,000 rows more are 100 MB in Arrow


def test_f17_a_stream_of_rows_stays_below_the_bound(tmp_path: Path) -> None:
    assert peak_of("stream-dicts", 2_000_000, tmp_path) < bench.STREAM_MB


@pytest.mark.parametrize("rows", [2_000_000, pytest.param(10_000_000, marks=pytest.mark.full)])
def test_f17_a_window_in_memory_is_written_and_read_within_its_bounds(rows: int, tmp_path: Path) -> None:
    for case in ("write", "read", "read-batches"):
        found = bench.measured(case, rows=rows, days=DAYS, folder=str(tmp_path))
        value, goal, unit = bench.judged(case, found)
        assert value <= goal, f"{case}: {value:.2f} {unit}"


@pytest.mark.full
@pytest.mark.parametrize("case", ["stream", "stream-3x", "stream-one-partition-3x", "stream-csv", "stream-dicts"])
def test_f17_a_stream_of_10_and_30_million_rows_stays_below_the_bound(case: str, tmp_path: Path) -> None:
    assert peak_of(case, 10_000_000, tmp_path) < bench.STREAM_MB
