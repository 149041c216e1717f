"""The Arrow pass as ingest runs it, with nothing behind it: what it makes is counted and thrown away."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from babelreg.spark import session
from babelreg.spark.judge import Judge
from babelreg.spark.sources.files import Files, Range
from babelreg.spark.spread import spread


def run(spark: Any, source: Path, judge: Judge, *, typed: bool) -> int:
    """How many messages were judged and written as canonical JSON, and where ``typed`` made into their columns too."""
    named = sorted((path.name, path.stat().st_size) for path in source.iterdir())
    files = Files(str(source.resolve()), tuple(Range(name, 0, size, size) for name, size in named), 1)
    own = session.configured(spark)
    shares = files.shares(own.sparkContext.defaultParallelism)
    return sum(row["messages"] for row in spread(own, shares, _judging(files, judge, typed), "messages bigint"))


def _judging(source: Files, judge: Judge, typed: bool) -> Callable[[Any], Iterator[pa.RecordBatch]]:
    def run(share: Any) -> Iterator[pa.RecordBatch]:
        import gc

        from babelreg.spark.tray import Tray
        from babelreg.spark.verdict import deep

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
        yield pa.RecordBatch.from_pydict({"messages": [messages]})

    return run
