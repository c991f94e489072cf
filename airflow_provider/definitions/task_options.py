"""Settings of an asset's Airflow task, kept apart from what the asset is.

Plain values only, so that reading a definition imports no Airflow.
"""

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, kw_only=True)
class TaskOptions:
    """What Airflow's operator takes; an option left at None keeps Airflow's own default.

    On a source they are the defaults of its assets' tasks; an asset's own win option by option.
    """

    pool: str | None = None
    pool_slots: int | None = None
    queue: str | None = None
    executor: str | None = None
    executor_config: Mapping[str, Any] | None = None
    execution_timeout: dt.timedelta | None = None
    retries: int | None = None
    retry_delay: dt.timedelta | None = None
    max_retry_delay: dt.timedelta | None = None
    retry_exponential_backoff: float | None = None
    priority_weight: int | None = None
    weight_rule: str | None = None
    trigger_rule: str | None = None
    depends_on_past: bool | None = None
    wait_for_downstream: bool | None = None
    max_active_tis_per_dag: int | None = None
    owner: str | None = None
    on_execute_callback: Callable[..., Any] | None = None
    on_success_callback: Callable[..., Any] | None = None
    on_failure_callback: Callable[..., Any] | None = None
    on_retry_callback: Callable[..., Any] | None = None
    on_skipped_callback: Callable[..., Any] | None = None

    def as_kwargs(self) -> dict[str, Any]:
        """The options that are set, as keywords of an operator."""
        return {f.name: value for f in fields(self) if (value := getattr(self, f.name)) is not None}


def merged(*layers: TaskOptions | None) -> dict[str, Any]:
    """Operator keywords of several layers, the last one winning option by option."""
    kwargs: dict[str, Any] = {}
    for layer in layers:
        kwargs.update(layer.as_kwargs() if layer is not None else {})
    return kwargs
