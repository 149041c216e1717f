"""Work for many tasks: a share each, and what each tells, both plain Python data.

Spark is given numbers alone. The shares travel with the function, so that no Python process has to turn them into rows
and another one back.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

__all__ = ["spread"]

Share = TypeVar("Share")
Told = TypeVar("Told")


def spread(session: SparkSession, shares: Sequence[Share], work: Callable[[Share], Told]) -> list[Told]:
    """What ``work`` tells of each of ``shares``, every one a task of its own.

    ``work``, the shares and what is told are pickled; a task that fails is done anew.
    """
    if not shares:
        return []
    packed = [pickle.dumps(share) for share in shares]  # a task looks into its own alone

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for batch in batches:
            for number in batch["id"].to_pylist():
                told = pickle.dumps(work(pickle.loads(packed[number])))
                yield pa.RecordBatch.from_pydict({"told": [told]}, pa.schema([("told", pa.binary())]))

    numbers = session.range(0, len(shares), 1, len(shares))
    return [pickle.loads(told) for told in numbers.mapInArrow(run, "told binary").toArrow()["told"].to_pylist()]
