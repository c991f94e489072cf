"""What every unit test has: an index of its own, and an empty memory store."""

import contextlib
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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


@pytest.fixture
def sqlite_file() -> Any:
    """A destination class of a user's own: tables and views in one SQLite file."""
    from airflow_provider.definitions.destination import Destination
    from airflow_provider.errors import DataNotFoundError

    class SqliteFile(Destination):
        key = "sqlite_file"
        dialect = "sqlite"
        representation = "rows"
        path: str

        def write_partition(self, context: Any, partition: Any, data: Any) -> None:
            name, column = self.reference(context.asset), context.column
            columns = ", ".join(data[0])
            with contextlib.closing(sqlite3.connect(self.path)) as db, db:
                db.execute(f"CREATE TABLE IF NOT EXISTS {name} ({columns})")
                where = f" WHERE {column} = ?" if column else ""
                db.execute(f"DELETE FROM {name}{where}", self._key(partition))
                db.executemany(
                    f"INSERT INTO {name} VALUES ({', '.join('?' * len(data[0]))})",
                    [tuple(map(str, row.values())) for row in data],
                )

        def read_partition(self, context: Any, partition: Any) -> Any:
            name, column = self.reference(context.asset), context.column
            with contextlib.closing(sqlite3.connect(self.path)) as db:
                db.row_factory = sqlite3.Row
                try:
                    found = db.execute(
                        f"SELECT * FROM {name}" + (f" WHERE {column} = ?" if column else ""), self._key(partition)
                    ).fetchall()
                except sqlite3.OperationalError:
                    raise DataNotFoundError("no table", where=name, fix="write it") from None
            return [dict(row) for row in found]

        def reference(self, asset: Any) -> str:
            return f'"{asset.dataset}__{asset.table}"' if asset.dataset else f'"{asset.table}"'

        def create_view(self, asset: Any, definition: Any) -> None:
            with contextlib.closing(sqlite3.connect(self.path)) as db, db:
                db.execute(f"DROP VIEW IF EXISTS {self.reference(asset)}")
                db.execute(f"CREATE VIEW {self.reference(asset)} AS {definition}")

        def _key(self, partition: Any) -> tuple[str, ...]:
            return () if partition is None else (partition.key,)

    return SqliteFile
