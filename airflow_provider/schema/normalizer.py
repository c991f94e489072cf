"""Reshaping raw data before it meets its schema: column names, nesting, empty values.

The steps always run in this order: empty dicts, flattening, empty strings, columns without a value, names, missing
keys. Two columns that would end under one name are an error: neither may win silently.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from airflow_provider.errors import ConfigError, NormalizerError
from airflow_provider.schema.representations.table import TableData

Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Normalizer:
    """How raw data is reshaped.

    Args:
        normalize_columns_names: Bring names to snake_case: ``DepDelay``, ``dep delay`` -> ``dep_delay``.
        flatten_max_level: How many levels of nested dicts become columns, ``a_b``; None for all, 0 for none.
        flatten_separator: What joins the names of the levels.
        fill_missing: Give every row all columns, null where it has none.
        drop_na_columns: Leave out columns that are null in every row.
        snake_case_digits: Also set digits off: ``address1`` -> ``address_1``.
        column_overrides: New name by name, either the raw one (after flattening) or the normalised one.
        replace_empty_dicts: Make ``{}`` null, at any depth.
        replace_empty_strings: Make ``""`` null.

    Raises:
        ConfigError: A negative level.
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

    def __post_init__(self) -> None:
        level: Any = self.flatten_max_level
        if level is not None and (type(level) is not int or level < 0):
            raise ConfigError(
                f"flatten_max_level={level!r}", where="Normalizer", fix="use 0 for no flattening, None for all levels"
            )

    def normalize(self, data: TableData, *, where: str = "normalizer") -> TableData:
        """Reshape data, which itself is not changed.

        Arrow tables and DataFrames that need new names alone are renamed in place of a copy; other steps take them
        through rows.

        Raises:
            NormalizerError: Two columns under one name, a name without a letter or digit.
            SchemaError: A column label that is not text.
        """
        columns = data.checked_columns(where=where)
        if data.kind == "rows":
            return TableData(self.normalize_rows(data.value, where=where), data.representation)
        if not self._changes_values:
            names = list(self._names(columns, where).values())
            if names == list(columns):
                return data
            return TableData(data.representation.rename(data.value, names), data.representation)
        rows = TableData.of(self.normalize_rows(data.to("rows"), where=where))
        assert rows is not None  # noqa: S101  a list of dicts
        return TableData(rows.to(data.kind), data.representation)

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
        steps: list[Callable[[Row], Row]] = []
        if self.replace_empty_dicts:
            steps.append(lambda row: {name: _without_empty(value) for name, value in row.items()})
        if self.flatten_max_level != 0:
            steps.append(lambda row: self._flatten(row, where))
        if self.replace_empty_strings:
            steps.append(lambda row: {name: None if value == "" else value for name, value in row.items()})
        for step in steps:
            rows = [step(row) for row in rows]
        columns = dict.fromkeys(name for row in rows for name in row)
        kept = [name for name in columns if not self.drop_na_columns or any(row.get(name) is not None for row in rows)]
        return self._renamed(rows, self._names(kept, where))

    def _renamed(self, rows: Sequence[Row], names: Mapping[str, str]) -> list[Row]:
        if self.fill_missing:
            return [{new: row.get(old) for old, new in names.items()} for row in rows]
        return [{names[old]: value for old, value in row.items() if old in names} for row in rows]

    def _flatten(self, row: Row, where: str) -> Row:
        flat: Row = {}
        for name, value in self._leaves(row, "", 0):
            if name in flat:
                raise _collision(name, "two columns of a row", where)
            flat[name] = value
        return flat

    def _leaves(self, record: Mapping[str, Any], prefix: str, level: int) -> Iterator[tuple[str, Any]]:
        for key, value in record.items():
            name = f"{prefix}{key}"
            deeper = self.flatten_max_level is None or level < self.flatten_max_level
            if deeper and isinstance(value, dict) and value:
                yield from self._leaves(value, name + self.flatten_separator, level + 1)
            else:
                yield name, value

    def _names(self, columns: Sequence[str], where: str) -> dict[str, str]:
        """New name of each column."""
        names = {column: self.column_name(column, where=where) for column in columns}
        taken: dict[str, str] = {}
        for column, name in names.items():
            if name in taken:
                raise _collision(name, f"{taken[name]!r} and {column!r}", where)
            taken[name] = column
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


def snake_case(name: str, *, digits: bool = False) -> str:
    """``DepDelay``, ``dep-delay``, ``HTTPCode`` -> ``dep_delay``, ``dep_delay``, ``http_code``; ``_id`` stays.

    Letters of any script are kept; a name that starts with a digit gets an underscore before it.
    """
    text = re.sub(r"\W+", "_", name.strip())
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", text)
    if digits:
        text = re.sub(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])", "_", text)
    text = re.sub(r"(?<=[^_])_+", "_", text).rstrip("_").lower()
    return f"_{text}" if text[:1].isdigit() else text


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_empty(item) for key, item in value.items()} or None
    return [_without_empty(item) for item in value] if isinstance(value, list) else value


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


def _collision(name: str, sources: str, where: str) -> NormalizerError:
    return NormalizerError(
        f"{sources} would both be called {name!r}",
        where=where,
        fix="give one of them another name by Normalizer(column_overrides={...})",
    )
