"""Every Python block of the README and the docs runs, one page after the other in a process and a folder of its own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def page_id(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", [page for page in PAGES if BLOCK.search(page.read_text())], ids=page_id)
def test_the_code_of_a_page_runs_from_top_to_bottom(page: Path, tmp_path: Path) -> None:
    (tmp_path / "page.py").write_text("\n\n".join(BLOCK.findall(page.read_text())))
    environment = {**os.environ, "AIRFLOW_HOME": str(tmp_path / "home"), "AIRFLOW__CORE__LOAD_EXAMPLES": "False"}

    done = subprocess.run(
        [sys.executable, "page.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=180
    )

    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    missing = [target for target in LINK.findall(page.read_text()) if not (page.parent / target).exists()]

    assert missing == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        waiting += [(page.parent / target).resolve() for target in LINK.findall(page.read_text())]

    assert [page_id(page) for page in PAGES if page not in reached] == []


@pytest.mark.parametrize("page", [page for page in PAGES if COMMANDS.search(page.read_text())], ids=page_id)
def test_the_commands_of_a_page_end_as_it_says(page: Path, tmp_path: Path) -> None:
    """A block that begins with ``# dags/<name>.py`` is that file; the others run first; then the commands, in order."""
    blocks = BLOCK.findall(page.read_text())
    (tmp_path / "dags").mkdir()
    for block in (block for block in blocks if block.startswith("# dags/")):
        (tmp_path / block.partition("\n")[0].removeprefix("# ")).write_text(block)
    (tmp_path / "page.py").write_text("\n\n".join(block for block in blocks if not block.startswith("# dags/")))
    environment = {
        **os.environ,
        "AIRFLOW_HOME": str(tmp_path / "home"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW_ASSETS_FROM": "dags",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    environment.pop("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", None)
    said = f"{sys.executable} page.py\n" + "".join(COMMANDS.findall(page.read_text()))

    for line in said.splitlines():
        status = re.search(r"# ends with (\d+)$", line)
        done = subprocess.run(
            line, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=180
        )
        assert done.returncode == int(status[1] if status else 0), f"{line}\n{done.stdout}\n{done.stderr}"


def test_the_destination_of_the_how_to_passes_the_contract(tmp_path: Path) -> None:
    page = (ROOT / "docs/how-to/write-a-destination.md").read_text()
    blocks = re.findall(r"^```python(?: no-run)?\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    (tmp_path / "test_page.py").write_text("\n\n".join(blocks))
    environment = {**os.environ, "AIRFLOW_HOME": str(tmp_path / "home"), "AIRFLOW__CORE__LOAD_EXAMPLES": "False"}

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_page.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=180,
    )

    assert done.returncode == 0, done.stdout[-3000:]
    assert " passed" in done.stdout
