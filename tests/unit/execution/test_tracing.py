"""Spans of a run, as an exporter of OpenTelemetry's own sees them."""

import subprocess
import sys
from typing import Any

import pytest

import airflow_provider as ap
from airflow_provider.execution.tracing import span

pytest.importorskip("opentelemetry.sdk")


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Any:
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    return exporter


@ap.source
class Shop(ap.Source):
    @ap.asset
    def raw(self):
        return [{"Units": 1}]

    @ap.asset(normalizer=ap.Normalizer())
    def clean(self, raw: ap.Upstream):
        return raw.rows


def test_every_step_has_a_span_inside_that_of_the_run(spans: Any) -> None:
    """A106, A101: events are tested beside the steps; these are the spans."""
    shop = Shop(destinations=ap.MemoryDestination())
    shop.raw.materialize()
    spans.clear()
    shop.clean.materialize()

    found = spans.get_finished_spans()
    assert [one.name for one in found] == [
        "dest_read", "asset_data", "asset_normalize", "asset_conform", "dest_write", "asset_run",
    ]  # fmt: skip
    *steps, run = found
    assert {one.parent.span_id for one in steps} == {run.context.span_id}
    assert {one.attributes["airflow_provider.asset"] for one in found} == {"shop.clean"}
    assert found[0].attributes["airflow_provider.upstream"] == "shop.raw"
    assert found[4].attributes["airflow_provider.destination"] == "memory_destination"


def test_a_failed_step_says_the_class_of_its_error_and_no_word_of_it(spans: Any) -> None:
    @ap.asset
    def broken():
        raise ValueError("hunter2")

    with pytest.raises(ValueError, match="hunter2"):
        broken().run()

    data, run = spans.get_finished_spans()
    for one in (data, run):
        assert (one.status.is_ok, one.status.description, one.events) == (False, "ValueError", ())


def test_without_opentelemetry_there_is_nothing_and_nothing_is_loaded() -> None:
    text = (
        "import sys\nfrom airflow_provider.execution.tracing import span\n"
        "with span('x', n=1): print('opentelemetry' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout == "False\n"


def test_a_span_runs_its_block_once_and_lets_its_error_through() -> None:
    ran = []

    def fail() -> None:
        ran.append(1)
        raise OSError("disk")

    with pytest.raises(OSError, match="disk"), span("alone", n=1):
        fail()

    assert ran == [1]
