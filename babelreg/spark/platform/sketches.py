"""Sketches of frames: messages of Kafka or of a table as a source of ``babelreg infer``.

::

    sketch(spark.read.format("kafka").options(...).load(), "traffic.sketch")
    sketch(spark.table("raw.messages"), "traffic.sketch", body="payload")
    sketch(events, "traffic.sketch", wire="cloudevents", registry=registry, headers="headers")

A first stage sketches the rows of each partition, a second one merges sketches, so that few of them reach the driver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelreg.analysis.sketch import sketch_file
from babelreg.analysis.sketch.recordings import add_messages
from babelreg.analysis.sketch.text_detection import Detectors
from babelreg.analysis.sketch.traffic_sketch import TrafficSketch
from babelreg.errors import UsageError
from babelreg.lake.traffic.detection import detectors
from babelreg.lake.traffic.foreign_splits import bridged
from babelreg.model.wire_mapping import wire_mapping
from babelreg.spark.platform import frame_columns, transport_headers
from babelreg.spark.platform.frame_columns import quoted
from babelreg.spark.platform.worker_function import batch_function, check_workers
from babelreg.wire.format import NATIVE
from babelreg.wire.mapping import Key

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from babelreg.model import Registry

_MERGING_TASKS = 8


def sketch(
    df: DataFrame,
    file: str | Path | None = None,
    body: str = "value",
    *,
    wire: str = NATIVE,
    registry: Registry | None = None,
    headers: str | None = None,
    topic: str | None = None,
) -> TrafficSketch:
    """Return the sketch of the messages of ``df``, a batch, in the column ``body``, string or binary.

    It is saved to ``file``, where one is given, readable by its owner only: ``babelreg infer FILE`` reads it. A row
    whose body is null, as a Kafka tombstone has, is not a message.

    Messages of a foreign ``wire`` format are made envelopes first, by the names of ``registry``. ``headers`` and
    ``topic`` are the columns of Kafka's headers and topics, for formats that need them. Raises UsageError, InputError.
    """
    from pyspark.sql import functions as F

    if wire == NATIVE and (headers or topic):
        raise UsageError("headers and topic are for messages of a foreign wire format", fix="set the wire")
    if df.isStreaming:
        raise UsageError("a sketch needs a batch, not a stream", fix="spark.read instead of spark.readStream")
    frame_columns.kept(df, body, (), ())
    check_workers(df.sparkSession)
    judges = detectors()
    message = transport_headers.with_message(df, wire, body, headers).cast("binary").alias("body")
    if wire == NATIVE:
        rows, task = df.select(message), _SketchedRows(judges, _add_bodies)
    else:
        source = F.lit("") if topic is None else F.col(quoted(topic)).cast("string")
        urns = wire_mapping(registry, wire).urns if registry is not None else {}
        rows, task = df.select(message, source.alias("source")), _SketchedRows(judges, _AddedEvents(wire, urns))
    sketches = rows.mapInArrow(batch_function(task), "sketch binary")
    merged = sketches.repartition(_MERGING_TASKS).mapInArrow(
        batch_function(_SketchedRows(judges, _merge)), "sketch binary"
    )
    result = TrafficSketch(judges)
    _merge(result, (row["sketch"] for row in merged.collect()))
    if file is not None:
        sketch_file.write(Path(file), result)
    return result


@dataclass(frozen=True)
class _SketchedRows:
    """One sketch of all rows of a task: ``add`` takes their column, or tuples of two. Plain data for the workers."""

    detectors: Detectors
    add: Callable[[TrafficSketch, Iterable[Any]], None]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        result = TrafficSketch(self.detectors)
        for batch in batches:
            columns = [column.to_pylist() for column in batch.columns]
            rows = columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))
            self.add(result, (row for row, body in zip(rows, columns[0], strict=True) if body is not None))
        yield pa.RecordBatch.from_pydict({"sketch": [sketch_file.encode(result)]}, pa.schema([("sketch", pa.binary())]))


@dataclass(frozen=True)
class _AddedEvents:
    """Adds messages of the format ``wire``, whose names ``urns`` maps, with their sources."""

    wire: str
    urns: Mapping[Key, str]

    def __call__(self, result: TrafficSketch, records: Iterable[tuple[bytes, str]]) -> None:
        add_messages(result, bridged(records, self.wire, self.urns))


def _add_bodies(result: TrafficSketch, bodies: Iterable[bytes]) -> None:
    add_messages(result, bodies)


def _merge(result: TrafficSketch, sketches: Iterable[bytes]) -> None:
    for content in sketches:
        result.merge(sketch_file.decode(bytes(content), result.detectors))
