"""Message files of a folder by Spark's own readers, also in object stores: a row a message.

Lines end at LF alone, and files may be compressed as their names say (``.gz``, ``.zst``, ``.bz2``). Files of frames
(see ``sources.frames``) are read whole. Spark reads a file once, as it is when it is first listed: files must be
complete when they appear, as objects of a store are.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.spark.platform.stream.place import FolderPlace

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["POSITION", "RECEIVED_AT", "read"]

POSITION = ("source_file",)
"""Columns that say where a message came from."""

RECEIVED_AT = "source_modified"
"""The time of messages that have none themselves: when the file was changed."""

_WHITE = " \t\r\n\x0b\f"
_FRAMED = r"\.frames(\.gz|\.zst)?$"
_FRAMED_GLOB = "*.{frames,frames.gz,frames.zst}"
_BINARY_FILE = "path string, modificationTime timestamp, length long, content binary"
_MESSAGES = f"value binary, source_file string, {RECEIVED_AT} timestamp"
_DEEP = {"recursiveFileLookup": "true"}


def read(session: SparkSession, place: FolderPlace, options: Mapping[str, str]) -> DataFrame:
    """Return the stream of ``place``: ``value`` and the columns of ``POSITION``."""
    return _lines(session, place, options).unionByName(_frames(session, place, options))


def _lines(session: SparkSession, place: FolderPlace, options: Mapping[str, str]) -> DataFrame:
    """Return the messages of all other files. A condition on a file's name keeps Spark from opening the file."""
    from pyspark.sql import functions as F

    lines = session.readStream.format("text").options(**{"lineSep": "\n", **_DEEP, **options}).load(place.address)
    unframed = lines.where(~F.col("_metadata.file_name").rlike(_FRAMED))
    filled = unframed.where(F.btrim("value", F.lit(_WHITE)) != "")
    names = {"source_file": F.col("_metadata.file_path"), RECEIVED_AT: F.col("_metadata.file_modification_time")}
    return filled.select(F.col("value").cast("binary"), *(column.alias(name) for name, column in names.items()))


def _frames(session: SparkSession, place: FolderPlace, options: Mapping[str, str]) -> DataFrame:
    reader = session.readStream.format("binaryFile").schema(_BINARY_FILE)
    files = reader.options(**{"pathGlobFilter": _FRAMED_GLOB, **_DEEP, **options}).load(place.address)
    return files.select("path", "modificationTime", "content").mapInArrow(_messages, _MESSAGES)


def _messages(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for batch in batches:
        for number, content in enumerate(batch.column("content").to_pylist()):
            bodies = _bodies(batch.column("path")[number].as_py(), content)
            positions = (pa.repeat(batch.column(name)[number], len(bodies)) for name in ("path", "modificationTime"))
            yield pa.RecordBatch.from_arrays(
                [pa.array(bodies, pa.binary()), *positions], names=["value", "source_file", RECEIVED_AT]
            )


def _bodies(path: str, content: bytes) -> list[bytes]:
    """Return the messages of a file of frames. Raises InputError for a truncated one."""
    import pyarrow as pa

    from babelreg.sources import frames
    from babelreg.sources.compression import compression_of

    if compression := compression_of(content):
        content = pa.input_stream(pa.BufferReader(content), compression=compression).read()
    size = len(content)
    return [body for body, _ in frames.read(io.BytesIO(content), Path(path), 0, size, size)]
