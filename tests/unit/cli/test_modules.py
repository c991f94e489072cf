import sys
from pathlib import Path

from airflow_provider.cli.modules import files_in, module_of_file, module_of_name


def test_files_that_do_not_mention_the_package_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / ".hidden").mkdir()
    for name in ("ours.py", "sub/ours.py", ".hidden/ours.py"):
        (tmp_path / name).write_text("import airflow_provider\n", encoding="utf-8")
    (tmp_path / "theirs.py").write_text("raise SystemExit\n", encoding="utf-8")

    assert files_in(tmp_path) == [tmp_path / "ours.py", tmp_path / "sub" / "ours.py"]


def test_a_file_is_the_module_that_its_neighbours_import(tmp_path: Path) -> None:
    (tmp_path / "neighbour_one.py").write_text("value = object()\n", encoding="utf-8")
    (tmp_path / "neighbour_two.py").write_text("from neighbour_one import value\n", encoding="utf-8")

    two = module_of_file(tmp_path / "neighbour_two.py", root=tmp_path)
    one = module_of_file(tmp_path / "neighbour_one.py", root=tmp_path)

    assert one.value is two.value
    assert one.__name__ == "neighbour_one"


def test_a_file_whose_name_is_taken_gets_one_of_its_own(tmp_path: Path) -> None:
    import json

    (tmp_path / "json.py").write_text("value = 1\n", encoding="utf-8")

    assert module_of_file(tmp_path / "json.py", root=tmp_path).value == 1
    assert sys.modules["json"] is json


def test_a_file_of_a_package_can_import_its_package(tmp_path: Path) -> None:
    package = tmp_path / "package_of_test"
    package.mkdir()
    (package / "__init__.py").write_text("value = 3\n", encoding="utf-8")
    (package / "part.py").write_text("from package_of_test import value\n", encoding="utf-8")

    module = module_of_file(package / "part.py", root=package)

    assert (module.__name__, module.value) == ("package_of_test.part", 3)


def test_a_module_is_found_in_the_working_folder(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "here_of_test.py").write_text("value = 2\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    assert module_of_name("here_of_test").value == 2
