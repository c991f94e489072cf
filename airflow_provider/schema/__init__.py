"""Schemas, and tabular data of any form: rows, Arrow tables, DataFrames. Imports no data library."""

from airflow_provider.schema.conform import MaterializationStrategy, conform
from airflow_provider.schema.fields import MISSING, FieldSpec
from airflow_provider.schema.infer import infer
from airflow_provider.schema.normalizer import Normalizer
from airflow_provider.schema.representations import Representation, Split, TableData, register, split, unwrap
from airflow_provider.schema.schema import Schema, coerce_schema, schema_from_specs

__all__ = [
    "FieldSpec",
    "MISSING",
    "MaterializationStrategy",
    "Normalizer",
    "Representation",
    "Schema",
    "Split",
    "TableData",
    "coerce_schema",
    "conform",
    "infer",
    "register",
    "schema_from_specs",
    "split",
    "unwrap",
]
