"""Message files of a folder by Spark's own readers, also in object stores: a row a message.

A file is read whole, and its messages are those that a lake finds in it, with the same errors (see
``tasks.file_contents``). Only large files of lines are read by Spark's text reader, which splits them (see
``tasks.located_messages``). Spark reads a file once, as it is when it is first listed: files must be complete when they
appear, as objects of a store are.

``read`` returns a stream of files; ``messages`` makes messages with their offsets of each batch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.errors import InputError
from babelreg.lake.tasks.file_contents import ContentMessages, decoded, is_message_file, shown_path
from babelreg.lake.tasks.located_messages import BYTE_ORDER_MARK, LocatedMessages, Split
from babelreg.sources import input_folder
from babelreg.sources.compression import uncompressed_name
from babelreg.spark.platform.stream.place import FolderPlace
from babelreg.spark.platform.worker_function import batch_function
from babelreg.wire.format import NATIVE
from babelreg.wire.formats import find

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

POSITION = ("source_file", "source_offset")
"""Columns that say where a message came from: the file, and the message's first byte in its decompressed content."""

RECEIVED_AT = "source_modified"
"""The time of messages that have none themselves: when the file was changed."""

_WHOLE_BYTES = 16 * 1024 * 1024
"""The size up to which a file of lines is read whole."""

_FRAMED = r"\.frames(\.gz|\.zst)?$"
_FRAMED_GLOB = "*.{frames,frames.gz,frames.zst}"
_OTHER_CODECS = r"(?i)\.(bz2|deflate|lz4|snappy)$"
"""Names of files that Spark's text reader would decompress, whatever they hold."""

_BINARY_FILE = "path string, modificationTime timestamp, length long, content binary"
_MESSAGES = f"value binary, source_file string, source_offset long, {RECEIVED_AT} timestamp"
_DEEP = {"recursiveFileLookup": "true"}
_LITERAL = {"__globPaths__": "false"}
"""An option of Spark's own streams: names of files are not patterns."""


def check(place: FolderPlace) -> None:
    """Look through a folder of this machine for what Spark would pass over or fail at. Raises InputError.

    So a link to nothing, a pipe and a link that leads in circles are errors, as they are for a lake.
    """
    folder = shown_path(decoded(place.address))
    if not isinstance(folder, Path) or not folder.is_dir():
        return
    for name in input_folder.list_files(folder):
        input_folder.check_regular(f"{folder}/{name}")
        if ":" in name:
            raise InputError(
                f"{folder}/{name} has a colon in its name, which file systems of Spark cannot list",
                fix="rename the file",
            )


def read(session: SparkSession, place: FolderPlace, options: Mapping[str, str]) -> DataFrame:
    """Return the stream of the files of ``place``: ``value``, the bytes of each, and what is known of it."""
    from pyspark.sql import functions as F

    # Two sources, although one could have all files: checkpoints were begun with the second one for frames.
    others = _files(session, place, options).where(~F.col("_metadata.file_name").rlike(_FRAMED))
    return _described(others).unionByName(
        _described(_files(session, place, {"pathGlobFilter": _FRAMED_GLOB, **options}))
    )


def messages(frame: DataFrame, place: FolderPlace, options: Mapping[str, str], wire: str = NATIVE) -> DataFrame:
    """Return the messages of a batch of :func:`read`: ``value``, the columns of ``POSITION``, ``RECEIVED_AT``."""
    root = decoded(place.address)
    is_large = _is_large(wire)
    contents = frame.where(~is_large).select("value", "source_file", RECEIVED_AT)
    whole = contents.mapInArrow(batch_function(ContentMessages(root, wire)), _MESSAGES)
    large = [row["source_file"] for row in frame.where(is_large).select("source_file").collect()]
    addresses = [address for file in large if is_message_file(root, address := decoded(file))]
    return whole.unionByName(_lines(frame.sparkSession, addresses, options, wire)) if addresses else whole


def _is_large(wire: str) -> Column:
    """Return the condition for files that are read line by line; one on metadata keeps Spark from opening files."""
    from pyspark.sql import functions as F

    if find(wire).spans is not None:
        return F.lit(False)
    name = F.col("source_file")
    return (F.col("size") > _WHOLE_BYTES) & ~name.rlike(_FRAMED) & ~name.rlike(_OTHER_CODECS)


def _files(session: SparkSession, place: FolderPlace, options: Mapping[str, str]) -> DataFrame:
    reader = session.readStream.format("binaryFile").schema(_BINARY_FILE)
    return reader.options(**{**_DEEP, **options}).load(place.address)


def _described(files: DataFrame, value: str = "content", **others: str) -> DataFrame:
    """Return the bytes of files or lines, with metadata of their file."""
    from pyspark.sql import functions as F

    names = {"source_file": "file_path", RECEIVED_AT: "file_modification_time", "size": "file_size", **others}
    columns = [F.col(f"_metadata.{member}").alias(name) for name, member in names.items()]
    return files.select(F.col(value).cast("binary").alias("value"), *columns)


def _lines(session: SparkSession, addresses: Sequence[str], options: Mapping[str, str], wire: str) -> DataFrame:
    """Return the messages of large files by Spark's text reader."""
    reader = session.read.format("text").options(**{**options, "lineSep": "\n", **_LITERAL})
    lines = _described(reader.load(list(addresses)), "value", block="file_block_start")
    starts, marked = _starts(lines)
    located = LocatedMessages(starts, wire, marked)
    rows = lines.select("value", "source_file", RECEIVED_AT, "block")
    return rows.mapInArrow(batch_function(located), _MESSAGES)


def _starts(lines: DataFrame) -> tuple[dict[Split, int], frozenset[str]]:
    """Return the offsets at which the lines of splits begin, and the files whose byte order mark was dropped.

    Each line is in one split alone, so that the sizes of the splits before add up.
    """
    from pyspark.sql import functions as F

    sums = lines.groupBy("source_file", "size", "block").agg(F.sum(F.length("value").cast("long") + 1).alias("bytes"))
    rows = sums.orderBy("source_file", "block").collect()
    starts: dict[Split, int] = {}
    marked = set()
    for file, splits in groupby(rows, lambda row: row["source_file"]):
        parts = list(splits)
        position = parts[0]["size"] - sum(part["bytes"] for part in parts)  # -1 without an LF at the end
        position = len(BYTE_ORDER_MARK) if _is_plain(file) and position + 1 >= len(BYTE_ORDER_MARK) else 0
        if position:
            marked.add(file)
        for part in parts:
            starts[file, part["block"]] = position if part["block"] else 0
            position += part["bytes"]
    return starts, frozenset(marked)


def _is_plain(file: str) -> bool:
    name = decoded(file).lower()
    return uncompressed_name(name) == name
