"""Identity of a batch: the application that writes and the number of the batch within it.

Both table formats and the log of batches know a batch by this pair alone, so a number must never mean two batches. The
checkpoint of a streaming query has an id, which is the application: a new checkpoint counts from 0 under a new id.
Where the id cannot be read (Spark Connect, batch jobs), the caller names the application.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from babelreg.errors import UsageError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_QUERY_ID = "sql.streaming.queryId"
_WHY = (
    "tables know a batch by its application and number: under a name that is used again with a new checkpoint, numbers"
    " count from 0 again and their rows would be taken for written"
)


@dataclass(frozen=True, slots=True)
class BatchKey:
    """A batch of an application."""

    application: str
    batch: int

    def __str__(self) -> str:
        return f"batch {self.batch} of application {self.application!r}"


def is_connect(given: DataFrame | SparkSession) -> bool:
    """Return whether a frame or a session is one of Spark Connect."""
    return type(given).__module__.startswith("pyspark.sql.connect")


def query_id(frame: DataFrame) -> str:
    """Return the id of the streaming query that calls, from its checkpoint. Raises UsageError where it is unknown."""
    if is_connect(frame):
        raise UsageError(
            f"Spark Connect does not say which streaming query a batch belongs to, and {_WHY}",
            fix="Tables(..., application='a name for this checkpoint'); choose a new name with each new checkpoint",
        )
    found = frame.sparkSession.sparkContext.getLocalProperty(_QUERY_ID)
    if found is None:
        raise UsageError(
            f"this frame is not a batch of a streaming query, and {_WHY}",
            fix="df.writeStream.foreachBatch(tables.foreach_batch), or tables.write(df, application=..., batch=...)",
        )
    return str(found)
