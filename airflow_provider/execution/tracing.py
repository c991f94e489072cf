"""OpenTelemetry spans around the steps of a run, in a process that has OpenTelemetry loaded; else nothing.

Spans carry names and counts, never data, and of an error its class alone: its words may hold a secret.
"""

import contextlib
import sys
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def span(name: str, **attributes: str | int) -> Iterator[None]:
    """A span called ``name`` with the attributes ``airflow_provider.<attribute>``, current inside the block."""
    trace: Any = sys.modules.get("opentelemetry.trace")
    if trace is None:
        yield
        return
    named = {f"airflow_provider.{attribute}": value for attribute, value in attributes.items()}
    tracer = trace.get_tracer("airflow_provider")
    with tracer.start_as_current_span(
        name, attributes=named, record_exception=False, set_status_on_exception=False
    ) as current:
        try:
            yield
        except BaseException as error:
            current.set_status(trace.Status(trace.StatusCode.ERROR, type(error).__name__))
            raise
