"""Parquet files of segments (see ``segment_format``), written below the tables' own folders by the tasks of one job.

A file has a name of its own for each attempt of a task, and is part of the table when a commit names it. Files of
failed or repeated attempts are not: the table format removes them as it removes all unnamed files (``VACUUM``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from babelreg.lake.arrow.table_schema import SPARK_VERSION, sized_writer
from babelreg.lake.storage import file_footers
from babelreg.lake.tasks.segment_format import MESSAGE, REFUSED_TABLE, TABLE, read_segment

FILE_SCHEMA = pa.schema(
    [
        ("table", pa.int32()),
        ("path", pa.string()),
        ("size", pa.int64()),
        ("rows", pa.int64()),
        ("modified_ms", pa.int64()),
        ("day", pa.string()),
        ("statistics", pa.string()),
    ]
)
"""A written file: its path below the table, the day of its rows, and Delta's statistics as JSON."""

_GROUP_BYTES = 64 * 1024 * 1024
_DAY_MICROSECONDS = 86_400_000_000
_UNPACKED_ROWS = 10_000
_NULL = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True)
class TableFolder:
    """A table on disk. ``names`` are its columns in files; ``constants`` those that are the same in all rows.

    Files are divided by the UTC day of ``day_of``, where there is one, into folders of the partition ``partition``.
    """

    path: str
    names: tuple[str, ...]
    constants: Mapping[str, Any] = field(default_factory=dict)
    day_of: str | None = None
    partition: str | None = None


@dataclass(frozen=True)
class RepeatedMessages:
    """The numbers of messages that are not rows of their tables; ``conflicts`` are refused because of ``members``."""

    duplicates: pa.Array
    conflicts: pa.Array
    members: Mapping[str, str]

    def divided(self, rows: pa.Table) -> tuple[pa.Table, pa.Table]:
        """Return the rows that are no repeats, and the refused rows of those in conflict."""
        conflicting = pc.is_in(rows[MESSAGE], self.conflicts)
        repeated = pc.or_(conflicting, pc.is_in(rows[MESSAGE], self.duplicates))
        refused = rows.filter(conflicting)
        for name, value in self.members.items():
            refused = refused.append_column(name, pa.repeat(pa.scalar(value), len(refused)))
        return rows.filter(pc.invert(repeated)), refused


@dataclass(frozen=True)
class SegmentFiles:
    """Writes the files of the rows ``file, table, segment``, which are sorted by file. Plain data for the workers."""

    folders: Mapping[int, TableFolder]
    repeated: RepeatedMessages | None = None

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield rows of :data:`FILE_SCHEMA`."""
        written: list[Path] = []
        refused: list[pa.Table] = []
        try:
            for table, rows in _files(batches):
                if self.repeated is not None and table != REFUSED_TABLE:
                    rows, conflicting = self.repeated.divided(rows)
                    if len(conflicting) and REFUSED_TABLE in self.folders:
                        names = [n for n in self.folders[REFUSED_TABLE].names if n in conflicting.column_names]
                        refused.append(conflicting.select(names))
                yield from self._write(table, rows, written)
            if refused:
                yield from self._write(REFUSED_TABLE, pa.concat_tables(refused), written)
        except BaseException:
            for path in written:
                path.unlink(missing_ok=True)
            raise

    def _write(self, table: int, rows: pa.Table, written: list[Path]) -> Iterator[pa.RecordBatch]:
        folder = self.folders.get(table)
        if folder is None or not len(rows):
            return
        for name, value in folder.constants.items():
            rows = rows.append_column(name, pa.repeat(pa.scalar(value), len(rows)))
        for day, part in _by_day(rows, folder.day_of):
            row = {"table": table, **write_file(folder, day, part.select(list(folder.names)), written)}
            yield pa.RecordBatch.from_pylist([row], FILE_SCHEMA)


@dataclass(frozen=True)
class UnpackedSegments:
    """From rows ``table, segment`` to the columns of ``schema``, null where a segment lacks one, and the position."""

    schema: pa.Schema
    position: tuple[str, ...]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of the segments."""
        for batch in batches:
            for number in range(batch.num_rows):
                table, rows = batch.column(0)[number].as_py(), read_segment(batch.column(1)[number])
                columns = {name: rows[name] for name in rows.column_names}
                if table != REFUSED_TABLE:
                    columns[TABLE] = pa.repeat(pa.scalar(table, pa.int32()), len(rows))
                unpacked = {f.name: columns.get(f.name, pa.nulls(len(rows), f.type)) for f in self.schema}
                unpacked |= {name: columns[name] for name in self.position}
                yield from pa.table(unpacked).to_batches(max_chunksize=_UNPACKED_ROWS)


def write_file(folder: TableFolder, day: str | None, rows: pa.Table, written: list[Path]) -> dict[str, Any]:
    """Write one file, whose path is added to ``written``; return its row of :data:`FILE_SCHEMA` without ``table``."""
    below = Path() if folder.partition is None else Path(f"{folder.partition}={_NULL if day is None else day}")
    path = Path(folder.path) / below / f"part-{uuid4()}.zstd.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    written.append(path)
    rows = rows.replace_schema_metadata({"org.apache.spark.version": SPARK_VERSION})
    step = max(1, len(rows) * _GROUP_BYTES // max(1, rows.nbytes))
    with sized_writer(path, rows.schema, len(rows), rows.nbytes) as file:
        for start in range(0, len(rows), step):
            file.write_table(rows.slice(start, step), row_group_size=step)
    (footer,) = file_footers.read(Path(folder.path), [str(path.relative_to(folder.path))])
    return {
        "path": footer.name,
        "size": footer.size,
        "rows": footer.rows,
        "modified_ms": footer.modified_ms,
        "day": day,
        "statistics": json.dumps(file_footers.statistics(footer)),
    }


def _files(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, pa.Table]]:
    """Yield the rows of each file with their table."""
    current, table = -1, REFUSED_TABLE
    parts: list[pa.Table] = []
    for batch in batches:
        for number in range(batch.num_rows):
            file = batch.column(0)[number].as_py()
            if file != current and parts:
                yield table, pa.concat_tables(parts)
                parts = []
            current, table = file, batch.column(1)[number].as_py()
            parts.append(read_segment(batch.column(2)[number]))
    if parts:
        yield table, pa.concat_tables(parts)


def _by_day(rows: pa.Table, column: str | None) -> Iterator[tuple[str | None, pa.Table]]:
    """Yield the rows of each UTC day of ``column``."""
    if column is None:
        yield None, rows
        return
    times = rows[column].combine_chunks()
    missing = times.is_null().to_numpy(zero_copy_only=False)
    days = times.cast(pa.int64()).fill_null(0).to_numpy() // _DAY_MICROSECONDS
    if missing.any():
        yield None, rows.filter(pa.array(missing))
    for day in np.unique(days[~missing]):
        selected = (days == day) & ~missing
        yield str(np.datetime64(int(day), "D")), rows if selected.all() else rows.filter(pa.array(selected))
