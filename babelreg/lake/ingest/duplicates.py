"""Search for repeated messages: by ``meta.id``, within the batch and in all earlier batches.

The same id with the same job and data is a duplicate, counted and dropped; ``attempts`` and ``dead_letter`` may
differ. The same id with other content is a conflict and goes to quarantine. The first message by file and position is
kept. Only valid messages count: a quarantined one makes nothing a duplicate. A message without an id is never one.

Only ids, digests and positions are compared (see ``batch_ids``). A small batch is compared in this process, a large one
in slices by as many tasks.
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
from babelreg.lake.engine.engine import Engine
from babelreg.lake.storage import id_run
from babelreg.lake.tasks import batch_ids
from babelreg.lake.tasks.staged_segments import StagedMessages

if TYPE_CHECKING:
    import pyarrow as pa

_CONFLICT_COLUMNS = ["source_file", "source_offset", "urn", "message_id", "trace_id", "lang"]
_SLICE_ROWS = 1_000_000
_ROW_BYTES = 64
"""Approximate size of an id with its position."""

_DAMAGED = (-1, True)
"""Key that a task counts instead of repeats if it finds a damaged id run."""


@dataclass(frozen=True, slots=True)
class RepeatedIds:
    """Result of the search. ``new`` are runs of ids that were not seen before (see ``id_run``).

    ``duplicates`` and ``conflicts`` count rows by table id; ``files`` list their positions (see :class:`RepeatFilter`).
    """

    new: tuple[Path, ...] = ()
    duplicates: dict[int, int] = field(default_factory=dict)
    conflicts: dict[int, int] = field(default_factory=dict)
    files: tuple[Path, ...] = ()

    def at(self, table_id: int) -> int:
        """Return the number of repeats of ``table_id``."""
        return self.duplicates.get(table_id, 0) + self.conflicts.get(table_id, 0)


def find(engine: Engine, staged: StagedMessages, runs: Sequence[Path], folder: Path) -> RepeatedIds:
    """Search the staged messages for repeats. ``runs`` hold the ids of all earlier batches; files go to ``folder``.

    Raises id_run.DamagedIdRun for a run that is corrupt.
    """
    rows = sum(staged.rows(table_id) for table_id in staged.table_ids)
    slices = max(1, -(-rows // _SLICE_ROWS))
    folder.mkdir()
    if not staged.ids:
        return RepeatedIds()
    compared = partial(_compare_slice, staged.ids, runs, folder, slices)
    size = rows * _ROW_BYTES
    counts = compared(0) if slices == 1 else sum(engine.map(range(slices), compared, size=size), Counter())
    if counts[_DAMAGED]:
        raise id_run.DamagedIdRun("the index of ids is corrupt")
    return RepeatedIds(
        tuple(sorted(folder.glob("new-*.ids"))),
        {table_id: count for (table_id, conflict), count in sorted(counts.items()) if not conflict},
        {table_id: count for (table_id, conflict), count in sorted(counts.items()) if conflict},
        tuple(sorted(folder.glob("repeats-*.arrow"))),
    )


class RepeatFilter:
    """Removes the repeats from the rows of one table."""

    def __init__(self, files: Iterable[Path], table_id: int) -> None:
        import numpy as np
        import pyarrow as pa
        from pyarrow import compute

        tables = [pa.ipc.open_file(pa.memory_map(str(path))).read_all() for path in files]
        of_table = [table.filter(compute.equal(table["table_id"], table_id)) for table in tables]
        self._by_file: dict[str, tuple[Any, Any, Any]] = {}
        if not of_table:
            return
        repeats = pa.concat_tables(of_table).combine_chunks()
        names = repeats["file"].combine_chunks().dictionary_encode()
        codes, offset = names.indices.to_numpy(), repeats["offset"].to_numpy()
        order = np.lexsort((offset, codes))
        columns = offset[order], repeats["size"].to_numpy()[order], repeats["conflict"].to_numpy()[order]
        edges = np.searchsorted(codes[order], np.arange(len(names.dictionary) + 1)).tolist()
        for name, (start, end) in zip(names.dictionary.to_pylist(), pairwise(edges), strict=True):
            self._by_file[name] = tuple(column[start:end] for column in columns)

    def __bool__(self) -> bool:
        return bool(self._by_file)

    def split(self, batch: pa.RecordBatch) -> tuple[pa.RecordBatch, list[dict[str, Any]]]:
        """Split ``batch`` into the remaining rows, and facts for the quarantine on rows in conflict."""
        import numpy as np
        import pyarrow as pa
        from pyarrow import compute

        runs = compute.run_end_encode(batch["source_file"])
        ends, offsets = runs.run_ends.to_pylist(), batch["source_offset"].to_numpy()
        repeated, conflicts = np.zeros(len(offsets), np.bool_), []
        for name, start, end in zip(runs.values.to_pylist(), [0, *ends], ends, strict=False):
            if name not in self._by_file:
                continue
            known, sizes, differs = self._by_file[name]
            at = np.searchsorted(known, offsets[start:end])
            hit = np.flatnonzero(known[np.minimum(at, len(known) - 1)] == offsets[start:end])
            repeated[start + hit] = True
            for row in hit[differs[at[hit]]].tolist():
                facts = batch.slice(start + row, 1).select(_CONFLICT_COLUMNS).to_pylist()[0]
                conflicts.append({**facts, "source_bytes": int(sizes[at[row]])})
        return batch.filter(pa.array(~repeated)), conflicts


def _compare_slice(
    files: Sequence[Path], runs: Sequence[Path], folder: Path, slices: int, number: int
) -> Counter[tuple[int, bool]]:
    """Compare one slice; write the result to files named after it, so that a retry overwrites them.

    Return the number of repeats by table id and whether they are conflicts.
    """
    import pyarrow as pa

    try:
        comparison = batch_ids.compare(files, runs, number, slices)
    except id_run.DamagedIdRun:
        return Counter({_DAMAGED: 1})
    if len(comparison.new):
        with unfinished(folder / f"new-{number:05d}.ids") as path:
            id_run.write(path, comparison.new)
    if comparison.repeats.num_rows:
        with (
            unfinished(folder / f"repeats-{number:05d}.arrow") as path,
            pa.ipc.new_file(path, comparison.repeats.schema) as file,
        ):
            file.write_table(comparison.repeats)
    counts = comparison.repeats.group_by(["table_id", "conflict"]).aggregate([([], "count_all")])
    return Counter({(row["table_id"], row["conflict"]): row["count_all"] for row in counts.to_pylist()})
