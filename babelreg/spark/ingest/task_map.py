"""Work for many tasks: a split each, and what each tells, both plain Python data.

Spark is given numbers alone. The splits travel with the function, so that no Python process has to turn them into rows
and another one back.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

__all__ = ["map_tasks"]

Share = TypeVar("Share")
Told = TypeVar("Told")


def map_tasks(session: SparkSession, splits: Sequence[Share], work: Callable[[Share], Told]) -> list[Told]:
    """What ``work`` tells of each of ``splits``, every one a task of its own.

    ``work``, the splits and what is told are pickled; a task that fails is done anew.
    """
    if not splits:
        return []
    packed = [pickle.dumps(split) for split in splits]  # a task looks into its own alone

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for batch in batches:
            for number in batch["id"].to_pylist():
                told = pickle.dumps(work(pickle.loads(packed[number])))
                yield pa.RecordBatch.from_pydict({"told": [told]}, pa.schema([("told", pa.binary())]))

    numbers = session.range(0, len(splits), 1, len(splits))
    return [pickle.loads(told) for told in numbers.mapInArrow(run, "told binary").toArrow()["told"].to_pylist()]
