import os
from pathlib import Path

import pytest

from airflow_provider.cli.bundle import load, origins_of
from airflow_provider.errors import AssetNotFoundError

ASSET = """
import airflow_provider as ap

@ap.asset
def {key}():
    return []
"""


def write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_the_options_win_over_the_environment_and_that_over_airflows_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_HOME", "/airflow")
    assert origins_of([]) == ("/airflow/dags",)

    monkeypatch.setenv("AIRFLOW__CORE__DAGS_FOLDER", "/dags")
    assert origins_of([]) == ("/dags",)

    monkeypatch.setenv("AIRFLOW_ASSETS_FROM", os.pathsep.join(["/a", "b"]))
    assert origins_of([]) == ("/a", "b")
    assert origins_of(["c"]) == ("c",)


def test_a_file_a_folder_and_a_module_add_up(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    single = write(tmp_path / "single_file.py", ASSET.format(key="single"))
    write(tmp_path / "single_module.py", ASSET.format(key="other"))

    bundle = load([str(folder), single, "single_module"])

    assert bundle.problems == []
    assert {"shop.orders", "single", "other"} <= set(bundle.graph.assets)


def test_what_is_not_there_is_a_problem_with_its_name(folder: Path, tmp_path: Path) -> None:
    bundle = load([str(folder), str(tmp_path / "none.py"), "no_such_module"])

    assert [problem.name for problem in bundle.problems] == [str(tmp_path / "none.py"), "no_such_module"]
    assert "shop.orders" in bundle.graph.assets


def test_a_file_that_exits_is_a_problem_and_no_exit(tmp_path: Path) -> None:
    bundle = load([write(tmp_path / "leaves.py", "import sys\nsys.exit(3)\n")])

    assert bundle.problems[0].text.startswith("SystemExit: 3 (line 2 of ")


def test_a_dag_tells_with_which_destinations_an_asset_is_used(tmp_path: Path) -> None:
    text = (
        ASSET.format(key="greetings")
        + "dag = ap.build_dag(greetings(destinations=ap.CSVDestination(base_path='/lake')))\n"
    )

    bundle = load([write(tmp_path / "small_dag.py", text)])

    assert [one.address for one in bundle.find("greetings").destinations] == ["csv:/lake"]


def test_a_dag_that_no_variable_keeps_is_seen_too(tmp_path: Path) -> None:
    text = ASSET.format(key="kept") + "ap.build_dags([kept(destinations=ap.CSVDestination(base_path='/lake'))])\n"

    bundle = load([write(tmp_path / "lost_dag.py", text)])

    assert len(bundle.find("kept").destinations) == 1


def test_a_definition_that_build_dags_replaced_by_a_stub_is_one_problem(folder: Path) -> None:
    with (folder / "shop.py").open("a", encoding="utf-8") as file:
        file.write(
            "\n@ap.asset\ndef reader(orderz: ap.Upstream): ...\n\nlonely = reader()\nap.build_dags(shop, lonely)\n"
        )

    bundle = load([str(folder)])

    assert len(bundle.problems) == 1
    assert "'orderz', which is not there" in bundle.problems[0].text
    assert "shop.orders" in bundle.graph.assets


def test_definitions_imported_from_a_neighbour_are_there_once(folder: Path) -> None:
    write(folder / "a_dag.py", "import airflow_provider as ap\nfrom shop import shop, Shop\n\ndag = None\n")

    assert load([str(folder)]).problems == []


def test_two_assets_of_one_name_are_a_problem_that_names_both_files(tmp_path: Path) -> None:
    one = write(tmp_path / "twin_one.py", ASSET.format(key="twin"))
    two = write(tmp_path / "twin_two.py", ASSET.format(key="twin"))

    (problem,) = load([one, two]).problems

    assert f"is defined twice: in {one} and in {two}" in str(problem)


def test_a_cycle_is_a_problem_and_the_others_stay(tmp_path: Path) -> None:
    text = """
import airflow_provider as ap

@ap.source
class Round(ap.Source):
    @ap.asset
    def hen(self, egg: ap.Upstream): ...

    @ap.asset
    def egg(self, hen: ap.Upstream): ...

    @ap.asset
    def free(self): ...
"""
    bundle = load([write(tmp_path / "cycle.py", text)])

    assert len(bundle.problems) == 1
    assert list(bundle.graph.assets) == ["round.free"]


def test_assets_are_found_by_bare_and_by_qualified_key(folder: Path) -> None:
    bundle = load([str(folder)])

    assert bundle.find("orders") is bundle.find("shop.orders")
    assert [asset.key for asset in bundle.select(["totals", "orders"])] == ["orders", "totals"]
    with pytest.raises(AssetNotFoundError, match="did you mean 'orders'"):
        bundle.find("order")


def test_two_instances_of_one_asset_in_one_file_are_told_as_that(tmp_path: Path) -> None:
    file = write(tmp_path / "pair.py", ASSET.format(key="pair") + "\n\nhere, there = pair(), pair()\n")

    (problem,) = load([file]).problems

    assert f"is there twice: {file} makes two instances of one asset" in str(problem)


def test_two_assets_of_one_key_in_one_file_are_told_as_that(tmp_path: Path) -> None:
    first = ASSET.format(key="pair")
    second = first[first.index("@") :].replace("def pair", "def other").replace("@ap.asset", "@ap.asset(key='pair')")
    file = write(tmp_path / "pair.py", f"{first}\n\n{second}")

    (problem,) = load([file]).problems

    assert f"is defined twice in {file}" in str(problem)
