"""What an asset returned, brought to a form that destinations know.

Only shapes that mean rows are changed; every other object passes through untouched.
"""

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

from airflow_provider.errors import AssetError
from airflow_provider.schema.representations.polars import collected
from airflow_provider.schema.representations.reader import as_reader
from airflow_provider.schema.representations.table import TableData


def unwrap(value: Any, *, dataclass_rows: bool = False, where: str = "data") -> Any:
    """Bring what an asset returned to tabular form, where it means rows.

    ``None`` is no rows, a dict or a model (Schema or pydantic instance) one row. A list, tuple, iterator or generator
    of dicts and models, in any mixture, is a list of dicts, and of Arrow tables or DataFrames one of these; tables of
    several forms, or next to rows, are joined as Arrow. An iterator is read to its end; its lists of rows are pages. A
    ``pyarrow.RecordBatchReader``, or what else hands out a stream of Arrow (a DuckDB relation), is read into a table;
    a polars ``LazyFrame`` is collected.

    Args:
        value: What was returned.
        dataclass_rows: Whether an instance of a dataclass is a row too: so where a schema is declared, while without
            one it may be an object that is stored as it is.
        where: Whose it is, for messages.

    Raises:
        AssetError: Some items are rows or tables and others are not; the first of those is named.
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
        return _unwrap_items(list(value), where, "yielded", pages=True)
    if type(value) in (list, tuple):
        return _unwrap_items(value, where, "returned", pages=False)
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


def _unwrap_items(items: Any, where: str, verb: str, *, pages: bool) -> Any:
    """One list of rows or one table out of all items; the items as they are where none is a row or a table.

    Args:
        items: A list or tuple.
        where: Whose they are, for messages.
        verb: What was done with them, for messages.
        pages: Whether an item that is a list of rows stands for them; else it may mean a list, and stays.
    """
    if type(items) is list and set(map(type, items)) == {dict}:
        return items
    if not items:
        return []
    parts = [_part(item, where, verb, pages=pages) for item in items]
    odd = next((number for number, part in enumerate(parts) if part is None), None)
    if odd is None:
        return _join([part for part in parts if part is not None], where)
    if all(part is None or (part.kind == "rows" and part.is_empty) for part in parts):
        return items
    raise AssetError(
        f"{verb} a {type(items[odd]).__name__} as item {odd}, which is neither a row nor a table, though others are",
        where=where,
        fix="leave that item out, or give rows, models, Arrow tables or DataFrames only",
    )


def _part(item: Any, where: str, verb: str, *, pages: bool) -> TableData | None:
    """The rows that an item stands for, or None."""
    if (row := _as_row(item)) is not None:
        return TableData.of([row])
    if type(item) in (list, tuple):
        return TableData.of(_unwrap_items(item, where, verb, pages=False)) if pages else None
    if (reader := as_reader(item)) is not None:
        return TableData.of(reader.read_all())
    return TableData.of(collected(item))


def _join(parts: list[TableData], where: str) -> Any:
    """Rows as one list, tables of one form as one of that form, a mixture as Arrow."""
    filled = [part for part in parts if part.kind != "rows" or not part.is_empty]
    runs: list[TableData] = []
    for kind, run in itertools.groupby(filled, key=lambda part: part.kind):
        alike = list(run)
        if kind == "rows":
            runs.append(alike[0].with_value([row for part in alike for row in part.value]))
        else:
            runs.extend(alike)
    return TableData.concat(runs, where=where).value if runs else []


def _as_row(value: Any) -> dict[str, Any] | None:
    if isinstance(value, dict):
        return value
    kind = type(value)
    if type(kind).__name__ == "SchemaMeta":
        return dict(vars(value))
    if hasattr(kind, "model_fields") and hasattr(kind, "model_dump"):
        return dict(value.model_dump())
    return None


def is_row(value: Any) -> bool:
    """Whether ``value`` stands for one row: a dict, a model, an instance of a dataclass."""
    kind = type(value)
    return (
        isinstance(value, dict)
        or type(kind).__name__ == "SchemaMeta"
        or (hasattr(kind, "model_fields") and hasattr(kind, "model_dump"))
        or dataclasses.is_dataclass(kind)
    )
