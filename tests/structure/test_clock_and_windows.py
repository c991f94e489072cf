"""Two rules that a glance at the source can keep: who may read the clock, and who may look at the window."""

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "airflow_provider"
CLOCK = {"now", "today", "utcnow"}  # ruff refuses time.time()
# Module, and what it needs the wall clock for. Keys and data take their time from the run.
MAY_READ_THE_CLOCK = {
    "cli/app.py": "which partitions are complete by now",
    "cli/rebuild.py": "when untracked data was seen",
    "definitions/destination.py": "when it was committed",
    "destinations/commit.py": "how old a staged file is",
    "destinations/lease.py": "until when a lease holds",
    "execution/journal.py": "when the attempt was noted",
    "execution/materialize.py": "when the attempt began",
    "plugins/coverage/app.py": "which partitions are complete by now",
}


def calls(path: Path) -> Iterator[ast.Attribute]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node.func


def reads_the_clock(path: Path) -> bool:
    return any(
        call.attr in CLOCK and ast.unparse(call.value).split(".")[-1] in {"datetime", "date", "pendulum"}
        for call in calls(path)
    )


def test_only_these_modules_read_the_wall_clock() -> None:
    found = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if "testing" not in path.parts and reads_the_clock(path)
    }

    assert found == set(MAY_READ_THE_CLOCK)


def test_destinations_never_look_at_the_window() -> None:
    """D079."""
    looking = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for folder in ("destinations", "storage")
        for path in sorted((PACKAGE / folder).glob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in {"window", "_window"}
    ]

    assert looking == []
