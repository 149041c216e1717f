"""The Arrow pass as ingest runs it, with nothing behind it: what it makes is counted and thrown away."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark import cloudpickle

from babelreg.lake.input.message_files import FileRange, FileSource
from babelreg.lake.tasks.validation_spec import ValidationSpec
from babelreg.spark.engine.spark_engine import SparkEngine


def run(spark: Any, source: Path, spec: ValidationSpec, *, typed: bool) -> int:
    """How many messages were judged and written as canonical JSON, and where ``typed`` made into their columns too."""
    named = sorted((path.name, path.stat().st_size) for path in source.iterdir())
    files = FileSource(str(source.resolve()), tuple(FileRange(name, 0, size, size) for name, size in named), 1)
    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers know the package, not its benchmarks
    engine = SparkEngine(spark)
    return sum(engine.map(files.splits(engine.parallelism()), partial(_judged, files, spec, typed)))


def _judged(source: FileSource, spec: ValidationSpec, typed: bool, split: Any) -> int:
    import gc

    from babelreg.contract.parse import deep
    from babelreg.lake.tasks.staging_writer import TaskWriter

    class Sieve(TaskWriter):
        def _write(self, place: int, batch: pa.RecordBatch) -> None:
            pass

    validator, messages = spec.row_validator(), 0
    writer = Sieve(spec, Path("/nonexistent"))
    gc.disable()  # as the landing does
    with deep():
        for chunk in source.chunks(split):
            messages += len(chunk.bodies)
            if typed:
                writer.add(chunk)
            else:
                for body, offset in zip(chunk.bodies, chunk.offsets, strict=True):
                    validator.read(body, offset, chunk.name)
        if typed:
            writer._flush()
    gc.enable()
    return messages
