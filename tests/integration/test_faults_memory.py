"""Memory of a window that is written and read: the cases and goals are those of ``benchmarks/bench_memory.py``."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "bench_memory.py"


def benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_memory", BENCHMARK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def assert_within_goal(rows: int, folder: Path) -> None:
    module = benchmark()
    for case in ("write", "read"):
        found = module.measured(case, rows=rows, days=365, folder=str(folder))
        figure, goal, meaning = module.judged(case, found)
        assert figure <= goal, f"{case}: {figure:.2f} {meaning}, at most {goal}"
        assert found["rows"] == rows


def test_a_window_of_two_million_rows_stays_within_its_memory(tmp_path: Path) -> None:
    """F17: peak above the input while it is written, and above nothing while it is read, in a process of its own."""
    assert_within_goal(2_000_000, tmp_path)


@pytest.mark.full
def test_a_window_of_ten_million_rows_stays_within_its_memory(tmp_path: Path) -> None:
    """F17: the whole bar."""
    assert_within_goal(10_000_000, tmp_path)
