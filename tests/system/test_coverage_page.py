"""The page "Coverage" inside a real Airflow: what a person sees of a real run, and who is let in."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from airflow_provider.testing.airflow_instance import AirflowInstance

DAG_ID = "covered"
READER_ID = "coverage_reader"
ASSET = "covered.sales"
PAGE = "/asset-coverage"

COVERED = """
import airflow_provider as ap

@ap.source(dataset="covered")
class Covered(ap.Source):
    @ap.asset(partitioning=ap.TimePartitionConfig(column="day", start="2026-01-01", end="2026-01-10"))
    def sales(self, context: ap.ExecutionContext):
        if context.partition.key == "2026-01-04":
            raise ap.errors.AssetError('<img src=x onerror="window.pwned=1">', where="the shop", fix="none")
        return [{"day": context.partition_date, "amount": amount} for amount in range(5)]

dag = ap.build_dag(Covered(destinations=ap.CSVDestination(base_path="{env.AIRFLOW_HOME}/data")), schedule=None)
"""

# Reads the other DAG's asset without producing it, and produces an Airflow asset that is none of ours.
READER = """
from airflow.sdk import DAG, Asset as AirflowAsset, task

with DAG("coverage_reader", schedule=None):

    @task(inlets=[AirflowAsset.ref(name="covered.sales")], outlets=[AirflowAsset(name="bare", uri="s3://bare/it")])
    def look(): ...

    look()
"""


@pytest.fixture(scope="module", autouse=True)
def covered(airflow_instance: AirflowInstance) -> Iterator[None]:
    """A DAG whose asset holds three of ten days with a fourth one failed, and one that has no asset of ours."""
    files = {
        airflow_instance.dags_folder / f"{dag_id}.py": text for dag_id, text in ((DAG_ID, COVERED), (READER_ID, READER))
    }
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")
    airflow_instance.unpause(DAG_ID)
    for window in ("2026-01-01..2026-01-03", "2026-01-04"):
        run_id = airflow_instance.trigger(DAG_ID, conf={"window": window})
        [run] = airflow_instance.wait_for_runs(DAG_ID, run_ids=[run_id])
        assert run["state"] == ("failed" if window == "2026-01-04" else "success")
    airflow_instance.wait_for_dag(READER_ID)
    yield
    for path in files:
        path.unlink()


def ask(airflow: AirflowInstance, path: str, user: str | None = "admin", **params: str) -> httpx.Response:
    headers = {"Authorization": f"Bearer {airflow.client_of(user).token()}"} if user else {}
    with httpx.Client(trust_env=False, base_url=airflow.url, headers=headers) as client:
        return client.get(f"{PAGE}{path}", params=params)


def test_who_is_logged_in_and_may_read_the_dag_is_told(airflow_instance: AirflowInstance) -> None:
    for user in ("admin", "viewer"):
        [asset] = ask(airflow_instance, f"/dags/{DAG_ID}/assets", user).json()["assets"]
        assert (asset["name"], asset["granularity"]) == (ASSET, "day")
        answer = ask(airflow_instance, f"/dags/{DAG_ID}/coverage", user, asset=ASSET).json()
        assert answer["totals"] == {"held": 3, "untracked": 0, "missing": 7, "failed": 1, "rows": 15, "expected": 10}


def test_nobody_else_is(airflow_instance: AirflowInstance) -> None:
    for path in (f"/dags/{DAG_ID}/assets", f"/dags/{DAG_ID}/coverage?asset={ASSET}", "/dags/~/assets"):
        assert ask(airflow_instance, path, None).status_code == 401
        forged = httpx.get(
            f"{airflow_instance.url}{PAGE}{path}", headers={"Authorization": "Bearer x.y.z"}, trust_env=False
        )
        assert forged.status_code in {401, 403}


def test_another_dags_assets_are_not_there(airflow_instance: AirflowInstance) -> None:
    for dag_id in (READER_ID, "no_such_dag", "~"):
        assert ask(airflow_instance, f"/dags/{dag_id}/assets").json() == {"assets": []}
        for asset in (ASSET, "bare", "no.such", "%"):
            answer = ask(airflow_instance, f"/dags/{dag_id}/coverage", asset=asset)
            assert (answer.status_code, answer.json()) == (404, {"detail": "not found"})


@pytest.mark.browser
def test_a_person_sees_the_calendar_in_the_tab_of_the_dag(
    airflow_instance: AirflowInstance, page_of: Callable[[str], Any], tmp_path: Path
) -> None:
    page = page_of("admin")
    broken: list[str] = []
    page.on("pageerror", lambda error: broken.append(str(error)))
    page.goto(f"{airflow_instance.url}/dags/{DAG_ID}")
    page.get_by_role("link", name="Coverage").click()
    frame = page.frame_locator("iframe")

    cells = frame.locator("td[data-i]")
    cells.first.wait_for()
    labels = {label.split(",")[0]: label for label in cells.evaluate_all("all => all.map(one => one.ariaLabel)")}
    assert len(labels) == 10
    assert labels["2026-01-02"].startswith("2026-01-02, committed, 5 rows, at 20")
    assert "missing, last attempt failed" in labels["2026-01-04"]
    assert labels["2026-01-05"] == "2026-01-05, missing"
    assert frame.get_by_text("2026-01-04 … 2026-01-10 (7)").is_visible()
    assert frame.locator(".totals dd").all_inner_texts() == ["3", "7", "1", "15"]

    # An error is text, in the tooltip and in the list.
    frame.locator("td.failed").hover()
    assert "<img src=x" in frame.locator("#tip").inner_text()
    assert "<img src=x" in frame.locator(".failures").inner_text()
    assert frame.locator("img").count() == 0
    assert frame.locator("body").evaluate("() => window.pwned") is None
    page.screenshot(path=tmp_path / "coverage-light.png")

    # Without a mouse: the arrows walk over the days, the tooltip goes with them.
    cells.last.focus()
    before = cells.last.get_attribute("aria-label")
    page.keyboard.press("ArrowUp")
    focused = frame.locator("td[data-i]:focus")
    assert focused.get_attribute("aria-label") != before
    assert frame.locator("#tip b").inner_text() == focused.get_attribute("aria-label").split(",")[0]
    page.keyboard.press("Escape")
    assert frame.locator("#tip").is_hidden()

    page.emulate_media(color_scheme="dark")
    frame.locator("html.dark").wait_for()
    page.screenshot(path=tmp_path / "coverage-dark.png")
    assert broken == []


@pytest.mark.browser
def test_a_dag_without_assets_says_so(airflow_instance: AirflowInstance, page_of: Callable[[str], Any]) -> None:
    page = page_of("viewer")
    page.goto(f"{airflow_instance.url}/dags/{READER_ID}/plugin/asset-coverage")

    page.frame_locator("iframe").get_by_text("This DAG produces no assets of airflow-provider-assets").wait_for()
