"""A broken definition on Airflow: one import error named after it, and a stub DAG that fails with the same message."""

from typing import Any

from airflow_provider.errors import ConfigError
from airflow_provider.version_compat import DAG, BaseOperator, BrokenDefinition, NullTimetable

TAG = "broken definition"


class BrokenDefinitionOperator(BaseOperator):
    """Fails with the message of the definition that could not be built."""

    def __init__(self, *, message: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.message = message

    def execute(self, context: Any) -> None:
        """Fail.

        Raises:
            ConfigError: Always.
        """
        raise ConfigError(self.message, where=f"DAG {self.dag_id!r}", fix="mend the definition; the message says how")


def register_broken(name: str, message: str) -> DAG:
    """Register the stub DAG and the import error of definition ``name``; returns the stub."""
    dag_id = _as_id(name)
    with DAG(
        dag_id, schedule=NullTimetable(), tags=[TAG], doc_md=f"**Broken definition**\n\n```\n{message}\n```"
    ) as stub:
        BrokenDefinitionOperator(task_id="broken_definition", message=message)
    with BrokenDefinition(
        f"{dag_id}__import_error", schedule=NullTimetable(), definition=name, message=f"{name}: {message}"
    ):
        BrokenDefinitionOperator(task_id="broken_definition", message=message)
    return stub


def _as_id(name: str) -> str:
    return "".join(character if character.isalnum() or character in "-._" else "_" for character in name)[:200]
