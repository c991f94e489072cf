"""The contract suite from outside, in five lines: a good destination passes, each bug is told by a test of its name."""

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

FIVE_LINES = """
from airflow_provider.testing import DestinationContract
from other_package import {name}
class Test{name}(DestinationContract):
    def make(self, folder): return {name}(root=str(folder))
"""

# The bug -> the tests that must fail, and which alone are run for it; for the good one all are.
TOLD_BY = {
    "SaysItIsAtomic": [
        "test_a_crash_at_any_moment_is_survived",
        "test_the_committer_keeps_the_guarantee_that_the_destination_states",
    ],
    "ClobbersNeighbours": ["test_neighbours_are_untouched", "test_a_window_equals_its_partitions_one_by_one"],
    "DropsZones": ["test_a_python_type_survives[aware_datetime]"],
    "NeverAwaits": ["test_no_async_hook_is_left_unawaited", "test_twice_is_once"],
    "AwaitsOnlyInPartitions": [
        "test_no_async_hook_is_left_unawaited",
        "test_a_write_by_hand_stores_every_partition_of_the_window",
    ],
    "LosesTheLastDay": ["test_a_write_by_hand_stores_every_partition_of_the_window"],
    "MissesTheWrongDays": ["test_a_hole_in_a_window_is_named", "test_a_window_without_holes_misses_nothing"],
    "Appends": ["test_twice_is_once", "test_fewer_rows_leave_nothing_of_the_old_ones"],
    "MixesKeys": ["test_every_key_is_kept_apart_or_refused_before_anything_is_written"],
    "LeavesATornFileThatBlocksIt": ["test_a_crash_at_any_moment_is_survived"],
    "WidensInts": [
        "test_an_arrow_type_survives[int8]",
        "test_a_type_is_read_back_as_the_type_map_says_or_refused_before_the_first_write[int8]",
    ],
    "SharesItsValues": [
        "test_a_producer_that_changes_its_data_later_changes_nothing",
        "test_a_reader_that_changes_what_it_read_changes_nothing",
    ],
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """Destination -> test -> how it ended, of one run in a folder that is not this project's."""
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "other_package.py").write_text(Path(__file__).with_name("other_package.py").read_text())
    for name in ["Pickles", *TOLD_BY]:
        (folder / f"test_{name.lower()}.py").write_text(FIVE_LINES.format(name=name))
    told = [f"test_{bug.lower()}.py::Test{bug}::{test}" for bug, tests in TOLD_BY.items() for test in tests]
    options = ["-q", "-p", "no:cacheprovider", "--tb=line", "--junit-xml=report.xml"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "test_pickles.py", *told],
        cwd=folder,
        env={**os.environ, "AIRFLOW_HOME": str(folder / "home"), "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode in (0, 1), done.stdout[-3000:] + done.stderr[-3000:]
    found: dict[str, dict[str, str]] = {}
    for case in ET.parse(folder / "report.xml").iter("testcase"):
        ended = next((child.tag for child in case if child.tag in ("failure", "error", "skipped")), "passed")
        found.setdefault(case.get("classname", "").rpartition(".Test")[2], {})[case.get("name", "")] = ended
    return found


def test_a_tiny_good_destination_passes_every_test(results: dict[str, dict[str, str]]) -> None:
    found = results["Pickles"]
    assert {name: ended for name, ended in found.items() if ended not in ("passed", "skipped")} == {}
    assert len(found) > 70


@pytest.mark.parametrize(("bug", "test"), [(bug, test) for bug, tests in TOLD_BY.items() for test in tests])
def test_a_bug_is_told_by_a_named_test(bug: str, test: str, results: dict[str, dict[str, str]]) -> None:
    assert results[bug][test] == "failure"
