"""A package of somebody else's: a form of tabular data of its own, a dict of columns in a class."""

from airflow_provider.schema import Representation


class Columns:
    """Lists of one length, by name."""

    def __init__(self, lists, count):
        self.lists, self.count = lists, count


class ColumnsForm(Representation):
    """What the contract suite is put to from outside."""

    kind = "columns"

    def matches(self, value):
        return isinstance(value, Columns)

    def num_rows(self, value):
        return value.count

    def labels(self, value):
        return list(value.lists)

    def to_arrow(self, value, schema, *, where):
        return self._rows_form().to_arrow(self.to_rows(value) or [], schema or self._empty(value), where=where)

    def from_arrow(self, table):
        rows = self._rows_form().from_arrow(table)
        return Columns({name: [row[name] for row in rows] for name in table.column_names}, table.num_rows)

    def to_rows(self, value):
        return [{name: cells[n] for name, cells in value.lists.items()} for n in range(value.count)]

    def column(self, value, name):
        return value.lists[name]

    def select(self, value, names):
        return Columns({name: value.lists[name] for name in names}, value.count)

    def rename(self, value, names):
        return Columns(dict(zip(names, value.lists.values(), strict=True)), value.count)

    def slice(self, value, start, stop):
        lists = {name: cells[start:stop] for name, cells in value.lists.items()}
        return Columns(lists, len(range(value.count)[start:stop]))

    def take(self, value, positions):
        return Columns({name: [cells[p] for p in positions] for name, cells in value.lists.items()}, len(positions))

    def concat(self, values):
        names = dict.fromkeys(name for value in values for name in value.lists)
        lists = {name: [c for v in values for c in v.lists.get(name, [None] * v.count)] for name in names}
        return Columns(lists, sum(value.count for value in values))

    @staticmethod
    def _rows_form():
        from airflow_provider.schema.representations.registry import by_kind

        return by_kind("rows")

    @staticmethod
    def _empty(value):
        from airflow_provider.schema import schema_from_specs
        from airflow_provider.schema.infer import infer_column

        return None if value.count else schema_from_specs("Empty", [infer_column(name, []) for name in value.lists])
