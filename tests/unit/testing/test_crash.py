"""Work is killed at the step that was chosen: nothing after it happens, and no clean-up runs."""

from pathlib import Path

import pytest

from airflow_provider.testing import crash


def overwrite(path: Path, text: str) -> None:
    try:
        with path.open("w") as file:
            file.write(text)
    finally:
        path.with_suffix(".cleaned").touch()


def test_behind_some_change_an_overwritten_file_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "file"
    overwrite(path, "once, so that both runs take the same steps")
    found = []
    for moment in crash.moments(lambda: overwrite(path, "first"), changes=99, others=0):
        path.write_text("old")
        assert crash.killed(lambda: overwrite(path, "new"), moment)
        found.append(path.read_text())
    assert found[:3] == ["", "", "new"]  # opened, written to the buffer, closed


def test_killed_says_whether_the_work_was_cut_short(tmp_path: Path) -> None:
    path = tmp_path / "file"
    assert crash.killed(lambda: overwrite(path, "new"), crash.Moment("step", 0))
    assert not path.exists()
    assert not path.with_suffix(".cleaned").exists()
    assert not crash.killed(lambda: overwrite(path, "new"), crash.Moment("step", 10**9))
    assert path.read_text() == "new"


def test_work_that_fails_is_told_with_its_traceback() -> None:
    def fail() -> None:
        raise ZeroDivisionError("by nothing")

    with pytest.raises(crash.WorkFailedError, match="by nothing"):
        crash.moments(fail, changes=1, others=1)


def test_moments_are_spread_evenly_over_the_work(tmp_path: Path) -> None:
    moments = crash.moments(lambda: overwrite(tmp_path / "file", "x"), changes=2, others=3)
    assert [moment.kind for moment in moments] == ["change"] * 2 + ["step"] * 3
    steps = [moment.number for moment in moments[2:]]
    assert steps[0] == 0
    assert steps[2] == pytest.approx(2 * steps[1], abs=1)
