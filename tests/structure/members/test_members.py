"""Every documented member is there, with its name and its default, or stands on the list of what is not built yet.

``not_built.txt`` only shrinks: an id that is there by now must be taken off. To write it anew after a larger change:
``python tests/structure/members/check_members.py --list > not_built.txt`` and move it here.
"""

import importlib.util
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).parent


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
