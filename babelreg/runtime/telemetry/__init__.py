"""Telemetry of producers and consumers: log fields, hooks, OpenTelemetry, liveness."""
