"""Rows that the driver has: of the log and of the counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True, slots=True)
class DriverRows:
    """Rows with the columns of ``schema``, which is SQL and has strings and longs."""

    schema: str
    rows: Sequence[tuple[Any, ...]]

    def frame(self, spark: SparkSession) -> DataFrame:
        """Return the rows as a frame."""
        return spark.createDataFrame(list(self.rows), self.schema)

    def arrow(self) -> pa.Table:
        """Return the rows as Arrow."""
        import pyarrow as pa

        types = {"string": pa.string(), "long": pa.int64()}
        fields = [column.split() for column in self.schema.split(",")]
        columns = zip(*self.rows, strict=True)
        arrays = [pa.array(values, types[type_]) for values, (_, type_) in zip(columns, fields, strict=True)]
        return pa.table(arrays, names=[name for name, _ in fields])
