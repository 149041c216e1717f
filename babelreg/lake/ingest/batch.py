"""One batch from input to staged tables: every message ends in a table, among the duplicates or in quarantine.

All steps write to staging; ``commit`` makes the result visible. A run that stops before leaves nothing visible, and the
next run repeats the work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from babelreg.lake.arrow.table_schema import types
from babelreg.lake.engine.engine import Engine
from babelreg.lake.ingest import duplicates, quarantine, table_writer, validation_job
from babelreg.lake.ingest.duplicates import RepeatedIds
from babelreg.lake.ingest.thresholds import UrnCounts
from babelreg.lake.message_source import MessageSource
from babelreg.lake.storage import id_index, id_run
from babelreg.lake.storage.commit import Rows, StagedBatch
from babelreg.lake.storage.id_index import IdRunFile
from babelreg.lake.storage.parquet import files_in, rows_in
from babelreg.lake.tasks.staged_segments import REFUSED, StagedMessages
from babelreg.lake.tasks.validation_spec import ValidationSpec
from babelreg.plural import counted

Progress = Callable[[str], None]
"""Callback that receives a short description of the current step."""

_LOST = "messages would be lost or counted twice; nothing was written to the tables"


@dataclass(frozen=True)
class BatchJob:
    """Inputs of one batch. ``work`` is its staging folder, ``known`` the id index of all earlier batches.

    ``rebuilt`` rebuilds that index from the tables if it turns out to be damaged.
    """

    engine: Engine
    spec: ValidationSpec
    source: MessageSource
    work: Path
    known: Sequence[IdRunFile]
    keep_duplicates: bool
    progress: Progress
    rebuilt: Callable[[], Sequence[IdRunFile]]

    def run(self) -> StagedBatch:
        """Do the work of the batch in staging; :func:`commit.commit` makes it visible."""
        staged = validation_job.validate_messages(self.engine, self.source, self.spec, self.work / "landing")
        repeats, known = self._repeats(staged)
        count = sum(table_id != REFUSED for table_id in staged.table_ids)
        self.progress(f"writing {counted(count, 'table')}")
        table_writer.write(self.engine, staged, self.spec, repeats, self.work)
        conflicts = files_in(self.work / table_writer.CONFLICTS)
        quarantine.write_conflicts(self.source, conflicts, self.work / "conflicting")
        return self._written(staged, repeats, known)

    def _repeats(self, staged: StagedMessages) -> tuple[RepeatedIds, Sequence[IdRunFile]]:
        """Return the repeats, and the id index that was searched for them."""
        if self.keep_duplicates:
            return RepeatedIds(), self.known
        self.progress("finding duplicates")
        try:
            return self._search(staged, self.known, "repeats"), self.known
        except id_run.DamagedIdRun:
            known = self.rebuilt()
            return self._search(staged, known, "repeats-again"), known

    def _search(self, staged: StagedMessages, known: Sequence[IdRunFile], folder: str) -> RepeatedIds:
        return duplicates.find(self.engine, staged, [run.path for run in known], self.work / folder)

    def _written(self, staged: StagedMessages, repeats: RepeatedIds, known: Sequence[IdRunFile]) -> StagedBatch:
        table_ids = [table_id for table_id in staged.table_ids if table_id != REFUSED]
        written = table_writer.files_by_table(self.work)
        files = {table_id: written.get(table_id, ()) for table_id in table_ids}
        rows = {table_id: rows_in(paths) for table_id, paths in files.items()}
        refused = files_in(self.work / table_writer.QUARANTINE) + files_in(self.work / "conflicting")
        urns, columns = self.spec.urns, self.spec.columns
        counts = UrnCounts(
            accepted={urns[table_id]: count for table_id, count in rows.items()},
            duplicates={urns[table_id]: count for table_id, count in repeats.duplicates.items()},
            refused=quarantine.count_refused(refused, frozenset(urns)),
        )
        reasons = counts.reasons()
        _check_counts(staged, rows, repeats, sum(reasons.values()))
        return StagedBatch(
            read=staged.messages,
            duplicates=sum(counts.duplicates.values()),
            tables={
                urns[table_id]: Rows(rows[table_id], files[table_id], types(columns[table_id])) for table_id in rows
            },
            quarantine=Rows(sum(reasons.values()), refused if reasons else ()),
            reasons=reasons,
            repeated=counts.duplicates,
            refused=counts.refused,
            index=id_index.extended(known, repeats.new, self.work / "ids"),
        )


def _check_counts(staged: StagedMessages, rows: Mapping[int, int], repeats: RepeatedIds, quarantined: int) -> None:
    """Compare the footers of the written files with what was read, to detect silent loss."""
    validated = sum(staged.rows(table_id) for table_id in staged.table_ids)
    if validated != staged.messages:
        raise RuntimeError(f"{staged.messages} messages were read and {validated} validated: {_LOST}")
    for table_id, count in rows.items():
        if count + repeats.at(table_id) != staged.rows(table_id):
            raise RuntimeError(
                f"table {table_id}: {staged.rows(table_id)} staged, {count} written, "
                f"{repeats.at(table_id)} repeated: {_LOST}"
            )
    if quarantined != staged.rows(REFUSED) + sum(repeats.conflicts.values()):
        raise RuntimeError(
            f"{quarantined} rows are in quarantine, which is not the number of refused messages: {_LOST}"
        )
