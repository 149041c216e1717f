"""Streams of messages into Delta or Iceberg tables: ``stream`` runs one, ``stream_settings`` says which."""

from babelreg.spark.platform.stream.stream import stream
from babelreg.spark.platform.stream.stream_run import Observer
from babelreg.spark.platform.stream.stream_settings import StreamSettings, stream_settings

__all__ = ["Observer", "StreamSettings", "stream", "stream_settings"]
