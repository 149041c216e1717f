"""Selected rows of parquet files in sorted order, with a bounded part of them in memory.

Only the position of each row is held: its file, row group and number there, the columns that it is sorted by, and the
size of its bytes. The rows are then read part by part; files that are sorted themselves are read about once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.lake.storage.parquet import opened, unreadable

if TYPE_CHECKING:
    import pyarrow as pa

PART_BYTES = 64 * 1024 * 1024
"""Bytes of bodies that are in memory at once; a single body may have more."""

_PART_ROWS = 100_000


@dataclass(frozen=True)
class RowPositions:
    """Positions of rows in ``files``: the sort columns, ``bytes``, and ``file``, ``group`` and ``row`` as numbers."""

    files: tuple[Path, ...]
    rows: pa.Table

    @classmethod
    def of(
        cls, files: Sequence[Path], columns: Sequence[str], body: str, keep: Callable[[pa.Table], pa.Array]
    ) -> RowPositions:
        """Return the positions of the rows of ``files`` that ``keep`` selects, sorted by ``columns``.

        ``keep`` gets tables and returns their masks; ``body`` is the column whose bytes count. Raises InputError.
        """
        import pyarrow as pa

        parts = [part for number, path in enumerate(files) for part in _positions(number, path, columns, body, keep)]
        if not parts:
            return cls(tuple(files), pa.table({"bytes": pa.array([], pa.int64())}))
        return cls(tuple(files), pa.concat_tables(parts).sort_by([(name, "ascending") for name in columns]))

    def read(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Yield ``columns`` of the rows in order, about ``PART_BYTES`` at a time. Raises InputError."""
        import pyarrow as pa
        from pyarrow import compute

        for part in cut(self.rows, "bytes"):
            numbered = part.select(["file", "group", "row"]).append_column("at", pa.array(range(part.num_rows)))
            tables, places = [], []
            for pair in numbered.group_by(["file", "group"]).aggregate([]).sort_by("file").to_pylist():
                chosen = numbered.filter(
                    compute.and_(
                        compute.equal(numbered["file"], pair["file"]), compute.equal(numbered["group"], pair["group"])
                    )
                )
                tables.append(_group(self.files[pair["file"]], pair["group"], columns).take(chosen["row"]))
                places += chosen["at"].to_pylist()
            back = pa.array(sorted(range(len(places)), key=places.__getitem__), pa.int64())
            yield pa.concat_tables(tables).take(back)


def cut(rows: pa.Table, size: str) -> Iterator[pa.Table]:
    """Yield ``rows`` in order, cut where the column ``size`` adds up to about ``PART_BYTES``."""
    import numpy as np

    if not rows.num_rows:
        return
    part = np.cumsum(rows[size].to_numpy()) // PART_BYTES + np.arange(rows.num_rows) // _PART_ROWS
    edges = [0, *(np.flatnonzero(np.diff(part)) + 1).tolist(), rows.num_rows]
    for start, end in pairwise(edges):
        yield rows.slice(start, end - start)


def _positions(
    number: int, path: Path, columns: Sequence[str], body: str, keep: Callable[[pa.Table], pa.Array]
) -> Iterator[pa.Table]:
    import pyarrow as pa
    from pyarrow import compute

    try:
        with opened(path) as file:
            for group in range(file.num_row_groups):
                table = file.read_row_group(group)
                rows = table.select(list(columns)).append_column(
                    "bytes", compute.binary_length(table[body]).cast(pa.int64())
                )
                count = table.num_rows
                for name, values in (("file", [number] * count), ("group", [group] * count), ("row", range(count))):
                    rows = rows.append_column(name, pa.array(values, pa.int64()))
                yield rows.filter(keep(table))
    except (OSError, pa.ArrowException) as err:
        raise unreadable(path, err) from err


def _group(path: Path, group: int, columns: Sequence[str]) -> pa.Table:
    import pyarrow as pa

    try:
        with opened(path) as file:
            return file.read_row_group(group, columns=list(columns)).replace_schema_metadata()
    except (OSError, pa.ArrowException) as err:
        raise unreadable(path, err) from err
