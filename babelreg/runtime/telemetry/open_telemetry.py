"""OpenTelemetry for all producers and consumers in a process.

    from messages import OpenTelemetry

    OpenTelemetry().install()      # once, at the start of the service

Needs ``opentelemetry-api``; what is recorded goes where the service's SDK sends it, and nowhere without one. Nothing
that is recorded contains data of a message, unless the text of an exception of a handler does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from babelreg.errors import UsageError
from babelreg.runtime.telemetry import instrumentation

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider


class OpenTelemetry:
    """Spans and metrics by the messaging semantic conventions, from :meth:`install` on.

    ``tracer_provider`` and ``meter_provider`` are those of OpenTelemetry's API; the defaults are the global ones, which
    may be set later. Raises UsageError where ``opentelemetry-api`` is not installed.
    """

    def __init__(
        self, *, tracer_provider: TracerProvider | None = None, meter_provider: MeterProvider | None = None
    ) -> None:
        try:
            from babelreg.runtime.telemetry.messaging_spans import MessagingSpans
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] != "opentelemetry":
                raise
            raise UsageError("opentelemetry-api is not installed", fix="pip install opentelemetry-api") from None
        self._spans = MessagingSpans(tracer_provider, meter_provider)

    def install(self) -> None:
        """Record the messages of all generated packages in this process from now on."""
        instrumentation.install(self._spans)

    def uninstall(self) -> None:
        """Stop recording."""
        instrumentation.uninstall(self._spans)
