"""OpenTelemetry's SDK with its exporters in memory, installed for one test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from babelreg.runtime import OpenTelemetry

__all__ = ["Recorded", "recording"]


class Recorded:
    """What was recorded. ``tracer`` is for spans of the service itself."""

    def __init__(self) -> None:
        self.spans_in_memory = InMemorySpanExporter()
        self.tracer_provider = TracerProvider()
        self.tracer_provider.add_span_processor(SimpleSpanProcessor(self.spans_in_memory))
        self.tracer = self.tracer_provider.get_tracer("service")
        self.reader = InMemoryMetricReader()
        self.meter_provider = MeterProvider(metric_readers=[self.reader])

    def spans(self, operation: str | None = None) -> list[ReadableSpan]:
        """The ended spans, in order; with ``operation`` those of names like ``send orders``."""
        found = self.spans_in_memory.get_finished_spans()
        return [span for span in found if operation is None or span.name.startswith(f"{operation} ")]

    def points(self, metric: str) -> list[tuple[Mapping[str, Any], Any]]:
        """The data points of a metric, each as its attributes and its value, or its count."""
        data = self.reader.get_metrics_data()
        scopes = (
            [] if data is None else [scope for resource in data.resource_metrics for scope in resource.scope_metrics]
        )
        metrics = [one for scope in scopes for one in scope.metrics if one.name == metric]
        return [
            (dict(point.attributes or {}), getattr(point, "value", None) or getattr(point, "count", None))
            for one in metrics
            for point in one.data.data_points
        ]


@contextmanager
def recording() -> Iterator[Recorded]:
    recorded = Recorded()
    telemetry = OpenTelemetry(tracer_provider=recorded.tracer_provider, meter_provider=recorded.meter_provider)
    telemetry.install()
    try:
        yield recorded
    finally:
        telemetry.uninstall()
