"""Which accepted messages were there before: by ``meta.id``, within the batch and in all batches so far.

The same id with the same job and data is a duplicate, counted and dropped; ``attempts`` and ``dead_letter`` may
differ. The same id with other content is a conflict and goes to quarantine. The first by file and position stands. Only
messages that passed count: a quarantined one makes nothing a duplicate. A message without an id is never one.

All this looks at ids, digests and positions alone (see ``identities``); the messages themselves are not moved for it.
A batch that is small is compared here, a large one in slices by as many tasks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelreg.atomic_write import unfinished
from babelreg.spark.ingest.task_map import map_tasks
from babelreg.spark.lake import id_run
from babelreg.spark.tasks import batch_ids
from babelreg.spark.tasks.staged_segments import StagedMessages

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

__all__ = ["RepeatFilter", "RepeatedIds", "find"]

_TOLD = ["source_file", "source_offset", "urn", "message_id", "trace_id", "lang"]
_SLICE_ROWS = 1_000_000
_DAMAGED = (-1, True)
"""Counted instead of repeats by a task that finds a run damaged."""


@dataclass(frozen=True, slots=True)
class RepeatedIds:
    """``new`` are runs of the ids that are new (see ``ids``).

    ``duplicates`` and ``conflicts`` count rows by table_id; ``files`` tell which (see :class:`RepeatFilter`).
    """

    new: tuple[Path, ...] = ()
    duplicates: dict[int, int] = field(default_factory=dict)
    conflicts: dict[int, int] = field(default_factory=dict)
    files: tuple[Path, ...] = ()

    def at(self, table_id: int) -> int:
        """How many rows of ``table_id`` are repeats."""
        return self.duplicates.get(table_id, 0) + self.conflicts.get(table_id, 0)


def find(session: SparkSession, landing: StagedMessages, runs: Sequence[Path], folder: Path) -> RepeatedIds:
    """The repeats among the landed messages. ``runs`` hold the ids of all batches before; files go to ``folder``.

    Raises ids.Damaged for a run that is not what was written.
    """
    rows = sum(landing.rows(table_id) for table_id in landing.table_ids)
    slices = max(1, -(-rows // _SLICE_ROWS))
    folder.mkdir()
    if not landing.ids:
        return RepeatedIds()
    compared = partial(_compared, landing.ids, runs, folder, slices)
    counts = compared(0) if slices == 1 else sum(map_tasks(session, range(slices), compared), Counter())
    if counts[_DAMAGED]:
        raise id_run.Damaged("the index of ids is not what was written")
    return RepeatedIds(
        tuple(sorted(folder.glob("new-*.ids"))),
        {table_id: count for (table_id, conflict), count in sorted(counts.items()) if not conflict},
        {table_id: count for (table_id, conflict), count in sorted(counts.items()) if conflict},
        tuple(sorted(folder.glob("repeats-*.arrow"))),
    )


class RepeatFilter:
    """The repeats among the rows of one table, which do not go into it."""

    def __init__(self, files: Iterable[Path], table_id: int) -> None:
        import numpy as np
        import pyarrow as pa
        from pyarrow import compute

        tables = [pa.ipc.open_file(pa.memory_map(str(path))).read_all() for path in files]
        mine = [table.filter(compute.equal(table["table_id"], table_id)) for table in tables]
        self._by_file: dict[str, tuple[Any, Any, Any]] = {}
        if not mine:
            return
        found = pa.concat_tables(mine).combine_chunks()
        names = found["file"].combine_chunks().dictionary_encode()
        code, offset = names.indices.to_numpy(), found["offset"].to_numpy()
        order = np.lexsort((offset, code))
        columns = offset[order], found["size"].to_numpy()[order], found["conflict"].to_numpy()[order]
        edges = np.searchsorted(code[order], np.arange(len(names.dictionary) + 1)).tolist()
        for name, (start, end) in zip(names.dictionary.to_pylist(), pairwise(edges), strict=True):
            self._by_file[name] = tuple(column[start:end] for column in columns)

    def __bool__(self) -> bool:
        return bool(self._by_file)

    def apart(self, batch: pa.RecordBatch) -> tuple[pa.RecordBatch, list[dict[str, Any]]]:
        """The rows of ``batch`` that stand, and of those whose id was taken what the quarantine wants to know."""
        import numpy as np
        import pyarrow as pa
        from pyarrow import compute

        runs = compute.run_end_encode(batch["source_file"])
        ends, offsets = runs.run_ends.to_pylist(), batch["source_offset"].to_numpy()
        gone, conflicts = np.zeros(len(offsets), np.bool_), []
        for name, start, end in zip(runs.values.to_pylist(), [0, *ends], ends, strict=False):
            if name not in self._by_file:
                continue
            known, sizes, differs = self._by_file[name]
            at = np.searchsorted(known, offsets[start:end])
            hit = np.flatnonzero(known[np.minimum(at, len(known) - 1)] == offsets[start:end])
            gone[start + hit] = True
            for row in hit[differs[at[hit]]].tolist():
                told = batch.slice(start + row, 1).select(_TOLD).to_pylist()[0]
                conflicts.append({**told, "source_bytes": int(sizes[at[row]])})
        return batch.filter(pa.array(~gone)), conflicts


def _compared(
    files: Sequence[Path], runs: Sequence[Path], folder: Path, slices: int, number: int
) -> Counter[tuple[int, bool]]:
    """Compare one slice, and write what was found to files that are named after it, however often it is done.

    How many rows are repeats, by table_id and whether they are conflicts.
    """
    import pyarrow as pa

    try:
        found = batch_ids.compare(files, runs, number, slices)
    except id_run.Damaged:
        return Counter({_DAMAGED: 1})
    if len(found.new):
        with unfinished(folder / f"new-{number:05d}.ids") as path:
            id_run.write(path, found.new)
    if found.repeats.num_rows:
        with (
            unfinished(folder / f"repeats-{number:05d}.arrow") as path,
            pa.ipc.new_file(path, found.repeats.schema) as file,
        ):
            file.write_table(found.repeats)
    counted = found.repeats.group_by(["table_id", "conflict"]).aggregate([([], "count_all")])
    return Counter({(row["table_id"], row["conflict"]): row["count_all"] for row in counted.to_pylist()})
