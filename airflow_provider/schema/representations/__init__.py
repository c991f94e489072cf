"""The forms tabular data comes in, and the one view over them: ``TableData``.

Nothing here imports a data library until data of its kind is there.
"""

from airflow_provider.schema.representations.registry import Representation, register
from airflow_provider.schema.representations.split import Split, split
from airflow_provider.schema.representations.table import TableData
from airflow_provider.schema.representations.unwrap import unwrap

__all__ = ["Representation", "Split", "TableData", "register", "split", "unwrap"]
