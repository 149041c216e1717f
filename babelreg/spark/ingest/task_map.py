"""Parallel map over Spark tasks: one item each, arguments and results as plain Python data.

Spark only gets numbers. The items travel with the function, so that no Python process has to turn them into rows.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

__all__ = ["map_tasks"]

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_tasks(session: SparkSession, items: Sequence[Item], work: Callable[[Item], Result]) -> list[Result]:
    """Return the result of ``work`` for each of ``items``, each in a task of its own.

    ``work``, items and results are pickled; a failed task is repeated.
    """
    if not items:
        return []
    packed = [pickle.dumps(item) for item in items]  # a task unpickles only its own

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for batch in batches:
            for number in batch["id"].to_pylist():
                result = pickle.dumps(work(pickle.loads(packed[number])))
                yield pa.RecordBatch.from_pydict({"result": [result]}, pa.schema([("result", pa.binary())]))

    numbers = session.range(0, len(items), 1, len(items))
    return [pickle.loads(result) for result in numbers.mapInArrow(run, "result binary").toArrow()["result"].to_pylist()]
