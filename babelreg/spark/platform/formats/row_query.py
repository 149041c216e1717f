"""Rows of babelreg's own tables by the values of their columns.

They are read without Spark where the table can be: a query of Spark runs two jobs or more, however few rows it finds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyarrow import dataset
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class RowQuery:
    """Rows whose columns are ``equal`` to these values and, of column ``present``, not null."""

    equal: Mapping[str, Any]
    present: str | None = None

    def of_frame(self, rows: DataFrame, columns: Sequence[str]) -> list[dict[str, Any]]:
        """Return these columns of all rows."""
        return [row.asDict() for row in self._filtered(rows).select(*columns).collect()]

    def last_of_frame(self, rows: DataFrame, columns: Sequence[str], by: str) -> dict[str, Any] | None:
        """Return these columns of the row with the greatest value of column ``by``."""
        from pyspark.sql import functions as F

        found = self._filtered(rows).orderBy(F.col(by).desc()).limit(1).select(*columns).collect()
        return found[0].asDict() if found else None

    def _filtered(self, rows: DataFrame) -> DataFrame:
        from pyspark.sql import functions as F

        for name, value in self.equal.items():
            rows = rows.where(F.col(name) == value)
        return rows if self.present is None else rows.where(F.col(self.present).isNotNull())

    def of_dataset(self, rows: dataset.Dataset, columns: Sequence[str]) -> list[dict[str, Any]]:
        """Return these columns of all rows."""
        import pyarrow.compute as pc

        wanted = pc.scalar(True)
        for name, value in self.equal.items():
            wanted = wanted & (pc.field(name) == value)
        if self.present is not None:
            wanted = wanted & pc.field(self.present).is_valid()
        found: list[dict[str, Any]] = rows.to_table(columns=list(columns), filter=wanted).to_pylist()
        return found

    def last_of_dataset(self, rows: dataset.Dataset, columns: Sequence[str], by: str) -> dict[str, Any] | None:
        """Return these columns of the row with the greatest value of column ``by``."""
        last = max((row[by] for row in self.of_dataset(rows, [by])), default=None)
        if last is None:
            return None
        return RowQuery({**self.equal, by: last}, self.present).of_dataset(rows, columns)[0]
