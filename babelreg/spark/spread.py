"""Work for many tasks: a share each, as plain Python data, and what they tell, as Arrow.

Spark is given numbers alone. The shares travel with the function, so that no Python process has to turn them into rows
and another one back.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

__all__ = ["spread"]

Share = TypeVar("Share")


def spread(
    session: SparkSession, shares: Sequence[Share], work: Callable[[Share], Iterator[pa.RecordBatch]], schema: str
) -> list[dict[str, Any]]:
    """Do ``work`` with each of ``shares``, every one a task of its own; the rows of ``schema``, as DDL, that it tells.

    ``work`` and the shares are pickled, and done anew where a task fails.
    """
    if not shares:
        return []
    packed = [pickle.dumps(share) for share in shares]  # a task looks into its own alone

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch["id"].to_pylist():
                yield from work(pickle.loads(packed[number]))

    numbers = session.range(0, len(shares), 1, len(shares))
    return list(numbers.mapInArrow(run, schema).toArrow().to_pylist())
