"""The checkpoint of a stream, and babelreg's record in it of which stream it belongs to.

Spark reads on where the checkpoint says, whatever the query is: with another topic or folder it would fail in odd
words, or skip messages in silence. So ``babelreg.json`` beside Spark's own files says what is read and where it goes.
All access is by Hadoop's file systems, as Spark's is: the folder may be in an object store.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from babelreg.errors import UsageError
from babelreg.spark.platform.stream.kafka_admin import Offsets
from babelreg.typed_json import typed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Value = TypeVar("Value")

_RECORD = "babelreg.json"
_PARTS = {
    "source": "reads {}",
    "to": "writes tables of {}",
    "at": "writes to {}",
    "wire": "reads messages of {}",
}


@dataclass(frozen=True, slots=True)
class StreamRecord:
    """The stream that a checkpoint belongs to; ``topics`` are the ids of Kafka's topics by name."""

    source: str
    to: str
    at: str
    wire: str
    topics: Mapping[str, str]


class Checkpoint:
    """A checkpoint folder. Nothing is written before ``claim``."""

    def __init__(self, session: SparkSession, address: str) -> None:
        jvm: Any = session._jvm
        self.address = address
        self._jvm = jvm
        self._path = jvm.org.apache.hadoop.fs.Path
        self._system = self._path(address).getFileSystem(session._jsc.hadoopConfiguration())

    def application(self) -> str | None:
        """Return the id of the query; None before its first start."""
        metadata = self._read("metadata")
        return None if metadata is None else self._member(metadata, "metadata", "id", str)

    def record(self) -> StreamRecord | None:
        """Return the stream that the checkpoint belongs to. Raises UsageError for one of another program."""
        text = self._read(_RECORD)
        if text is None:
            if self.application() is None:
                return None
            raise UsageError(
                f"{self.address} is the checkpoint of another Spark query", fix="name a new folder with --checkpoint"
            )
        return self._member(text, _RECORD, "stream", StreamRecord)

    def claim(self, wanted: StreamRecord) -> None:
        """Record the stream of a new checkpoint. Raises UsageError if it belongs to another stream."""
        record = self.record()
        if record is None:
            self._write(_RECORD, json.dumps({"version": 1, "stream": asdict(wanted)}, indent=1) + "\n")
            return
        for part, words in _PARTS.items():
            before, now = getattr(record, part), getattr(wanted, part)
            if before != now:
                raise UsageError(
                    f"the checkpoint {self.address} belongs to a stream that {words.format(before)}, and this one"
                    f" {words.format(now)}",
                    fix="name another folder with --checkpoint, or continue that stream",
                )
        again = sorted(topic for topic, id_ in wanted.topics.items() if record.topics.get(topic, id_) != id_)
        if again:
            raise UsageError(
                f"the topic {again[0]} was deleted and created again since the checkpoint {self.address} was written:"
                " unread messages are lost, and its offsets now refer to other messages",
                fix="name a new folder with --checkpoint, which reads the new topic from its beginning",
            )

    def next_offsets(self) -> Offsets:
        """Return the offsets of Kafka after the last finished batch; empty where there is none."""
        numbers = [int(name) for name in self._names("commits") if name.isdigit()]
        text = self._read(f"offsets/{max(numbers)}") if numbers else None
        if text is None:
            return {}
        try:
            _version, _metadata, *sources = text.splitlines()
            return {
                topic: {int(number): int(offset) for number, offset in partitions.items()}
                for source in sources
                for topic, partitions in json.loads(source).items()
                if isinstance(partitions, dict)
            }
        except (ValueError, TypeError, AttributeError):  # Spark refuses to go on from such a file
            return {}

    def _member(self, text: str, name: str, member: str, kind: Callable[..., Value]) -> Value:
        """Return one member of the file ``name``. Raises UsageError for other files."""
        try:
            return typed(kind, json.loads(text)[member])
        except (ValueError, KeyError, TypeError, RecursionError) as err:
            raise UsageError(
                f"{self.address}/{name} was not written by this version of babelreg: {err}",
                fix="update babelreg, or name a new folder with --checkpoint",
            ) from err

    def _names(self, folder: str) -> list[str]:
        path = self._path(f"{self.address}/{folder}")
        if not self._system.exists(path):
            return []
        return [str(status.getPath().getName()) for status in self._system.listStatus(path)]

    def _read(self, name: str) -> str | None:
        path = self._path(f"{self.address}/{name}")
        if not self._system.exists(path):
            return None
        stream = self._system.open(path)
        try:
            return str(self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
        finally:
            stream.close()

    def _write(self, name: str, text: str) -> None:
        """Write a file whole: a killed run leaves no part of it under its name."""
        part, path = self._path(f"{self.address}/.{name}.part"), self._path(f"{self.address}/{name}")
        stream = self._system.create(part, True)
        try:
            stream.write(bytearray(text.encode()))
        finally:
            stream.close()
        self._system.rename(part, path)
