"""Compaction of babelreg's own tables, so that a batch opens a bounded number of files however many came before.

Each batch adds a file to each of its days. A day with :data:`MOST_FILES` is made one file again, as the formats do it:
files that reached their target size are left alone, and readers and writers go on. So a batch opens fewer than
:data:`MOST_FILES` small files a day, and the large ones of days beyond the target size.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

from babelreg.spark.platform.formats.table_set import TableSet

if TYPE_CHECKING:
    from pyspark.errors import PySparkException

MOST_FILES = 8

_LOG = logging.getLogger(__name__)


def compact_days(tables: TableSet, name: str, column: str, days: Sequence[date]) -> None:
    """Compact those of ``days`` of a table that have many files; ``column`` is its partition.

    The batch is finished then, so a failure is logged only, such as a conflict with another writer.
    """
    from pyspark.errors import PySparkException

    if not days or name not in tables.known:
        return
    table = tables.address(name)
    try:
        counts = tables.file_counts(name, column, days)
        for day in days:
            if counts.get(day, 0) >= MOST_FILES:
                tables.format.compact(tables.spark, table, column, day)
    except PySparkException as err:
        _LOG.warning("%s was not compacted: %s", table, _first_line(err))


def _first_line(error: PySparkException) -> str:
    return str(error).partition("\n")[0]
