"""Recordings of messages: a queue drained into files of frames, which `babelreg lake ingest` reads."""
