from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
CONNECTED = """
import airflow_provider as ap

class Api(ap.Connection):
    key = "api"
    host: str

@ap.asset
def pulled(api: Api):
    return []

made = pulled(api=Api(conn_id="{conn_id}"), destinations=ap.CSVDestination(base_path="{base}"))
"""


def test_what_is_well_is_said_and_the_default_index_explained(run: Run, home: Path) -> None:
    done = run("doctor")

    assert done.exit_code == 0
    assert f"at parquet:{home}/data: writable, atomic" in done.stdout
    assert f"index at {home}/airflow_provider_index: writable" in done.stdout
    assert "the index is at its default place" in done.stdout


def test_an_index_of_ones_own_needs_no_note(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", str(tmp_path / "index"))

    done = run("doctor")

    assert f"index at {tmp_path}/index: writable" in done.stdout
    assert "default" not in done.stdout


def test_a_destination_that_is_a_file_is_wrong_with_its_fix(run: Run, home: Path) -> None:
    home.mkdir()
    (home / "data").write_text("in the way", encoding="utf-8")

    done = run("doctor")

    assert done.exit_code == 1
    assert done.stdout.count("WRONG") == 1
    assert "Fix: " in done.stdout


def test_an_index_that_cannot_be_written_is_wrong(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", str(tmp_path / "file" / "index"))

    done = run("doctor")

    assert done.exit_code == 1
    assert f"index at {tmp_path}/file/index: cannot be written" in done.stdout


def test_connections_are_looked_up_and_their_secrets_not_shown(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_SHOP_API", '{"conn_type": "http", "host": "h", "password": "hidden-word"}')
    (tmp_path / "connected.py").write_text(CONNECTED.format(conn_id="shop_api", base=tmp_path), encoding="utf-8")

    done = run("doctor", origin=tmp_path / "connected.py")

    assert done.exit_code == 0
    assert "connection 'shop_api': found, of type 'http'" in done.stdout
    assert "hidden-word" not in done.stdout + done.stderr


def test_a_connection_that_is_not_there_is_wrong_with_its_fix(run: Run, tmp_path: Path) -> None:
    (tmp_path / "lonely.py").write_text(CONNECTED.format(conn_id="nowhere_api", base=tmp_path), encoding="utf-8")

    done = run("doctor", origin=tmp_path / "lonely.py")

    assert done.exit_code == 1
    assert "AIRFLOW_CONN_NOWHERE_API" in done.stdout


def test_a_definition_that_cannot_be_loaded_is_among_the_findings(run: Run, folder: Path) -> None:
    (folder / "bad.py").write_text("import airflow_provider\n1 / 0\n", encoding="utf-8")

    done = run("doctor")

    assert done.exit_code == 1
    assert f"WRONG  definition {folder / 'bad.py'}: ZeroDivisionError" in done.stdout


UNFILLED = """
import airflow_provider as ap

class Api(ap.Connection):
    conn_id: str = "nowhere"
    host: str

class Page(ap.Config):
    page_size_of_the_api: int

@ap.asset
def pulled(api: Api):
    return []

@ap.asset
def paged(page: Page):
    return []
"""


def test_what_an_asset_would_fill_by_itself_and_cannot_is_wrong(run: Run, tmp_path: Path) -> None:
    (tmp_path / "unfilled.py").write_text(UNFILLED, encoding="utf-8")

    done = run("doctor", "--from", str(tmp_path / "unfilled.py"))

    assert done.exit_code == 1
    assert "WRONG  asset 'paged'" in done.stdout
    assert "'nowhere'" in done.stdout


BOTH = """
import airflow_provider as ap

class Api(ap.Connection):
    host: str

class Page(ap.Config):
    page_size_of_the_api: int

@ap.asset
def pulled(page: Page, api: Api):
    return []

@ap.asset
def lost(api: Api):
    return []

made = pulled(api=Api(conn_id="there"))
gone = lost(api=Api(conn_id="nowhere"))
"""


def test_a_connection_that_is_bound_hides_no_other_gap_and_is_told_once(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_THERE", '{"conn_type": "http", "host": "h"}')
    (tmp_path / "both.py").write_text(BOTH, encoding="utf-8")

    done = run("doctor", "--from", str(tmp_path / "both.py"))

    assert done.exit_code == 1
    assert "WRONG  asset 'pulled': parameter 'page' needs a Page" in done.stdout
    assert done.stdout.count("WRONG  connection 'nowhere'") == 1
    assert done.stdout.count("'nowhere'") == 1


def test_a_client_that_says_what_is_wrong_with_it_is_heard(run: Run, home: Path) -> None:
    text = CONNECTED.replace("class Api(ap.Connection):", "class Api(ap.Resource):").replace(
        "    host: str\n", "    host: str\n    def check(self):\n        return [self.host + ' does not answer']\n"
    )
    file = home.parent / "client_dag.py"
    file.write_text(text.format(conn_id="x", base=home / "data").replace("conn_id=", "host="), encoding="utf-8")

    done = run("doctor", "--from", str(file))

    assert done.exit_code == 1
    assert "resource 'api': x does not answer" in done.stdout
