"""Every documented member is there, or on the list of what is not built yet; every behaviour is named by a test.

A test names a behaviour's id in its docstring (``D091: stored whole under every partition.``) or in its name. Ids of
other members may be named, too; one that no row has is a typing error.

``not_built.txt`` only shrinks: an id that is there by now must be taken off. To write it anew after a larger change:
``python tests/structure/members/check_members.py --list > not_built.txt`` and move it here.
"""

import ast
import importlib.util
import re
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).parent
TESTS = HERE.parents[1]
ID = re.compile(r"(?<![A-Za-z0-9])[A-Z]\d{3}(?![A-Za-z0-9])")

DONE = ("core",)
"""The parts of which every behaviour must be tested by name; a part joins when it is built."""


def checker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_members", HERE / "check_members.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def not_built() -> list[str]:
    return (HERE / "not_built.txt").read_text(encoding="utf-8").split()


def test_what_is_not_there_stands_on_the_list_and_nothing_else_does() -> None:
    check = checker()
    listed = set(not_built())
    unlisted, found = [], []
    for row in check.read():
        verdict, reason = check.judge(row)
        if verdict in {check.MISSING, check.WRONG} and row["id"] not in listed:
            unlisted.append(f"{row['id']} {row['member']}: {reason}")
        if verdict == check.PRESENT and row["id"] in listed:
            found.append(row["id"])

    assert unlisted == [], "members that were there, or were promised, are missing"
    assert found == [], "these are built: take them off not_built.txt"


def test_the_list_names_known_members_once_each_in_order() -> None:
    known = [row["id"] for row in checker().read()]
    listed = not_built()

    assert [one for one in listed if one not in known] == []
    assert listed == [one for one in known if one in set(listed)]


def named(root: Path = TESTS) -> dict[str, list[str]]:
    """Tests by the ids that their docstrings and names hold."""
    found: dict[str, list[str]] = {}
    for path in sorted(root.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test_"):
                for one in ID.findall(f"{ast.get_docstring(node) or ''} {node.name.upper().replace('_', ' ')}"):
                    found.setdefault(one, []).append(f"{path.name}::{node.name}")
    return found


def test_every_behaviour_of_the_parts_that_are_done_is_named_by_a_test() -> None:
    check, tested = checker(), named()

    missing = [
        f"{row['id']} {row['member']}: {row['expected']}"
        for row in check.read()
        if row["part"] in DONE and row["kind"] in check.NOT_CHECKABLE and row["id"] not in tested
    ]

    assert missing == []


def test_no_test_names_an_id_that_no_row_has() -> None:
    rows = list(checker().read())
    known, letters = {row["id"] for row in rows}, {row["id"][0] for row in rows}

    assert {one: where for one, where in named().items() if one not in known and one[0] in letters} == {}


def test_names_are_read_from_docstrings_and_names_of_tests_only(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(
        'def test_a():\n    """D001, A002: x."""\n\ndef test_s003_works(): ...\n\n'
        'def helper():\n    """D004."""\n\nD005 = "D006"  # D007\n',
        encoding="utf-8",
    )

    assert sorted(named(tmp_path)) == ["A002", "D001", "S003"]
