"""Counts of all batches of one application, added up from the table of counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from babelreg.spark.platform.tables.batch_counts import CountRow

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class BatchTotals:
    """Finished batches of an application: how many, and their counts added up."""

    batches: int = 0
    rows: tuple[CountRow, ...] = ()


def batch_totals(spark: SparkSession, counts: str, application: str) -> BatchTotals:
    """Return the totals of ``application``; ``counts`` is the address of the table of counts."""
    from pyspark.sql import functions as F

    mine = spark.table(counts).where(F.col("application") == application)
    columns = "urn", "outcome", "reason"
    # One job: the row with the number of batches has none of the columns.
    sets = mine.groupingSets([columns, ()], *columns)
    totals = sets.agg(
        F.grouping_id().alias("all"), F.sum("messages").alias("messages"), F.countDistinct("batch").alias("batches")
    ).collect()
    rows = tuple((row["urn"], row["outcome"], row["reason"], row["messages"]) for row in totals if not row["all"])
    return BatchTotals(max((row["batches"] for row in totals if row["all"]), default=0), rows)
