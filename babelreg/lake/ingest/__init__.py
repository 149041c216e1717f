"""Runs that change a lake: ingest, redrive, compact, watch."""
