"""Recordings of messages: files of frames that `babelreg spark ingest` reads, from queues, exchanges and services."""
