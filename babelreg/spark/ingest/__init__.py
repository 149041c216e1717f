"""The verbs that add to a lake: ingest, redrive, compact, watch."""
