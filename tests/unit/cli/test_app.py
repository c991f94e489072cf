import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
COMMANDS = ["list", "show", "explain", "materialize", "coverage", "doctor", "check", "index"]


def test_the_help_names_every_command(run: Run, shell: Run) -> None:
    help_text = shell("--help").stdout

    assert all(f"\n  {command} " in help_text for command in COMMANDS)


def test_it_is_also_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "airflow_provider.cli", "--version"], capture_output=True, text=True)

    assert (done.returncode, done.stdout.strip()) == (0, __import__("airflow_provider").__version__)


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_without_the_extra_it_says_which_to_install(shell: Run, missing: str) -> None:
    done = shell("list", python=f"import sys; sys.modules[{missing!r}] = None")

    assert done.returncode == 2
    assert "pip install 'airflow-provider-assets[cli]'" in done.stderr
    assert done.stdout == ""


def test_importing_the_entry_point_needs_neither_typer_nor_rich() -> None:
    code = "import sys; import airflow_provider.cli; print('typer' in sys.modules, 'rich' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.split() == ["False"] * 2


def test_definitions_alone_are_listed_without_airflow_and_without_pandas(shell: Run) -> None:
    done = shell("list", python="import sys; sys.modules['airflow'] = sys.modules['pandas'] = None")

    assert (done.returncode, done.stderr) == (0, "")
    assert "shop.totals" in done.stdout


def test_what_is_no_terminal_gets_no_colour_even_where_the_environment_asks_for_it(shell: Run) -> None:
    for words in (["list"], ["coverage"], ["show", "orders"], ["explain", "orders"], ["--help"], ["list", "--no-such"]):
        done = shell(*words, FORCE_COLOR="1", TTY_COMPATIBLE="1", GITHUB_ACTIONS="true")

        assert "\x1b" not in done.stdout + done.stderr, words


def test_a_line_is_not_wrapped_in_a_pipe(shell: Run) -> None:
    assert any(
        line.split()[-2:] == ["Parquet", "shop.orders"] for line in shell("list", COLUMNS="20").stdout.splitlines()
    )


def test_a_bad_file_is_named_with_its_error_and_the_others_are_there(run: Run, folder: Path) -> None:
    (folder / "bad.py").write_text("import airflow_provider\n\nraise RuntimeError('no luck')\n", encoding="utf-8")

    done = run("list")

    assert done.exit_code == 1
    assert "shop.orders" in done.stdout
    assert f"{folder / 'bad.py'}: RuntimeError: no luck (line 3 of " in done.stderr


def test_check_prints_every_problem(run: Run, folder: Path) -> None:
    (folder / "bad.py").write_text("import airflow_provider as\n", encoding="utf-8")
    (folder / "worse.py").write_text(
        "import airflow_provider as ap\n\n@ap.asset\ndef reader(orderz: ap.Upstream): ...\n", encoding="utf-8"
    )

    done = run("check")

    assert done.exit_code == 1
    assert "bad.py: SyntaxError" in done.stdout
    assert "asset 'reader': parameter 'orderz' reads 'orderz', which is not there" in done.stdout
    assert done.stdout.splitlines()[-1] == "2 problems"


def test_check_of_what_is_right_says_so(run: Run) -> None:
    done = run("check")

    assert (done.exit_code, done.stdout.startswith("4 assets in ")) == (0, True)


def test_an_unknown_asset_is_answered_with_a_close_one(run: Run) -> None:
    for words in (["show", "totls"], ["explain", "totls"], ["materialize", "totls"], ["coverage", "totls"]):
        done = run(*words)

        assert done.exit_code == 1
        assert "no asset is called 'totls'; did you mean 'totals'?" in done.stderr, words


def test_a_path_in_the_place_of_an_asset_is_recognised(run: Run, folder: Path) -> None:
    assert f"write --from {folder}" in run("coverage", str(folder)).stderr


def test_options_that_contradict_each_other_are_not_understood(run: Run) -> None:
    assert run("coverage", "--window", "2026-01-01", "--since", "2026-01-01").exit_code == 2


def test_an_empty_place_says_how_to_name_another(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    done = run("list", origin=tmp_path / "empty")

    assert done.exit_code == 1
    assert "holds no asset" in done.stderr
    assert "--from" in done.stderr


def test_what_a_definition_prints_does_not_mix_with_the_results(shell: Run, folder: Path) -> None:
    with (folder / "shop.py").open("a", encoding="utf-8") as file:
        file.write("\nprint('hello from the module')\n")

    done = shell("coverage", "--json")

    assert json.loads(done.stdout)["version"] == 1
    assert "hello from the module" in done.stderr


def test_the_logs_of_airflow_stay_away_from_stdout(shell: Run, folder: Path) -> None:
    (folder / "dag.py").write_text(
        "import airflow_provider as ap\nfrom shop import shop\n\n"
        "import logging\nfrom airflow.sdk import DAG\n\n"
        "dags = ap.build_dags(shop)\nlogging.getLogger('airflow.x').info('hush')\nlogging.warning('beware')\n",
        encoding="utf-8",
    )

    done = shell("coverage", "--json")

    assert [one["asset"] for one in json.loads(done.stdout)["assets"]] == [
        "shop.orders", "shop.ticks", "shop.whole", "shop.totals",
    ]  # fmt: skip
    assert "hush" not in done.stderr
    assert "beware" in done.stderr
