"""Airflow's names, wherever the running version keeps them; the one module that knows versions differ.

What a version lacks is a named error or a documented fallback here, never an ``if`` elsewhere.
"""

from typing import Any

from airflow.providers.common.compat.sdk import (
    AirflowFailException,
    AirflowNotFoundException,
    AirflowSkipException,
    BaseHook,
    BaseOperator,
)
from airflow.sdk import DAG, Param, TaskGroup, get_parsing_context
from airflow.sdk import Asset as AirflowAsset
from airflow.sdk.definitions.param import ParamsDict
from airflow.sdk.log import mask_secret

try:
    from airflow.sdk import CronDataIntervalTimetable
except ImportError:  # Airflow 3.1 keeps timetables in the core
    from airflow.timetables.interval import CronDataIntervalTimetable  # type: ignore[assignment]

from airflow.timetables.simple import ContinuousTimetable, NullTimetable, OnceTimetable

try:
    from airflow.sdk import RetryDecision
    from airflow.sdk import RetryPolicy as AirflowRetryPolicy

    HAS_RETRY_POLICY = True
except ImportError:  # before Airflow 3.3 nobody asks a policy: the operator fails the task itself

    class AirflowRetryPolicy:  # type: ignore[no-redef]
        """Stands in for a base class that nobody calls."""

    class RetryDecision:  # type: ignore[no-redef]
        """Stands in for an answer that nobody reads."""

    HAS_RETRY_POLICY = False

EXPONENTIAL_BACKOFF: Any = True if getattr(BaseOperator, "retry_exponential_backoff", 0) is False else 2.0
"""What doubles the delay: a yes in Airflow 3.1, the factor later."""

__all__ = [
    "DAG",
    "EXPONENTIAL_BACKOFF",
    "HAS_RETRY_POLICY",
    "AirflowAsset",
    "AirflowFailException",
    "AirflowNotFoundException",
    "AirflowRetryPolicy",
    "AirflowSkipException",
    "BaseHook",
    "BaseOperator",
    "BrokenDefinition",
    "ContinuousTimetable",
    "CronDataIntervalTimetable",
    "NullTimetable",
    "OnceTimetable",
    "Param",
    "ParamsDict",
    "RetryDecision",
    "TaskGroup",
    "get_parsing_context",
    "guard_supervisor_socket",
    "mask_secret",
]


class BrokenDefinition(DAG):
    """A DAG that exists to put one import error, named after file and definition, beside healthy DAGs of that file.

    An import error marks every DAG of the file that it names as stale. Serialisation errors are filed under the file
    name that the DAG carries after ``validate``; so this one appends the definition's name to its own, then fails to
    serialise with the definition's message. It never becomes a runnable DAG.
    """

    def __init__(self, *args: Any, definition: str, message: str, **kwargs: Any) -> None:
        self._definition, self._message, self._is_armed = definition, message, False
        super().__init__(*args, **kwargs)

    def validate(self) -> None:
        """Name this definition's own error entry, then let serialisation fail."""
        if not self._is_armed:
            self.fileloc = f"{self.fileloc} [{self._definition}]"
            self.relative_fileloc = f"{self.relative_fileloc or ''} [{self._definition}]"
            self._is_armed = True

    @property
    def description(self) -> str | None:
        """Read by the serialiser; raises the definition's error once the DAG was validated."""
        if self._is_armed:
            raise BrokenDefinitionError(self._message)
        return None

    @description.setter
    def description(self, value: str | None) -> None:
        del value


class BrokenDefinitionError(Exception):
    """What is wrong with a definition, as it stands in Airflow's list of import errors."""


def guard_supervisor_socket() -> None:
    """Let one thread at a time ask the task's supervisor on Airflow 3.1, where two at once hang for ever.

    Later versions have the lock themselves; there, and outside a task, this does nothing.
    """
    import threading

    from airflow.sdk.execution_time.comms import CommsDecoder

    if hasattr(CommsDecoder, "_thread_lock") or "_thread_lock" in getattr(CommsDecoder, "__annotations__", {}):
        return
    if getattr(CommsDecoder.send, "is_guarded", False):
        return
    lock, send = threading.RLock(), CommsDecoder.send

    def guarded(self: Any, *args: Any, **kwargs: Any) -> Any:
        with lock:
            return send(self, *args, **kwargs)

    guarded.is_guarded = True  # type: ignore[attr-defined]
    CommsDecoder.send = guarded  # type: ignore[method-assign]
