"""Errors say what, where and the fix, survive a trip to another process, and name the user's own line."""

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from airflow_provider import errors
from airflow_provider.errors import AssetsError, PartitionError, located

KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, AssetsError)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_needs_and_keeps_its_three_parts(kind: type[AssetsError]) -> None:
    error = kind("is wrong", where="asset 'a'", fix="mend it")

    assert str(error) == "asset 'a': is wrong\n  Fix: mend it"
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), copy.what, copy.where, copy.fix) == (kind, "is wrong", "asset 'a'", "mend it")
    with pytest.raises(TypeError):
        kind("is wrong")  # type: ignore[call-arg]


def raised_by(text: str, file: Path) -> BaseException:
    namespace: dict[str, Any] = {"json": json, "PartitionError": PartitionError}
    try:
        exec(compile(text, str(file), "exec"), namespace)
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def test_the_line_is_that_of_the_users_file_not_of_a_library(tmp_path: Path) -> None:
    file = tmp_path / "shop.py"

    assert located(raised_by("\njson.loads('x')", file)) == (
        f"JSONDecodeError: Expecting value: line 1 column 1 (char 0) (line 2 of {file})"
    )
    ours = raised_by("raise PartitionError('is wrong', where='a', fix='mend it')", file)
    assert located(ours) == f"a: is wrong\n  Fix: mend it\n  At: line 1 of {file}"


def test_without_a_line_the_error_is_told_as_it_is() -> None:
    assert located(ValueError("no")) == "ValueError: no"
    assert located(PartitionError("is wrong", where="a", fix="mend it")) == "a: is wrong\n  Fix: mend it"


def test_what_python_cannot_read_is_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "shop.py"

    assert located(raised_by("\ndef (", file)) == f"SyntaxError: invalid syntax (line 2 of {file})"
