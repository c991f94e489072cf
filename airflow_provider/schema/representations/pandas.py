"""pandas: a DataFrame.

An index with a name holds data and becomes columns, before the others; row numbers without a name are ignored, and
anything else without a name is refused, for it would be lost. NaN, NaT and NA are null. A column of ints with nulls
that comes from Arrow or rows is ``Int64``, for as ``float64`` large ints would be rounded.
"""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from airflow_provider.errors import SchemaError
from airflow_provider.schema.loaded import loaded
from airflow_provider.schema.representations.registry import Column, Representation

if TYPE_CHECKING:
    import pyarrow as pa

    from airflow_provider.schema.schema import Schema

_CATEGORIES = b"airflow_provider.categories"


class PandasRepresentation(Representation):
    """A ``pandas.DataFrame``."""

    kind: ClassVar[str] = "pandas"

    def matches(self, value: Any) -> bool:
        """Whether ``value`` is a DataFrame."""
        return isinstance(value, loaded("pandas", "DataFrame"))

    def wrap(self, value: Any) -> Any:
        """The frame with its named index as columns; the frame itself where it has none."""
        names = list(value.index.names)
        return value if None in names or set(names) & set(value.columns) else value.reset_index()

    def check(self, value: Any, *, where: str) -> None:
        """Refuse an index that holds data and cannot become a column.

        Raises:
            SchemaError: It has no name and is more than row numbers, or has the name of a column.
        """
        if not len(value) or (value.index.names == [None] and value.index.dtype.kind in "iu"):
            return
        named = [name for name in value.index.names if name is not None]
        what = f"the name of the column {named[0]!r} too" if named else f"no name, and holds {value.index.dtype} values"
        raise SchemaError(
            f"the index of the DataFrame has {what}: it would be lost",
            where=where,
            fix="name it (frame.rename_axis('...')) to keep it as a column, or drop it (frame.reset_index(drop=True))",
        )

    def num_rows(self, value: Any) -> int:
        """Number of rows."""
        return len(value)

    def labels(self, value: Any) -> Sequence[Any]:
        """The column labels, which may be of any type and repeat."""
        return tuple(value.columns)

    def to_arrow(self, value: Any, schema: "type[Schema] | None", *, where: str) -> "pa.Table":
        """One column at a time: typed ones as they are, object ones by the rules for rows."""
        import pyarrow as pa

        specs = {} if schema is None else {spec.name: spec for spec in schema.field_specs()}
        pairs = [_arrow_column(value[name], name, specs.get(name), where) for name in value.columns]
        if not pairs:
            return pa.table({"_": pa.nulls(len(value))}).select([])
        return pa.Table.from_arrays([array for _, array in pairs], schema=pa.schema([field for field, _ in pairs]))

    def from_arrow(self, table: "pa.Table") -> Any:
        """A frame with a fresh range index."""
        import pandas as pd

        columns = {i: arrow_to_series(table.column(i), table.schema.field(i)) for i in range(table.num_columns)}
        frame = pd.DataFrame(columns, index=pd.RangeIndex(table.num_rows))
        frame.columns = pd.Index(table.column_names, dtype=object)
        return frame

    def to_rows(self, value: Any) -> list[dict[str, Any]]:
        """The rows as dicts, nulls as None."""
        from airflow_provider.schema.arrow_types import from_arrow_column

        names, columns = list(value.columns), []
        for name in names:
            column = self.column(value, name)
            field = _arrow_column(value[name], name, None, "")[0] if not isinstance(column, list) else None
            columns.append(column if field is None else from_arrow_column(column, field))
        if not columns:
            return [{} for _ in range(len(value))]
        return [dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=True)]

    def column(self, value: Any, name: str) -> "list[Any] | pa.ChunkedArray":
        """Typed columns as Arrow, object ones as a list with None for null."""
        return column_of(value[name])

    def select(self, value: Any, names: Sequence[str]) -> Any:
        """These columns, in this order."""
        return value.loc[:, list(names)]

    def rename(self, value: Any, names: Sequence[str]) -> Any:
        """The same columns under new names."""
        return value.set_axis(list(names), axis=1)

    def assemble(self, value: Any, columns: Sequence[Column]) -> Any:
        """A frame of these columns under the index of ``value``; those that are taken over keep their dtype."""
        import pandas as pd

        series = {
            number: value[column] if isinstance(column, str) else _series(column).set_axis(value.index)
            for number, (_, column) in enumerate(columns)
        }
        frame = pd.DataFrame(series, index=value.index)
        frame.columns = pd.Index([name for name, _ in columns], dtype=object)
        return frame

    def filled(self, value: Any, name: str, text: str) -> Any:
        """A new frame with the text; other columns are as they were."""
        if name not in value.columns:
            return value.assign(**{name: text})
        return value.assign(**{name: value[name].astype(object).where(value[name].notna(), text)})

    def slice(self, value: Any, start: int, stop: int) -> Any:
        """Rows ``start`` up to ``stop``."""
        return value.iloc[start:stop]

    def take(self, value: Any, positions: Any) -> Any:
        """The rows at these positions."""
        return value.iloc[positions]

    def concat(self, values: Sequence[Any]) -> Any:
        """All rows under a fresh index. Empty frames are left out, for their columns have no say on types.

        Frames of other columns or dtypes are joined as Arrow is, by its rules: pandas would make floats of ints.
        """
        import pandas as pd

        from airflow_provider.schema.representations.arrow import ArrowRepresentation

        filled = [value for value in values if len(value)] or list(values[:1])
        if all(dict(value.dtypes) == dict(filled[0].dtypes) for value in filled):
            return pd.concat(filled, ignore_index=True)
        tables = [self.to_arrow(value, None, where="TableData.concat") for value in values]
        return self.from_arrow(ArrowRepresentation().concat(tables))


def _series(column: "tuple[pa.Field, pa.ChunkedArray]") -> Any:
    return arrow_to_series(column[1], column[0])


def column_of(series: Any) -> "list[Any] | pa.ChunkedArray":
    """A typed column as Arrow; an object column as a list, with None for null and lists for arrays."""
    import pandas as pd
    import pyarrow as pa

    if series.dtype != object:
        if isinstance(series.dtype, (pd.PeriodDtype, pd.IntervalDtype)):
            raise TypeError("a period and an interval are two values")
        if isinstance(series.dtype, pd.SparseDtype):
            series = series.sparse.to_dense()
        if isinstance(series.dtype, pd.CategoricalDtype) and series.cat.categories.dtype == object:
            return column_of(series.astype(object))
        array = pa.array(series, from_pandas=True)
        return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
    missing = series.isna().to_numpy()
    values: list[Any] = series.tolist()
    if missing.any():
        values = [None if gone else value for value, gone in zip(values, missing, strict=True)]
    if any(hasattr(kind, "tolist") for kind in set(map(type, values))):
        values = [value.tolist() if hasattr(value, "tolist") else value for value in values]
    return values


def _arrow_column(series: Any, name: str, spec: Any, where: str) -> "tuple[pa.Field, Any]":
    import pyarrow as pa

    from airflow_provider.schema.arrow_types import arrow_field, to_arrow_array
    from airflow_provider.schema.infer import infer_column

    try:
        column = column_of(series)
    except (pa.ArrowException, TypeError) as error:
        raise SchemaError(
            f"column {name!r} of dtype {series.dtype} has no Arrow form: {error}",
            where=where,
            fix="convert the column in data(), periods for instance by series.dt.to_timestamp()",
        ) from error
    if not isinstance(column, list):
        return pa.field(name, column.type, metadata=_order_of(series.dtype)), column
    spec = spec or infer_column(name, column)
    return arrow_field(spec), to_arrow_array(column, spec, where=where)


def _order_of(dtype: Any) -> dict[bytes, str] | None:
    """The categories of an ordered category, for a store keeps values and not their order."""
    import pandas as pd

    if not isinstance(dtype, pd.CategoricalDtype) or not dtype.ordered:
        return None
    categories = dtype.categories.tolist()
    return {_CATEGORIES: json.dumps(categories)} if {type(c) for c in categories} <= {str, int, float, bool} else None


def _ordered(series: Any, field: "pa.Field") -> Any:
    """An ordered category with the categories that it had; as it is where a value is none of them."""
    stored = (field.metadata or {}).get(_CATEGORIES)
    if stored is None or not hasattr(series, "cat"):
        return series
    again = series.cat.set_categories(json.loads(stored), ordered=True)
    return again if again.isna().sum() == series.isna().sum() else series


def arrow_to_series(column: "pa.ChunkedArray", field: "pa.Field") -> Any:
    """One Arrow column as pandas holds it without changing a value."""
    import pandas as pd
    import pyarrow as pa

    from airflow_provider.schema.arrow_types import decoder, from_arrow_column

    kind = column.type
    # Lists would become arrays, in which a null turns ints into floats.
    if pa.types.is_nested(kind) or (field.metadata and decoder(field) is not None):
        return pd.Series(from_arrow_column(column, field), dtype=object)
    if column.null_count and pa.types.is_integer(kind):
        name = str(kind).replace("uint", "UInt").replace("int", "Int") if str(kind)[0] == "u" else str(kind).title()
        return column.to_pandas(types_mapper={kind: pd.api.types.pandas_dtype(name)}.get)
    if column.null_count and pa.types.is_boolean(kind):
        return column.to_pandas(types_mapper={kind: pd.BooleanDtype()}.get)
    return _ordered(column.to_pandas(), field)
