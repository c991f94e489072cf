"""What an asset returned, brought to a form that destinations know.

Only shapes that mean rows are changed; every other object passes through untouched.
"""

import dataclasses
from collections.abc import Iterator
from typing import Any

from airflow_provider.schema.representations.polars import collected
from airflow_provider.schema.representations.reader import as_reader
from airflow_provider.schema.representations.table import TableData


def unwrap(value: Any, *, dataclass_rows: bool = False) -> Any:
    """Bring what an asset returned to tabular form, where it means rows.

    ``None`` is no rows, a dict or a model (Schema or pydantic instance) one row. A list, tuple, iterator or generator
    of dicts and models, in any mixture, is a list of dicts; an iterator is read to its end, one of Arrow tables or
    DataFrames is joined into one, and one of lists of rows, as of pages, into one list. A
    ``pyarrow.RecordBatchReader``, or what else hands out a stream of Arrow (a DuckDB relation), is read into a table;
    a polars ``LazyFrame`` is collected.

    Args:
        value: What was returned.
        dataclass_rows: Whether an instance of a dataclass is a row too: so where a schema is declared, while without
            one it may be an object that is stored as it is.
    """
    if dataclass_rows:
        value = _without_dataclasses(value)
    if value is None:
        return []
    row = _as_row(value)
    if row is not None:
        return [row]
    if (reader := as_reader(value)) is not None:
        return reader.read_all()
    if isinstance(value, Iterator):
        return _unwrap_items(_without_pages(list(value)))
    if type(value) in (list, tuple):
        return _unwrap_items(value)
    return collected(value)


def _without_dataclasses(value: Any) -> Any:
    """A dataclass instance as its fields; of a list, tuple or iterator each item."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, Iterator):
        return map(_without_dataclasses, value)
    if type(value) in (list, tuple) and any(map(dataclasses.is_dataclass, value)):
        return list(map(_without_dataclasses, value))
    return value


def _unwrap_items(items: Any) -> Any:
    """A list of rows where every item is one, else the items as they are."""
    if not items:
        return []
    if type(items) is list and set(map(type, items)) == {dict}:
        return items
    if (row := _as_row(items[0])) is None:
        return _join(items)
    rows = [row, *map(_as_row, items[1:])]
    return items if any(row is None for row in rows) else rows


def _join(items: Any) -> Any:
    """Join tables of one form; rows nested in a list stay nested, for they may mean a list."""
    parts = [TableData.of(item) for item in items]
    tables = [part for part in parts if part is not None and part.kind != "rows"]
    return TableData.concat(tables).value if len(tables) == len(items) else items


def _as_row(value: Any) -> dict[str, Any] | None:
    if isinstance(value, dict):
        return value
    kind = type(value)
    if type(kind).__name__ == "SchemaMeta":
        return dict(vars(value))
    if hasattr(kind, "model_fields") and hasattr(kind, "model_dump"):
        return dict(value.model_dump())
    return None


def _without_pages(items: list[Any]) -> list[Any]:
    """Rows and lists of rows as one list; anything else as it is. An iterator that gives lists gives pages."""
    if not any(type(item) in (list, tuple) for item in items):
        return items
    pages = [_unwrap_items(item if type(item) in (list, tuple) else [item]) for item in items]
    tables = [TableData.of(page) for page in pages]
    is_rows = all(table is not None and table.kind == "rows" for table in tables)
    return [row for page in pages for row in page] if is_rows else items


def is_row(value: Any) -> bool:
    """Whether ``value`` stands for one row: a dict, a model, an instance of a dataclass."""
    kind = type(value)
    return (
        isinstance(value, dict)
        or type(kind).__name__ == "SchemaMeta"
        or (hasattr(kind, "model_fields") and hasattr(kind, "model_dump"))
        or dataclasses.is_dataclass(kind)
    )
