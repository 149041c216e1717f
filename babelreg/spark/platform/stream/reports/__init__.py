"""Reports on a run of a stream: its summary, metrics for Prometheus, events of OpenLineage."""
