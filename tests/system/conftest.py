"""A real Airflow, shared by all tests of this folder, and a real browser to look at it with.

All of them run in one worker (see ``tests/conftest.py``), one after another: the instance is theirs together. A test
that needs a DAG of its own writes it with ``dag_file`` and chooses a DAG id that no other test uses.
"""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from airflow_provider.testing.airflow_instance import AirflowInstance

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "example_dags"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# No sandbox as root; nothing that asks hosts outside for updates.
BROWSER_FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.system)


@pytest.fixture(scope="session")
def airflow_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("airflow")


@pytest.fixture(scope="session")
def airflow_instance(airflow_home: Path) -> Iterator[AirflowInstance]:
    """Scheduler, DAG processor, triggerer and API server, with every example DAG, each paused."""
    dags = airflow_home / "dags"
    shutil.copytree(EXAMPLES, dags, ignore=shutil.ignore_patterns("__pycache__", "run_demo.py"))
    with AirflowInstance(airflow_home / "home", dags_folder=dags) as instance:
        yield instance


@pytest.fixture
def dag_file(airflow_instance: AirflowInstance) -> Iterator[Callable[[str, str], None]]:
    """Write a DAG file and wait until its DAG is there; it is removed after the test."""
    written: list[Path] = []

    def write(dag_id: str, text: str) -> None:
        path = airflow_instance.dags_folder / f"{dag_id}.py"
        path.write_text(text, encoding="utf-8")
        written.append(path)
        airflow_instance.wait_for_dag(dag_id)

    yield write
    for path in written:
        path.unlink()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium without a window.

    Not for the whole session: its driver keeps an event loop running in this thread, where others want their own.
    """
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is on PATH")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=program, args=BROWSER_FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def page_of(airflow_instance: AirflowInstance, browser: Any) -> Iterator[Callable[[str], Any]]:
    """A page on which a user, ``admin`` or ``viewer``, is logged in."""
    contexts = []

    def log_in(username: str) -> Any:
        context = browser.new_context(viewport={"width": 1400, "height": 900})
        contexts.append(context)
        page = context.new_page()
        page.goto(f"{airflow_instance.url}/")
        page.fill("input[name=username]", username)
        page.fill("input[name=password]", airflow_instance.passwords[username])
        page.click("button[type=submit]")
        page.wait_for_url(lambda url: "/login" not in url)
        return page

    yield log_in
    for context in contexts:
        context.close()
