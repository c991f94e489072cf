"""The shape of the repository: where things may stand, how they may be called, how long they may be."""

import ast
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "airflow_provider"

TOP_LEVEL = {
    ".ci", ".gitignore", "CHANGELOG.md", "Makefile", "README.md",
    "airflow_provider", "benchmarks", "docs", "example_dags", "pyproject.toml", "tests",
}  # fmt: skip
NAMED_FOR_NOTHING = {"base_utils", "common", "helper", "helpers", "misc", "tools", "util", "utils"}
LONGEST = 500
# A module that may be longer, and why.
LONGER: dict[str, str] = {}
# Modules without a test file of their own, and what tests them instead ("-": nothing named yet). It only shrinks.
UNMIRRORED = dict(
    line.split(maxsplit=1)
    for line in (Path(__file__).with_name("unmirrored.txt")).read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
)


def tracked() -> list[str]:
    """Paths that are or would be committed; without git, every path that is not hidden."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode == 0:
        return [path for path in listing.stdout.splitlines() if (ROOT / path).exists()]
    return [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file() and "/." not in str(path)]


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if "__pycache__" not in path.parts)


def mirror(module: Path) -> Path:
    relative = module.relative_to(PACKAGE)
    return ROOT / "tests" / "unit" / relative.parent / f"test_{relative.name}"


def name(module: Path) -> str:
    return str(module.relative_to(PACKAGE))


def needs_mirror(module: Path) -> bool:
    """An empty ``__init__`` or one that only gathers names has nothing to test."""
    return module.name not in {"__init__.py", "__main__.py"}


def test_nothing_new_stands_at_the_top() -> None:
    assert {path.split("/")[0] for path in tracked()} - TOP_LEVEL == set()


def test_no_module_is_named_for_nothing() -> None:
    named = [name(path) for path in modules() if path.stem in NAMED_FOR_NOTHING]

    assert named == []


def test_modules_stay_short() -> None:
    lengths = {name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in modules()}

    assert {module: lines for module, lines in lengths.items() if lines > LONGEST and module not in LONGER} == {}
    assert [module for module in LONGER if lengths.get(module, 0) <= LONGEST] == [], "no exception is needed any more"


def test_every_module_opens_by_saying_what_it_is_for() -> None:
    sources = {name(path): path.read_text(encoding="utf-8") for path in modules()}
    silent = [module for module, text in sources.items() if text and not ast.get_docstring(ast.parse(text))]

    assert silent == []


def test_every_module_has_a_test_file_where_one_looks_for_it() -> None:
    bare = [name(path) for path in modules() if needs_mirror(path) and not mirror(path).exists()]

    assert [module for module in bare if module not in UNMIRRORED] == []


def test_the_list_of_modules_without_a_test_file_only_shrinks() -> None:
    settled = [module for module in UNMIRRORED if not (PACKAGE / module).exists() or mirror(PACKAGE / module).exists()]

    assert settled == [], "take these off unmirrored.txt"
