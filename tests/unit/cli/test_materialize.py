import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
SLOW = """
import pathlib, time
import airflow_provider as ap

@ap.asset(partitioning=ap.TimePartitionConfig(column="day", start="2026-01-01"))
def slow(context: ap.ExecutionContext):
    pathlib.Path({mark!r}).touch()
    time.sleep({nap})
    return [{{"day": context.partition_date}}]

made = slow(destinations=ap.CSVDestination(base_path={base!r}))
"""


def test_each_partition_is_told_and_progress_is_not_among_the_results(run: Run, home: Path) -> None:
    done = run("materialize", "orders", "--window", "2026-01-01..2026-01-02")

    assert done.exit_code == 0
    assert done.stdout.splitlines()[0] == "shop.orders: succeeded"
    assert "  2026-01-01: committed, 1 rows" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("2 committed; 2 rows in ")
    assert "2/2 partitions, 2 rows" in done.stderr
    assert "noise of a definition" in done.stderr
    assert (home / "data/shop/orders/day=2026-01-01/data.parquet").is_file()


def test_upstreams_come_first_and_unpartitioned_assets_take_no_window(run: Run) -> None:
    done = run("materialize", "totals", "orders", "whole", "--window", "2026-01-01", "--max-workers", "1")

    assert done.exit_code == 0
    assert [line for line in done.stdout.splitlines() if "succeeded" in line] == [
        "shop.orders: succeeded", "shop.whole: succeeded", "shop.totals: succeeded",
    ]  # fmt: skip


def test_assets_that_run_at_a_time_do_not_meet_a_library_half_loaded(shell: Run) -> None:
    done = shell("materialize", "orders", "whole", "--window", "2026-01-01", "--max-workers", "4")

    assert (done.returncode, "2 committed" in done.stdout) == (0, True), done.stderr


def test_select_names_assets_too(run: Run) -> None:
    assert run("materialize", "--select", "whole").stdout.startswith("shop.whole: succeeded")


def test_several_windows_are_run(run: Run) -> None:
    done = run("materialize", "orders", "--window", "2026-01-01", "--window", "2026-01-05..2026-01-06")

    assert (done.exit_code, "3 committed" in done.stdout) == (0, True)


def test_a_failure_ends_with_1_and_says_what_stands(run: Run) -> None:
    done = run("materialize", "orders", "totals", "--window", "2026-01-12..2026-01-14")

    assert done.exit_code == 1
    assert "shop.orders: FAILED\n  2026-01-12: committed" in done.stdout
    assert "2026-01-13: FAILED" in done.stdout
    assert "\n  ValueError: bad luck (line " in done.stdout
    assert "shop.totals: not run: what it reads failed" in done.stdout


@pytest.mark.parametrize("words", [[], ["--window", "2026-01"], ["--window", "2025-12-31"], ["--window", "nonsense"]])
def test_a_window_that_does_not_fit_fails_before_anything_runs(run: Run, home: Path, words: list[str]) -> None:
    done = run("materialize", "orders", *words)

    assert done.exit_code == 1
    assert "asset 'shop.orders'" in done.stderr
    assert not (home / "data").exists()


def test_an_asset_without_destination_is_mentioned(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bare.py").write_text(
        "import airflow_provider as ap\n\n@ap.asset\ndef bare():\n    return []\n", encoding="utf-8"
    )

    assert "asset 'bare' has no destination" in run("materialize", origin=tmp_path / "bare.py").stderr


def slow_run(tmp_path: Path, *, nap: float, grace: float) -> tuple["subprocess.Popen[str]", Path]:
    """A process in the midst of its first partition."""
    mark, base = tmp_path / "started", tmp_path / "data"
    (tmp_path / "slow.py").write_text(SLOW.format(mark=str(mark), nap=nap, base=str(base)), encoding="utf-8")
    code = f"from airflow_provider.cli import main, materialize\nmaterialize.GRACE_S = {grace}\nmain()"
    words = ["materialize", "slow", "--window", "2026-01-01..2026-01-31", "--from", str(tmp_path / "slow.py")]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 30
    while not mark.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    return process, base


def test_ctrl_c_lets_the_partition_at_hand_end_and_exits_with_130(tmp_path: Path) -> None:
    process, base = slow_run(tmp_path, nap=0.5, grace=60)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)

    assert process.returncode == 130
    assert "Traceback" not in out + err
    assert "  2026-01-01: committed" in out, err
    assert (base / "slow/day=2026-01-01/data.csv").is_file()
    assert not (base / "slow/day=2026-01-03").exists()


def test_a_second_ctrl_c_ends_at_once_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    process, base = slow_run(tmp_path, nap=60, grace=60)
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)

    assert process.returncode == 130
    assert time.monotonic() - begun < 20
    assert "Traceback" not in out + err
    assert not list(base.rglob("*.csv*"))


def test_a_call_that_does_not_return_is_left_after_a_while(tmp_path: Path) -> None:
    process, _ = slow_run(tmp_path, nap=60, grace=0.2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)

    assert process.returncode == 130
    assert "which is as it was" in err


def test_a_terminal_gets_a_bar_and_colours(folder: Path) -> None:
    ours, theirs = pty.openpty()
    words = ["materialize", "orders", "--window", "2026-01-01..2026-01-03", "--from", str(folder)]
    environment = {**os.environ, "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen(
        [sys.executable, "-m", "airflow_provider.cli", *words], stdout=theirs, stderr=theirs, env=environment
    )
    os.close(theirs)
    seen = b""
    try:
        while chunk := os.read(ours, 65536):
            seen += chunk
    except OSError:  # how Linux says that the other end is closed
        pass
    finally:
        os.close(ours)

    assert process.wait(timeout=30) == 0
    assert b"\x1b[" in seen
    assert "shop.orders: succeeded" in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen.decode())
