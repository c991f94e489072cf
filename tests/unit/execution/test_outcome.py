"""How outcomes are told and raised."""

from typing import Any

import pytest

from airflow_provider.errors import AssetError, SupersededError
from airflow_provider.execution.outcome import ComputationResult, PartitionOutcome, RunResult, counts, summary, told


def outcome(key: str | None = "2026-03-01", status: Any = "committed", **values: Any) -> PartitionOutcome:
    return PartitionOutcome(key, "csv", "csv:/lake", status, **values)


def ours(text: str = "gone") -> AssetError:
    return AssetError(text, where="asset 'x'", fix="wait")


def test_one_line_says_what_became_of_a_partition() -> None:
    assert summary([outcome(rows=1234, seconds=0.5, uri="file:///lake/day%3D1")]) == [
        "2026-03-01: committed, 1,234 rows, 0.50 s -> file:///lake/day=1"
    ]
    assert summary([outcome(None, "kept", rows=0)]) == [
        "whole: no rows: nothing written, what was held stays, 0 rows -> csv"
    ]
    assert summary([outcome(status="failed", error=ours())]) == ["2026-03-01: FAILED, gone -> csv"]
    assert summary([outcome(status="failed", error=OSError("hunter2"))]) == ["2026-03-01: FAILED, OSError -> csv"]


def test_many_partitions_are_told_by_stretches() -> None:
    many = [outcome(f"k{n:03}", "failed" if n == 50 else "committed", rows=1) for n in range(100)]

    assert summary(many, limit=5) == [
        "k000..k049 (50 partitions): committed, 50 rows, 0.00 s -> csv",
        "k050: FAILED, 1 rows -> csv",
        "k051..k099 (49 partitions): committed, 49 rows, 0.00 s -> csv",
    ]


def test_even_stretches_are_bounded() -> None:
    many = [outcome(f"k{n:03}", "failed" if n % 2 else "committed") for n in range(100)]

    lines = summary(many, limit=10)
    assert len(lines) == 10
    assert lines[-1] == "... and 91 more stretches"


def test_counts_name_what_occurs() -> None:
    assert counts([outcome(), outcome(), outcome(status="held")]) == {"committed": 2, "held": 1}


def test_what_is_bad() -> None:
    result = RunResult("x", None, [outcome(status=s) for s in ("committed", "empty", "kept", "held")])
    assert result.bad == []
    result.raise_for_failures()

    result.outcomes += [outcome(status="failed"), outcome(status="superseded")]
    assert [one.status for one in result.bad] == ["failed", "superseded"]


def test_one_failure_of_one_is_raised_as_it_is() -> None:
    error = SupersededError("newer", where="asset", fix="wait")
    with pytest.raises(SupersededError) as caught:
        RunResult("x", None, [outcome(status="superseded", error=error)]).raise_for_failures()
    assert caught.value is error


def test_the_errors_of_others_are_wrapped_and_chained() -> None:
    error = OSError("hunter2")
    with pytest.raises(AssetError, match="1 of 2 partition writes failed: 2026-03-01: FAILED, OSError") as caught:
        RunResult("x", None, [outcome(status="failed", error=error), outcome()]).raise_for_failures()
    assert caught.value.__cause__ is error
    assert "hunter2" not in str(caught.value)
    assert "writes only what is missing" in caught.value.fix


def test_what_is_told_of_an_error() -> None:
    assert told(ours("gone")) == "gone"
    assert told(OSError("hunter2")) == "OSError"


def test_failures_of_several_outputs_are_told_together_by_name() -> None:
    good = RunResult("shop.lines", None, [outcome()])
    bad = RunResult("shop.orders", None, [outcome(status="failed", error=OSError("hunter2")), outcome()])
    both = ComputationResult("multi_asset 'shop.feed'", [bad, good])

    assert ComputationResult("x", [good]).failure() is None
    assert str(ComputationResult("x", [bad]).failure()) == str(bad.failure())
    with pytest.raises(AssetError, match=r"1 of 2 outputs failed: asset 'shop\.orders': 1 of 2 partition") as caught:
        both.raise_for_failures()
    assert caught.value.where == "multi_asset 'shop.feed'"
    assert isinstance(caught.value.__cause__, OSError)
    assert "hunter2" not in str(caught.value)
    assert (len(both.outcomes), len(both.bad)) == (3, 1)
