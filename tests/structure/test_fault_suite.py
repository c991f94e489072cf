"""Every fault of the fault suite is tested by name: a test says ``F4: ...`` first thing in its docstring.

The bars behind the numbers stand beside them here; those of parts to come are listed with the reason.
"""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
BARS = {
    "F1": "kill -9 at random moments of a window write",
    "F2": "a crash at every call to the file system",
    "F3": "litter of killed writers: at most one file each, swept, never read",
    "F4": "several writers of one partition",
    "F5": "several writers of different partitions",
    "F6": "a late attempt against a newer one",
    "F7": "a retry after a part of a window",
    "F8": "a disk that is full, broken or forbidden",
    "F9": "reads during writes",
    "F10": "damaged files",
    "F11": "hostile partition keys",
    "F13": "pickles of strangers",
    "F14": "secrets in any output",
    "F16": "clock changes, leap days, naive datetimes",
    "F17": "memory of a window write and read",
}
LATER = {
    "F12": "hostile identifiers: comes with the SQL destinations",
    "F15": "workers of a real Airflow that are lost: comes with the destinations that several hosts share",
    "F18": "conditional puts: comes with object stores",
}
NAMED = re.compile(r"\bF\d+\b")


def named_by_tests() -> dict[str, list[str]]:
    """Fault -> the tests whose docstring begins with it."""
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                head = (ast.get_docstring(node) or "").partition(":")[0]
                for fault in NAMED.findall(head) if re.fullmatch(r"F\d+(, F\d+)*", head) else ():
                    found.setdefault(fault, []).append(f"{path.stem}::{node.name}")
    return found


def test_every_fault_of_this_part_is_tested_by_name() -> None:
    assert set(BARS) - set(named_by_tests()) == set()


def test_no_test_names_a_fault_that_is_unknown_or_still_to_come() -> None:
    assert set(named_by_tests()) - set(BARS) == set()
    assert not set(BARS) & set(LATER)
