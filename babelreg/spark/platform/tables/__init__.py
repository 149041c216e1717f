"""Tables of Delta Lake and Apache Iceberg, written batch by batch, exactly once."""

from babelreg.spark.platform.tables.batch_counts import BatchCounts
from babelreg.spark.platform.tables.tables import Tables

__all__ = ["BatchCounts", "Tables"]
