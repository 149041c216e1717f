"""Message files of a folder by Spark's own readers, also in object stores: a row a message.

Lines end at LF alone, and files may be compressed as their names say (``.gz``, ``.zst``, ``.bz2``). Files of frames
(see ``sources.frames``) are read whole. Spark reads a file once, as it is when it is first listed: files must be
complete when they appear, as objects of a store are.

``read`` returns a stream of lines and of whole files; ``messages`` makes messages with their offsets of each batch (see
``tasks.located_messages``). Where Spark splits a file, the lengths of its lines are summed by split first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from babelreg.lake.tasks.located_messages import LocatedMessages, Split
from babelreg.spark.platform.stream.place import FolderPlace
from babelreg.spark.platform.worker_function import batch_function
from babelreg.wire.format import NATIVE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

POSITION = ("source_file", "source_offset")
"""Columns that say where a message came from: the file, and the message's first byte in its decompressed content."""

RECEIVED_AT = "source_modified"
"""The time of messages that have none themselves: when the file was changed."""

_FRAMED = r"\.frames(\.gz|\.zst)?$"
_FRAMED_GLOB = "*.{frames,frames.gz,frames.zst}"
_BINARY_FILE = "path string, modificationTime timestamp, length long, content binary"
_MESSAGES = f"value binary, source_file string, source_offset long, {RECEIVED_AT} timestamp"
_DEEP = {"recursiveFileLookup": "true"}
_RAW = ("value", "source_file", RECEIVED_AT, "block", "is_framed")


def read(session: SparkSession, place: FolderPlace, options: Mapping[str, str]) -> DataFrame:
    """Return the stream of ``place``: ``value``, the bytes of a line or of a file of frames, and where it is."""
    return _lines(session, place, options).unionByName(_frames(session, place, options))


def messages(frame: DataFrame, wire: str = NATIVE) -> DataFrame:
    """Return the messages of a batch of :func:`read`: ``value``, the columns of ``POSITION``, ``RECEIVED_AT``."""
    located = LocatedMessages(_starts(frame), wire)
    return frame.select(*_RAW).mapInArrow(batch_function(located), _MESSAGES)


def _lines(session: SparkSession, place: FolderPlace, options: Mapping[str, str]) -> DataFrame:
    """Return the lines of all other files. A condition on a file's name keeps Spark from opening the file."""
    from pyspark.sql import functions as F

    lines = session.readStream.format("text").options(**{"lineSep": "\n", **_DEEP, **options}).load(place.address)
    unframed = lines.where(~F.col("_metadata.file_name").rlike(_FRAMED))
    names = {
        "source_file": "file_path",
        RECEIVED_AT: "file_modification_time",
        "block": "file_block_start",
        "size": "file_size",
    }
    columns = [F.col(f"_metadata.{member}").alias(name) for name, member in names.items()]
    return unframed.select(F.col("value").cast("binary"), *columns, F.lit(False).alias("is_framed"))


def _frames(session: SparkSession, place: FolderPlace, options: Mapping[str, str]) -> DataFrame:
    from pyspark.sql import functions as F

    reader = session.readStream.format("binaryFile").schema(_BINARY_FILE)
    files = reader.options(**{"pathGlobFilter": _FRAMED_GLOB, **_DEEP, **options}).load(place.address)
    return files.select(
        F.col("content").alias("value"),
        F.col("path").alias("source_file"),
        F.col("modificationTime").alias(RECEIVED_AT),
        F.lit(0).cast("long").alias("block"),
        F.col("length").alias("size"),
        F.lit(True).alias("is_framed"),
    )


def _starts(frame: DataFrame) -> dict[Split, int]:
    """Return the offsets at which the lines of splits begin, of files that Spark may have split.

    Each line is in one split alone, so that the sizes of the splits before add up. A condition on a file's size keeps
    Spark from reading smaller files.
    """
    from pyspark.sql import functions as F

    large = frame.where(~F.col("is_framed") & (F.col("size") > _least_split(frame.sparkSession)))
    sums = large.groupBy("source_file", "block").agg(F.sum(F.length("value").cast("long") + 1).alias("bytes"))
    starts: dict[Split, int] = {}
    last, position = "", 0
    for row in sums.orderBy("source_file", "block").collect():
        if row["source_file"] != last:
            last, position = row["source_file"], 0
        starts[last, row["block"]] = position
        position += row["bytes"]
    return starts


def _least_split(session: SparkSession) -> int:
    """Return the size up to which Spark splits no file."""
    conf: Any = session._jsparkSession.sessionState().conf()
    return min(int(conf.filesMaxPartitionBytes()), int(conf.filesOpenCostInBytes()))
