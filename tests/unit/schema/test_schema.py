"""Schemas as classes: what annotations mean, what is refused, and that any column name works."""

import dataclasses
import datetime as dt
import enum
import subprocess
import sys
import typing
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal, Optional
from uuid import UUID

import pyarrow as pa
import pydantic
import pytest

from airflow_provider.errors import DefinitionError, SchemaError
from airflow_provider.schema import MISSING, Schema, coerce_schema
from airflow_provider.schema.fields import FieldSpec


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Point(Schema):
    x: float
    y: float | None


class Flights(Schema):
    date: dt.date
    carrier: Annotated[str, pydantic.Field(description="IATA code")]
    dep_delay: float | None
    tags: list[str] = []  # noqa: RUF012  each row gets its own


class Later(Schema):
    inner: "DefinedBelow"
    maybe: "int | None" = None


class DefinedBelow(Schema):
    value: int


def by_name(schema: type[Schema]) -> dict[str, FieldSpec]:
    return {spec.name: spec for spec in schema.field_specs()}


def test_fields_come_in_declaration_order_with_their_facts() -> None:
    date, carrier, delay, tags = Flights.field_specs()

    assert (date.name, date.type, date.nullable, date.has_default) == ("date", dt.date, False, False)
    assert carrier.description == "IATA code"
    assert (delay.type, delay.nullable, delay.default) == (float, True, MISSING)
    assert (tags.type, tags.repeated, tags.make_default()) == (str, True, [])


@pytest.mark.parametrize(
    ("annotation", "arrow"),
    [
        (bool, pa.bool_()),
        (int, pa.int64()),
        (float, pa.float64()),
        (str, pa.string()),
        (bytes, pa.binary()),
        (dt.date, pa.date32()),
        (dt.datetime, pa.timestamp("us", tz="UTC")),
        (dt.time, pa.time64("us")),
        (dt.timedelta, pa.duration("us")),
        (Decimal, pa.decimal128(38, 9)),
        (UUID, pa.string()),
        (dict, pa.string()),
        (dict[str, int], pa.string()),
        (Any, pa.string()),
        (None, pa.null()),
        (Colour, pa.string()),
        (Literal["a", "b"], pa.string()),
        (Literal[1, 2], pa.int64()),
        (int | float, pa.float64()),
        (list[int], pa.list_(pa.field("item", pa.int64(), nullable=False))),
        (list[int | None], pa.list_(pa.int64())),
        (typing.List[str], pa.list_(pa.field("item", pa.string(), nullable=False))),  # noqa: UP006
        (Annotated[int, pa.int32()], pa.int32()),
        (Annotated[dt.datetime, pa.timestamp("us")], pa.timestamp("us")),
        (Annotated[Decimal, pa.decimal128(10, 2)], pa.decimal128(10, 2)),
        (typing.NewType("Id", int), pa.int64()),
        (Point, pa.struct([pa.field("x", pa.float64(), nullable=False), pa.field("y", pa.float64())])),
    ],
)
def test_each_annotation_has_one_arrow_type(annotation: Any, arrow: pa.DataType) -> None:
    assert Schema.from_fields("S", {"c": annotation}).arrow().field("c").type == arrow


@pytest.mark.parametrize("annotation", [int | None, Optional[int], "int | None", Annotated[int | None, "note"]])  # noqa: UP045
def test_none_in_the_annotation_makes_a_column_nullable(annotation: Any) -> None:
    class S(Schema):
        c: annotation

    assert by_name(S)["c"].nullable
    assert S.arrow().field("c").nullable


@pytest.mark.parametrize(
    "annotation",
    [
        object,
        complex,
        set[int],
        int | str,
        dict[int, str],
        list[list[int]],
        Literal["a", 1],
        Literal[1.5],
        tuple[int, int],
    ],
)
def test_an_annotation_without_a_column_type_is_refused_at_definition(annotation: Any) -> None:
    with pytest.raises(DefinitionError, match=r"schema 'S', field 'c'.*has no column type"):

        class S(Schema):
            c: annotation


def test_constraints_are_refused_for_they_would_not_be_enforced() -> None:
    with pytest.raises(DefinitionError, match="would not be enforced"):
        Schema.from_fields("S", {"c": Annotated[int, pydantic.Field(gt=0)]})
    with pytest.raises(DefinitionError, match="would not be enforced"):
        Schema.from_fields("S", {"c": pydantic.PositiveInt})


def test_an_alias_is_refused_with_the_way_to_name_such_a_column() -> None:
    with pytest.raises(DefinitionError, match="from_fields"):

        class S(Schema):
            class_: str = pydantic.Field(alias="class")


def test_a_body_value_without_annotation_is_refused() -> None:
    with pytest.raises(DefinitionError, match="carrier = str"):

        class S(Schema):
            carrier = "AA"


def test_class_variables_and_methods_are_no_columns() -> None:
    class S(Schema):
        limit: ClassVar[int] = 5
        a: int

        def double(self) -> int:
            return 2 * self.a  # type: ignore[no-any-return]

        @property
        def half(self) -> float:
            return self.a / 2  # type: ignore[no-any-return]

    assert [spec.name for spec in S.field_specs()] == ["a"]
    assert (S(a=2).double(), S(a=2).half) == (4, 1.0)


def test_a_quoted_annotation_may_name_what_comes_later() -> None:
    assert by_name(Later)["inner"].fields == DefinedBelow.field_specs()
    assert by_name(Later)["maybe"].nullable


def test_a_quoted_annotation_that_names_nothing_is_an_error_on_use() -> None:
    class S(Schema):
        c: "NoSuchName"  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(DefinitionError, match="NoSuchName"):
        S.field_specs()


def test_names_of_the_enclosing_function_resolve() -> None:
    class Inner(Schema):
        a: int

    class Outer(Schema):
        inner: "Inner"

    assert by_name(Outer)["inner"].fields == Inner.field_specs()


def test_a_schema_cannot_hold_itself() -> None:
    with pytest.raises(DefinitionError, match="has no column type"):

        class Tree(Schema):
            child: "Tree | None"


def test_inherited_fields_come_first_and_can_be_overridden_in_place() -> None:
    class Base(Schema):
        a: int = 1
        b: str

    class Child(Base):
        c: bool
        a: float

    assert [(spec.name, spec.type) for spec in Child.field_specs()] == [("a", float), ("b", str), ("c", bool)]
    assert not by_name(Child)["a"].has_default
    assert [spec.name for spec in Base.field_specs()] == ["a", "b"]


class Awkward(Schema):
    schema: str
    copy: int
    json: dict[str, Any]
    validate: bool
    _id: str
    fields: list[int] = []  # noqa: RUF012
    arrow: str = "arrow"
    field_specs: int = 3
    as_row: float = 0.5
    fingerprint: str = "f"
    model_dump: str = "m"


def test_any_column_name_works_and_hides_no_method() -> None:
    row = Awkward(schema="s", copy=1, json={"a": 1}, validate=True, _id="x")

    assert Awkward.arrow().names[:5] == ["schema", "copy", "json", "validate", "_id"]
    assert (row.schema, row.copy, row.json, row._id, row.arrow, row.as_row) == ("s", 1, {"a": 1}, "x", "arrow", 0.5)
    assert Schema.as_row(row)["field_specs"] == 3
    assert len(Awkward.fingerprint()) == 16


def test_from_fields_takes_names_that_are_no_identifiers() -> None:
    schema = Schema.from_fields("S", {"class": str, "two words": (int, 5), "self": float})

    row = schema(**{"class": "x", "self": 1.0})

    assert row.as_row() == {"class": "x", "two words": 5, "self": 1.0}


def test_an_empty_column_name_is_refused() -> None:
    with pytest.raises(DefinitionError, match="column name"):
        Schema.from_fields("S", {"": int})


def test_instances_fill_defaults_and_nulls_and_compare_by_value() -> None:
    one = Flights(date=dt.date(2026, 1, 1), carrier="AA")

    assert one.as_row() == {"date": dt.date(2026, 1, 1), "carrier": "AA", "dep_delay": None, "tags": []}
    assert one == Flights(date=dt.date(2026, 1, 1), carrier="AA", dep_delay=None)
    assert one != Flights(date=dt.date(2026, 1, 1), carrier="DL")
    assert "carrier='AA'" in repr(one)


def test_defaults_are_not_shared_between_instances() -> None:
    one, two = (Flights(date=dt.date(2026, 1, 1), carrier="AA") for _ in range(2))

    one.tags.append("x")

    assert two.tags == []


def test_an_instance_is_not_changed_once_made() -> None:
    with pytest.raises(AttributeError, match="build another one"):
        Point(x=1.0).x = 2.0


@pytest.mark.parametrize(
    ("values", "text"), [({"x": 1.0, "z": 1}, "unknown field.*'z'"), ({"y": 1.0}, "missing field.*'x'")]
)
def test_unknown_and_missing_values_are_named(values: dict[str, Any], text: str) -> None:
    with pytest.raises(SchemaError, match=text):
        Point(**values)


def test_the_fingerprint_follows_names_types_and_nullability_only() -> None:
    base = {"a": int, "b": str}
    same = Schema.from_fields("Other", {"b": Annotated[str, pydantic.Field(description="d")], "a": (int, 3)})

    assert Schema.from_fields("S", base).fingerprint() == same.fingerprint()
    for changed in (
        {"a": float, "b": str},
        {"a": int | None, "b": str},
        {"a": int, "c": str},
        {"a": list[int], "b": str},
    ):
        assert Schema.from_fields("S", changed).fingerprint() != same.fingerprint()


def test_the_fingerprint_is_the_same_in_any_process() -> None:
    code = (
        "import enum\nfrom airflow_provider.schema import Schema\nfrom typing import *\n"
        "C = enum.Enum('C', {'A': 'a', 'B': 'b'})\n"
        "print(Schema.from_fields('S', {'a': int, 'b': Literal['x', 'y'], 'c': C, 'd': dict}).fingerprint())"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1


def test_arrow_and_back_is_the_same_schema() -> None:
    plain = Schema.from_fields(
        "S",
        {
            "a": int | None,
            "b": list[str | None],
            "c": Point,
            "d": Decimal,
            "e": Annotated[int, pa.int16()],
            "f": UUID,
            "g": Annotated[dt.datetime, pa.timestamp("ns", tz="Europe/Berlin")],
        },
    )

    again = Schema.from_arrow(plain.arrow())

    assert again.arrow().equals(plain.arrow(), check_metadata=True)


def test_arrow_types_without_a_python_type_are_kept() -> None:
    arrow = pa.schema(
        [("m", pa.map_(pa.string(), pa.int64())), ("l", pa.list_(pa.list_(pa.int8()))), ("s", pa.large_string())]
    )

    assert Schema.from_arrow(arrow).arrow() == arrow


def test_dictionary_columns_count_as_their_values() -> None:
    arrow = pa.schema([("c", pa.dictionary(pa.int8(), pa.string()))])

    assert by_name(Schema.from_arrow(arrow))["c"].type is str


class Model(pydantic.BaseModel):
    a: int
    b: str | None = None
    c: list[int] = pydantic.Field(default_factory=list, description="numbers")
    inner: "Inner | None" = None


class Inner(pydantic.BaseModel):
    d: dt.date


@dataclasses.dataclass
class Record:
    a: int
    b: str | None = None
    c: list[int] = dataclasses.field(default_factory=list)
    kind: ClassVar[str] = "k"


class Typed(typing.TypedDict, total=False):
    b: str


class Row(Typed):
    a: int


Model.model_rebuild()


def test_pydantic_models_dataclasses_and_typed_dicts_are_schemas_too() -> None:
    model, record, typed = (by_name(coerce_schema(kind)) for kind in (Model, Record, Row))

    assert [*model] == ["a", "b", "c", "inner"]
    assert (model["b"].default, model["c"].make_default(), model["c"].description) == (None, [], "numbers")
    assert model["inner"].fields[0].type is dt.date
    assert [*record] == ["a", "b", "c"]
    assert (record["b"].default, record["c"].make_default()) == (None, [])
    assert (typed["a"].nullable, typed["b"].nullable) == (False, True)


def test_a_schema_is_its_own_coercion() -> None:
    assert coerce_schema(Flights) is Flights


@pytest.mark.parametrize("value", [int, Flights(date=dt.date(2026, 1, 1), carrier="A"), {"a": int}, None, "Flights"])
def test_anything_else_is_no_schema(value: Any) -> None:
    with pytest.raises(DefinitionError, match="is not a schema"):
        coerce_schema(value, where="asset 'x'")
