"""What every unit test has: an index of its own, and an empty memory store."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def index_uri(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The deployment's index, in the test's own folder."""
    root = tmp_path / "index"
    monkeypatch.setenv("AIRFLOW__AIRFLOW_PROVIDER__INDEX_URI", str(root))
    yield root
    memory = sys.modules.get("airflow_provider.destinations.memory")
    if memory is not None:
        memory.MemoryDestination.clear()
