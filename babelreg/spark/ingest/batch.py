"""One batch, from files to tables: every message ends in a table, among the duplicates or in quarantine.

The steps write to staging alone, and ``commit`` makes that count. A run that stops anywhere before leaves nothing that
counts, and the next one does the work again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.spark.arrow.table_schema import types
from babelreg.spark.ingest import (
    duplicates,
    quarantine,
    table_writer,
    validation_job,
)
from babelreg.spark.ingest.duplicates import RepeatedIds
from babelreg.spark.lake import id_index, id_run
from babelreg.spark.lake.commit import Rows, StagedBatch
from babelreg.spark.lake.id_index import Held
from babelreg.spark.lake.parquet import files_in, rows_in
from babelreg.spark.sources.message_source import MessageSource
from babelreg.spark.tasks.staged_segments import REFUSED, StagedMessages
from babelreg.spark.tasks.validation_spec import ValidationSpec

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["BatchJob", "Progress"]

Progress = Callable[[str], None]
"""Callback that receives a short description of the current step."""

_LOST = "messages would be lost or counted twice; nothing was written to the tables"


@dataclass(frozen=True)
class BatchJob:
    """What one batch needs. ``work`` is its folder in staging, ``known`` the index of all batches before.

    ``rebuilt`` makes that index again of the tables, where it turns out to be damaged.
    """

    spark: SparkSession
    spec: ValidationSpec
    source: MessageSource
    work: Path
    known: Sequence[Held]
    keep_duplicates: bool
    progress: Progress
    rebuilt: Callable[[], Sequence[Held]]

    def run(self) -> StagedBatch:
        """Do the work of one batch, in staging alone: :func:`commit.commit` makes it count."""
        landed = validation_job.write(self.spark, self.source, self.spec, self.work / "landing")
        repeats, known = self._repeats(landed)
        count = sum(table_id != REFUSED for table_id in landed.table_ids)
        self.progress(f"writing {count} table{'s' if count > 1 else ''}")
        table_writer.write(self.spark, landed, self.spec, repeats, self.work)
        told = files_in(self.work / table_writer.CONFLICTS)
        quarantine.conflicts(self.spark, self.source, told, self.work / "conflicting")
        return self._written(landed, repeats, known)

    def _repeats(self, landed: StagedMessages) -> tuple[RepeatedIds, Sequence[Held]]:
        """The repeats, and the index of all batches before that was searched for them."""
        if self.keep_duplicates:
            return RepeatedIds(), self.known
        self.progress("finding duplicates")
        try:
            return self._found(landed, self.known, "repeats"), self.known
        except id_run.Damaged:
            known = self.rebuilt()
            return self._found(landed, known, "repeats-again"), known

    def _found(self, landed: StagedMessages, known: Sequence[Held], folder: str) -> RepeatedIds:
        return duplicates.find(self.spark, landed, [one.path for one in known], self.work / folder)

    def _written(self, landed: StagedMessages, repeats: RepeatedIds, known: Sequence[Held]) -> StagedBatch:
        good = [table_id for table_id in landed.table_ids if table_id != REFUSED]
        files = {table_id: files_in(self.work / "tables" / str(table_id)) for table_id in good}
        rows = {table_id: rows_in(found) for table_id, found in files.items()}
        refused = files_in(self.work / "quarantine") + files_in(self.work / "conflicting")
        reasons = quarantine.counts(refused)
        _check_counts(landed, rows, repeats, sum(reasons.values()))
        urns, columns = self.spec.urns, self.spec.columns
        return StagedBatch(
            read=landed.messages,
            duplicates=sum(repeats.duplicates.values()),
            tables={
                urns[table_id]: Rows(rows[table_id], files[table_id], types(columns[table_id])) for table_id in rows
            },
            quarantine=Rows(sum(reasons.values()), refused if reasons else ()),
            reasons=reasons,
            repeated={urns[table_id]: count for table_id, count in repeats.duplicates.items()},
            index=id_index.extended(known, repeats.new, self.work / "ids"),
        )


def _check_counts(landed: StagedMessages, rows: Mapping[int, int], repeats: RepeatedIds, quarantined: int) -> None:
    """The tripwire against silent loss: footers of the files written, against what was read."""
    judged = sum(landed.rows(table_id) for table_id in landed.table_ids)
    if judged != landed.messages:
        raise RuntimeError(f"{landed.messages} messages were read and {judged} judged: {_LOST}")
    for table_id, count in rows.items():
        if count + repeats.at(table_id) != landed.rows(table_id):
            raise RuntimeError(
                f"table {table_id}: {landed.rows(table_id)} staged, {count} written, "
                f"{repeats.at(table_id)} repeated: {_LOST}"
            )
    if quarantined != landed.rows(REFUSED) + sum(repeats.conflicts.values()):
        raise RuntimeError(f"{quarantined} rows are in quarantine, not what was refused: {_LOST}")
