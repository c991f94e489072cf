"""Tables that are read together, such as the partitions of a window, as one: its types do not depend on their order.

Types are widened where that loses nothing (``airflow_provider.schema.promotion`` has the rules). A column that holds
nulls alone has no say where it would contradict those that hold values; a column that is JSON somewhere is JSON.
"""

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

from airflow_provider.errors import SchemaError
from airflow_provider.schema.promotion import fitted, has_json_form, is_json, json_field, promoted

if TYPE_CHECKING:
    import pyarrow as pa

_NAMED = 3


class MismatchError(Exception):
    """Columns of one name whose types have nothing in common.

    Attributes:
        column: The name.
        held: Each type, as text, with the positions of the tables that have it.
    """

    def __init__(self, column: str, held: "dict[str, list[int]]") -> None:
        super().__init__(column)
        self.column = column
        self.held = held

    def told(self, names: Sequence[str], *, where: str) -> SchemaError:
        """The error for people.

        Args:
            names: What to call the tables: a name for each, or none at all.
            where: What was read.
        """
        named = names or [f"part {number}" for number in range(max(map(max, self.held.values())) + 1)]
        places = [f"{kind} in {_listed([named[n] for n in numbers])}" for kind, numbers in self.held.items()]
        return SchemaError(
            f"column {self.column!r} is {' and '.join(places)}, which no one type holds without loss",
            where=where,
            fix="materialize those partitions again with one type, or declare a Schema so that all have the same",
        )


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def join_tables(tables: "Sequence[pa.Table]") -> "pa.Table":
    """All rows, in order; a column that a table lacks is null there.

    Raises:
        MismatchError: A column whose types have nothing in common, or whose ints a float would round.
    """
    import pyarrow as pa

    first = tables[0].schema
    if all(table.schema.equals(first, check_metadata=True) for table in tables):
        return pa.concat_tables(tables)
    schema = joined_schema(tables)
    return pa.concat_tables([_fit(table, schema, tables) for table in tables])


def joined_schema(tables: "Sequence[pa.Table]") -> "pa.Schema":
    """The columns of all tables, in order of first appearance, each of a type that fits all of its values.

    Raises:
        MismatchError: There is no such type.
    """
    import pyarrow as pa

    names = dict.fromkeys(name for table in tables for name in table.column_names)
    return pa.schema([_joined(name, tables) for name in names], metadata=tables[0].schema.metadata)


def _joined(name: str, tables: "Sequence[pa.Table]") -> "pa.Field":
    held = [table.schema.field(name) if name in table.schema.names else None for table in tables]
    fields = [field for field in held if field is not None]
    merged = _promote(fields)
    if merged is None:
        valued = [f for f, table in zip(held, tables, strict=True) if f is not None and _has_values(table, name)]
        merged = _promote(valued) if valued else fields[0].with_type(_null())
        if merged is None and any(map(is_json, valued)) and all(map(has_json_form, valued)):
            merged = json_field(name)
    if merged is None:
        raise _mismatch(name, tables)
    return merged.with_nullable(merged.nullable or len(fields) < len(tables))


def _promote(fields: "Sequence[pa.Field]") -> "pa.Field | None":
    def both(one: "pa.Field | None", other: "pa.Field | None") -> "pa.Field | None":
        return None if one is None or other is None else one if one.equals(other, True) else promoted(one, other)

    return reduce(both, fields[1:], fields[0])


def _has_values(table: "pa.Table", name: str) -> bool:
    column = table.column(name)
    return bool(column.null_count < len(column))


def _null() -> "pa.DataType":
    import pyarrow as pa

    return pa.null()


def _mismatch(name: str, tables: "Sequence[pa.Table]") -> MismatchError:
    held: dict[str, list[int]] = {}
    for number, table in enumerate(tables):
        if name in table.column_names and _has_values(table, name):
            held.setdefault(_shown(table.schema.field(name)), []).append(number)
    return MismatchError(name, held)


def _shown(field: "pa.Field") -> str:
    return "JSON" if is_json(field) else str(field.type)


def _fit(table: "pa.Table", schema: "pa.Schema", tables: "Sequence[pa.Table]") -> "pa.Table":
    import pyarrow as pa

    columns = []
    for target in schema:
        if target.name not in table.column_names or not _has_values(table, target.name):
            columns.append(pa.nulls(table.num_rows, target.type))
            continue
        try:
            columns.append(fitted(table.select([target.name]), pa.schema([target])).column(0))
        except (pa.ArrowException, SchemaError):
            raise _mismatch(target.name, tables) from None
    return pa.Table.from_arrays(columns, schema=schema)
