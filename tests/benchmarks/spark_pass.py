"""The Arrow pass as ingest runs it, with nothing behind it: what it makes is counted and thrown away."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark import cloudpickle

from babelreg.spark.ingest.task_map import spread
from babelreg.spark.session import local
from babelreg.spark.sources.files import FileSource, Range
from babelreg.spark.tasks.validation_spec import ValidationSpec


def run(spark: Any, source: Path, judge: ValidationSpec, *, typed: bool) -> int:
    """How many messages were judged and written as canonical JSON, and where ``typed`` made into their columns too."""
    named = sorted((path.name, path.stat().st_size) for path in source.iterdir())
    files = FileSource(str(source.resolve()), tuple(Range(name, 0, size, size) for name, size in named), 1)
    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers know the package, not its benchmarks
    own = local.configured(spark)
    shares = files.shares(own.sparkContext.defaultParallelism)
    return sum(spread(own, shares, partial(_judged, files, judge, typed)))


def _judged(source: FileSource, judge: ValidationSpec, typed: bool, share: Any) -> int:
    import gc

    from babelreg.contract.parse import deep
    from babelreg.spark.tasks.task_writer import Tray

    class Sieve(Tray):
        def _write(self, place: int, batch: pa.RecordBatch) -> None:
            pass

    bench, messages = judge.bench(), 0
    tray = Sieve(judge, Path("/nonexistent"))
    gc.disable()  # as the landing does
    with deep():
        for piece in source.pieces(share):
            messages += len(piece.bodies)
            if typed:
                tray.add(piece)
            else:
                for body, offset in zip(piece.bodies, piece.offsets, strict=True):
                    bench.read(body, offset, piece.name)
        if typed:
            tray._flush()
    gc.enable()
    return messages
