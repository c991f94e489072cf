"""Reshaping raw data before it meets its schema: column names, nesting, empty values.

The steps always run in this order: empty dicts, flattening, empty strings, columns without a value, names, missing
keys, counts of time. Two columns that would end under one name are an error: neither may win silently. Every form of
data takes the same steps and stays in its form; a column that no step changes keeps its type.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from airflow_provider.errors import ConfigError, NormalizerError
from airflow_provider.schema.epochs import UNITS, EpochUnit, moments
from airflow_provider.schema.flattening import Flattener, Path, without_empty
from airflow_provider.schema.representations.arrow import ArrowRepresentation
from airflow_provider.schema.representations.table import TableData
from airflow_provider.schema.values import is_null

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Normalizer:
    """How raw data is reshaped.

    Args:
        normalize_columns_names: Bring names to snake_case: ``DepDelay``, ``dep delay`` -> ``dep_delay``.
        flatten_max_level: How many levels of nested dicts become columns, ``a_b``; None for all, 0 for none. Lists
            stay as they are, and so does ``{}``, which has no column to become.
        flatten_separator: What joins the names of the levels.
        fill_missing: Give every row all columns, null where it has none.
        drop_na_columns: Leave out columns that are null in every row.
        snake_case_digits: Also set digits off: ``address1`` -> ``address_1``.
        column_overrides: New name by name, either the raw one (after flattening) or the normalised one.
        replace_empty_dicts: Make ``{}`` null, at any depth.
        replace_empty_strings: Make ``""`` null, after flattening; not inside lists or dicts.
        epoch_columns: Columns, by their new names, whose numbers count time since 1970 in UTC: they become datetimes.
        epoch_unit: What they count: ``"s"``, ``"ms"``, ``"us"`` or ``"ns"``.

    Raises:
        ConfigError: A value of another type, a negative level, an override that names nothing.
    """

    normalize_columns_names: bool = True
    flatten_max_level: int | None = 0
    flatten_separator: str = "_"
    fill_missing: bool = True
    drop_na_columns: bool = False
    snake_case_digits: bool = False
    column_overrides: Mapping[str, str] = field(default_factory=dict)
    replace_empty_dicts: bool = False
    replace_empty_strings: bool = False
    epoch_columns: Sequence[str] = ()
    epoch_unit: EpochUnit = "s"

    def __post_init__(self) -> None:
        level: Any = self.flatten_max_level
        if level is not None and (type(level) is not int or level < 0):
            raise _unusable("flatten_max_level", level, "use 0 for no flattening, None for all levels")
        for option in fields(self):
            value = getattr(self, option.name)
            if option.type in (bool, "bool") and type(value) is not bool:
                raise _unusable(option.name, value, "use True or False")
        if not isinstance(self.flatten_separator, str):
            raise _unusable("flatten_separator", self.flatten_separator, "use text, such as '_'")
        overrides: Any = self.column_overrides
        if not isinstance(overrides, Mapping) or not all(
            isinstance(name, str) for pair in overrides.items() for name in pair
        ):
            raise _unusable("column_overrides", overrides, "use {'name': 'new_name'}")
        epochs: Any = self.epoch_columns
        if isinstance(epochs, str) or not all(isinstance(name, str) for name in epochs):
            raise _unusable("epoch_columns", epochs, "use a list of names, such as ['created_at']")
        if self.epoch_unit not in UNITS:
            raise _unusable("epoch_unit", self.epoch_unit, f"use one of {', '.join(map(repr, UNITS))}")
        if nameless := [name for name, new in overrides.items() if not new]:
            raise _unusable("column_overrides", {nameless[0]: ""}, "give the column a name")

    def normalize(self, data: TableData, *, where: str = "normalizer") -> TableData:
        """Reshape data, which itself is not changed.

        Args:
            data: Rows, an Arrow table, a DataFrame.
            where: The asset, for messages.

        Returns:
            Data of the same form; the same object where nothing changes.

        Raises:
            NormalizerError: Two columns under one name, a name without a letter or digit, a key that is not text.
            SchemaError: A column label that is not text.
        """
        if data.kind == "rows":
            return TableData(self.normalize_rows(data.value, where=where), data.representation)
        columns = data.checked_columns(where=where)
        if self._changes_values:
            return self._with_moments(self._normalize_columns(data, columns, where), where)
        names = self._names(columns, list(map(repr, columns)), where)
        if names != list(columns):
            data = TableData(data.representation.rename(data.value, names), data.representation)
        return self._with_moments(data, where)

    def _with_moments(self, data: TableData, where: str) -> TableData:
        """The data with datetimes for counts."""
        parts: list[Any] = [(name, name) for name in data.columns]
        for at, name in enumerate(data.columns):
            if name in self.epoch_columns:
                column = data.column(name)
                found = moments(column, self.epoch_unit, name=name, where=where)
                if found is not column:
                    parts[at] = _Piece(Path(name), found, None, None).part(name, where)
        if all(isinstance(source, str) for _, source in parts):
            return data
        return TableData(data.representation.assemble(data.value, parts), data.representation)

    @property
    def _changes_values(self) -> bool:
        return (
            self.flatten_max_level != 0
            or self.drop_na_columns
            or self.replace_empty_dicts
            or self.replace_empty_strings
        )

    def normalize_rows(self, rows: Any, *, where: str = "normalizer") -> list[Row]:
        """Reshape rows.

        Raises:
            NormalizerError: Not a list of dicts, a key that is not text, two columns under one name.
        """
        _check_rows(rows, where)
        flattener = Flattener(self.flatten_max_level, where=where)
        if self.replace_empty_dicts:
            rows = [{name: without_empty(value) for name, value in row.items()} for row in rows]
        if self.flatten_max_level != 0:
            rows = [flattener.row(row, number) for number, row in enumerate(rows)]
        if self.replace_empty_strings:
            rows = [{column: _unless_empty(value) for column, value in row.items()} for row in rows]
        columns = dict.fromkeys(column for row in rows for column in row)
        if self.drop_na_columns or self.flatten_max_level != 0:
            nulls = columns.keys() - {column for row in rows for column, value in row.items() if not is_null(value)}
            dropped = nulls if self.drop_na_columns else flattener.emptied(nulls)
            columns = {column: None for column in columns if column not in dropped}
        renamed = self._renamed(rows, dict(zip(columns, self._path_names(list(columns), where), strict=True)))
        for name in self.epoch_columns:
            numbers = [number for number, row in enumerate(renamed) if name in row]
            found = moments([row.get(name) for row in renamed], self.epoch_unit, name=name, where=where)
            for number in numbers:
                renamed[number][name] = found[number]
        return renamed

    def _renamed(self, rows: Sequence[Mapping[Any, Any]], names: Mapping[Any, str]) -> list[Row]:
        if self.fill_missing:
            return [{new: row.get(old) for old, new in names.items()} for row in rows]
        return [{names[old]: value for old, value in row.items() if old in names} for row in rows]

    def _normalize_columns(self, data: TableData, columns: Sequence[str], where: str) -> TableData:
        flattener = Flattener(self.flatten_max_level, where=where)
        pieces = [piece for name in columns for piece in self._pieces(data, name, flattener)]
        if self.drop_na_columns and not data.is_empty:
            pieces = [piece for piece in pieces if not piece.is_null]
        names = self._path_names([piece.path for piece in pieces], where)
        if all(piece.is_kept for piece in pieces) and names == list(columns):
            return data
        parts = [piece.part(name, where) for piece, name in zip(pieces, names, strict=True)]
        return TableData(data.representation.assemble(data.value, parts), data.representation)

    def _pieces(self, data: TableData, name: str, flattener: Flattener) -> "list[_Piece]":
        """What one column of a table becomes: mostly itself."""
        import pyarrow as pa

        column: Any = data.column(name)
        path = flattener.path(name)
        if isinstance(column, list):
            opened = [_Piece(path, column, None, name)]
        else:
            is_arrow = isinstance(data.representation, ArrowRepresentation)  # others know no metadata of fields
            held = data.value.schema.field(name) if is_arrow else pa.field(name, column.type)
            flat = flattener.arrow(path, column, held)
            opened = [_Piece(*part, name if part[1] is column else None) for part in flat]
        pieces = [part for piece in opened for part in self._inside(piece, flattener)]
        return [self._without_empty_strings(piece) for piece in pieces] if self.replace_empty_strings else pieces

    def _inside(self, piece: "_Piece", flattener: Flattener) -> "list[_Piece]":
        """The dicts among the values of one column, emptied and flattened."""
        values = piece.dicts()
        if values is None:
            return [piece]
        changed = list(map(without_empty, values)) if self.replace_empty_dicts else values
        flat = flattener.values(piece.path, changed) if values else {piece.path: changed}
        if list(flat) == [piece.path] and all(
            one is other for one, other in zip(flat[piece.path], values, strict=True)
        ):
            return [piece]
        return [_Piece(path, column, None, None) for path, column in flat.items()]

    def _without_empty_strings(self, piece: "_Piece") -> "_Piece":
        column = piece.column
        if isinstance(column, list):
            if "" not in {value for value in column if type(value) is str}:
                return piece
            return _Piece(piece.path, list(map(_unless_empty, column)), None, None)
        kept = _empty_text_to_null(column)
        return piece if kept is column else _Piece(piece.path, kept, piece.field, None)

    def _path_names(self, columns: Sequence[Any], where: str) -> list[str]:
        """New names of columns that are paths, or names where nothing was flattened."""
        raw = [column if isinstance(column, str) else self.flatten_separator.join(column.keys) for column in columns]
        shown = [
            repr(name) if isinstance(column, str) or column.depth == 1 else " > ".join(map(repr, column.keys))[:200]
            for column, name in zip(columns, raw, strict=True)
        ]
        return self._names(raw, shown, where)

    def _names(self, raw: Sequence[str], shown: Sequence[str], where: str) -> list[str]:
        """New name of each column."""
        taken: dict[str, str] = {}
        names = [self.column_name(column, where=where) for column in raw]
        for name, origin in zip(names, shown, strict=True):
            if name in taken:
                raise NormalizerError(
                    f"{taken[name]} and {origin} would both be called {name!r}",
                    where=where,
                    fix="give one of them another name by Normalizer(column_overrides={...}); where flattening gives "
                    "both the same name, set another flatten_separator too",
                )
            taken[name] = origin
        return names

    def column_name(self, column: str, *, where: str = "normalizer") -> str:
        """The name a column gets.

        Raises:
            NormalizerError: Nothing of the name is left.
        """
        if column in self.column_overrides:
            return self.column_overrides[column]
        if not self.normalize_columns_names:
            return column
        name = snake_case(column, digits=self.snake_case_digits)
        if not name.strip("_"):
            raise NormalizerError(
                f"the column name {column[:60]!r} has no letter or digit",
                where=where,
                fix="give it a name by Normalizer(column_overrides={...})",
            )
        return self.column_overrides.get(name, name)


@dataclass
class _Piece:
    """A column of the result.

    Attributes:
        path: Where its values were.
        column: Python values, or Arrow.
        field: Its Arrow field; None for Python values.
        source: The column of the input that it is, unchanged; None for a new one.
    """

    path: Path
    column: "list[Any] | pa.ChunkedArray"
    field: "pa.Field | None"
    source: str | None

    @property
    def is_kept(self) -> bool:
        return self.source is not None

    @property
    def is_null(self) -> bool:
        if isinstance(self.column, list):
            return all(map(is_null, self.column))
        return bool(self.column.null_count == len(self.column))

    def dicts(self) -> list[Any] | None:
        """The values, if there can be dicts among them that are no struct; else None."""
        from airflow_provider.schema.arrow_types import from_arrow_column, holds_json_or_empty

        if isinstance(self.column, list):
            return self.column
        return from_arrow_column(self.column, self.field) if holds_json_or_empty(self.field) else None

    def part(self, name: str, where: str) -> "tuple[str, str | tuple[pa.Field, pa.ChunkedArray]]":
        """What ``Representation.assemble`` takes."""
        import pyarrow as pa

        from airflow_provider.schema.arrow_types import arrow_field, to_arrow_array
        from airflow_provider.schema.infer import infer_column

        if self.source is not None:
            return name, self.source
        if not isinstance(self.column, list):
            field = pa.field(name, self.column.type) if self.field is None else self.field.with_name(name)
            return name, (field, self.column)
        spec = infer_column(name, self.column)
        return name, (arrow_field(spec), pa.chunked_array([to_arrow_array(self.column, spec, where=where)]))


def _unless_empty(value: Any) -> Any:
    return None if type(value) is str and not value else value


def _empty_text_to_null(column: "pa.ChunkedArray") -> "pa.ChunkedArray":
    """The column with each empty text as null; the column itself where there is none, or no text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from airflow_provider.schema.arrow_types import is_text

    encoded = pa.types.is_dictionary(column.type)
    if not is_text(column.type.value_type if encoded else column.type):
        return column
    empty = pc.equal(column.cast(pa.large_string()), "")
    if not pc.any(empty, min_count=0).as_py():
        return column
    if not encoded:
        return pc.if_else(empty, pa.scalar(None, column.type), column)
    chunks = [
        pa.DictionaryArray.from_arrays(
            pc.if_else(pc.equal(chunk.cast(pa.large_string()), ""), None, chunk.indices), chunk.dictionary
        ).cast(column.type)
        for chunk in column.chunks
    ]
    return pa.chunked_array(chunks, column.type)


def snake_case(name: str, *, digits: bool = False) -> str:
    """``DepDelay``, ``dep-delay``, ``HTTPCode`` -> ``dep_delay``, ``dep_delay``, ``http_code``; ``_id`` stays.

    Letters of any script are kept; a name that starts with a digit gets an underscore before it.
    """
    text = re.sub(rf"[^\w{_ACCENTS}]+", "_", unicodedata.normalize("NFC", name.strip()))
    text = "".join(f"_{c}" if _starts_word(text, at) else c for at, c in enumerate(text))
    if digits:
        text = re.sub(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])", "_", text)
    text = re.sub(r"(?<=[^_])_+", "_", text).rstrip("_").lower()
    return f"_{text}" if text[:1].isdigit() else text


_ACCENTS = "\u0300-\u036f"  # combining marks, which are part of the letter before them


def _starts_word(text: str, at: int) -> bool:
    """Whether a capital begins a word: after a small letter or digit, or as the last of several before a small one."""
    if not at or not text[at].isupper():
        return False
    before, after = text[at - 1], text[at + 1 : at + 2]
    return before.islower() or before.isdigit() or (before.isupper() and after.islower())


def _check_rows(rows: Any, where: str) -> None:
    if not isinstance(rows, (list, tuple)):
        raise NormalizerError(
            f"a {type(rows).__name__} cannot be normalised",
            where=where,
            fix="return rows, an Arrow table or a DataFrame",
        )
    for number, row in enumerate(rows):
        if not isinstance(row, dict):
            raise NormalizerError(
                f"row {number} is a {type(row).__name__}, not a dict", where=where, fix="return a list of dicts"
            )
        for key in row:
            if not isinstance(key, str):
                raise NormalizerError(
                    f"row {number} has the key {key!r} of type {type(key).__name__}",
                    where=where,
                    fix="make the keys text",
                )


def _unusable(option: str, value: Any, fix: str) -> ConfigError:
    return ConfigError(f"{option}={value!r}", where="Normalizer", fix=fix)
