"""Sketches of frames: messages of Kafka or of a table as a source of ``babelreg infer``.

::

    sketch(spark.read.format("kafka").options(...).load(), "traffic.sketch")
    sketch(spark.table("raw.messages"), "traffic.sketch", body="payload")

A first stage sketches the rows of each partition, a second one merges sketches, so that few of them reach the driver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.analysis.sketch import sketch_file
from babelreg.analysis.sketch.recordings import add_messages
from babelreg.analysis.sketch.text_detection import Detectors
from babelreg.analysis.sketch.traffic_sketch import TrafficSketch
from babelreg.errors import UsageError
from babelreg.lake.traffic.detection import detectors
from babelreg.spark.platform import frame_columns
from babelreg.spark.platform.frame_columns import quoted
from babelreg.spark.platform.worker_function import batch_function, check_workers

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

_MERGING_TASKS = 8


def sketch(df: DataFrame, file: str | Path | None = None, body: str = "value") -> TrafficSketch:
    """Return the sketch of the messages of ``df``, a batch, in the column ``body``, string or binary.

    It is saved to ``file``, where one is given, readable by its owner only: ``babelreg infer FILE`` reads it. A row
    whose body is null, as a Kafka tombstone has, is not a message. Raises UsageError, InputError.
    """
    from pyspark.sql import functions as F

    if df.isStreaming:
        raise UsageError("a sketch is of a batch, not of a stream", fix="spark.read instead of spark.readStream")
    frame_columns.kept(df, body, (), ())
    check_workers(df.sparkSession)
    judges = detectors()
    bodies = df.select(F.col(quoted(body)).cast("binary").alias("body"))
    sketches = bodies.mapInArrow(batch_function(_SketchedRows(judges, _add_bodies)), "sketch binary")
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
    """One sketch of all rows of a task: ``add`` takes their only column. Plain data for the workers."""

    detectors: Detectors
    add: Callable[[TrafficSketch, Iterable[bytes]], None]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        result = TrafficSketch(self.detectors)
        for batch in batches:
            self.add(result, (value for value in batch.column(0).to_pylist() if value is not None))
        yield pa.RecordBatch.from_pydict({"sketch": [sketch_file.encode(result)]}, pa.schema([("sketch", pa.binary())]))


def _add_bodies(result: TrafficSketch, bodies: Iterable[bytes]) -> None:
    add_messages(result, bodies)


def _merge(result: TrafficSketch, sketches: Iterable[bytes]) -> None:
    for content in sketches:
        result.merge(sketch_file.decode(bytes(content), result.detectors))
