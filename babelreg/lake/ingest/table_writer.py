"""Writer of table and quarantine files, from the staged segments without the repeats.

Each task writes the files of some tables: rows in the order of the input, without duplicates, as parquet. A large table
gets several files. Rows in conflict (see ``duplicates``) are written to a list instead, since their bytes go to
quarantine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelreg.atomic_write import temporary, unfinished
from babelreg.lake.arrow.table_schema import REFUSED_SCHEMA, sized_writer
from babelreg.lake.engine.engine import Engine
from babelreg.lake.ingest import quarantine
from babelreg.lake.ingest.duplicates import RepeatedIds, RepeatFilter
from babelreg.lake.storage.parquet import files_in
from babelreg.lake.tasks.staged_segments import REFUSED, StagedMessages, StagedSegment, StagingReader
from babelreg.lake.tasks.validation_spec import ValidationSpec

if TYPE_CHECKING:
    import pyarrow as pa

TABLES, QUARANTINE = "tables", "quarantine"
CONFLICTS = "conflicts"
"""Staging folder of the rows in conflict, as parquet: see ``quarantine.write_conflicts``."""

_FILE_BYTES = 256 * 1024 * 1024
"""Arrow data of one file: a quarter of that or less as parquet."""

_GROUP_BYTES = 64 * 1024 * 1024
_NAME_PREFIX = 9
"""Length of the prefix that ``staged_name`` adds to a file name: eight digits and a slash."""


@dataclass(frozen=True, slots=True)
class _OutputFile:
    """One file to be written: ``number`` of table ``table_id``, from these segments."""

    table_id: int
    number: int
    segments: tuple[StagedSegment, ...]

    @property
    def bytes(self) -> int:
        return sum(segment.length for segment in self.segments)

    @property
    def rows(self) -> int:
        return sum(segment.rows for segment in self.segments)


def write(engine: Engine, staged: StagedMessages, spec: ValidationSpec, repeats: RepeatedIds, folder: Path) -> None:
    """Write the files of all tables to ``folder/tables`` and the refused messages to ``folder/quarantine``.

    File names depend neither on the task that writes a file nor on the number of attempts. All tables share a folder: a
    new folder for each costs more than the rows of a small one (measured). :func:`files_by_table` finds their files.
    """
    files = sorted(_files(staged), key=lambda file: -file.bytes)
    for name in (TABLES, QUARANTINE, CONFLICTS):
        (folder / name).mkdir(parents=True)
    if not files:
        return
    tasks = min(len(files), 4 * engine.parallelism())
    splits = [tuple(files[number::tasks]) for number in range(tasks)]
    engine.map(splits, partial(_write_all, spec, repeats, folder), size=sum(file.bytes for file in files))


def files_by_table(folder: Path) -> dict[int, tuple[Path, ...]]:
    """Return the files that :func:`write` wrote to ``folder/tables``, by table id, in the order of their rows."""
    files: dict[int, list[Path]] = {}
    for path in files_in(folder / TABLES):
        files.setdefault(int(path.name.partition("-")[0]), []).append(path)
    return {table_id: tuple(paths) for table_id, paths in files.items()}


def _path(folder: Path, file: _OutputFile) -> Path:
    if file.table_id == REFUSED:
        return folder / QUARANTINE / f"part-{file.number:05d}.parquet"
    return folder / TABLES / f"{file.table_id}-{file.number:05d}.parquet"


def _files(staged: StagedMessages) -> Iterator[_OutputFile]:
    for table_id in staged.table_ids:
        segments: list[StagedSegment] = []
        number = size = 0
        for segment in staged.segments[table_id]:
            if segments and size + segment.length > _FILE_BYTES:
                yield _OutputFile(table_id, number, tuple(segments))
                segments, number, size = [], number + 1, 0
            segments.append(segment)
            size += segment.length
        yield _OutputFile(table_id, number, tuple(segments))


def _write_all(spec: ValidationSpec, repeats: RepeatedIds, folder: Path, files: Sequence[_OutputFile]) -> None:
    """Write some files: the work of one task."""
    with StagingReader() as reader:
        for file in files:
            repeated = RepeatFilter(repeats.files, file.table_id) if repeats.at(file.table_id) else None
            _write(file, spec, reader, repeated, folder)


def _write(
    file: _OutputFile, spec: ValidationSpec, reader: StagingReader, repeated: RepeatFilter | None, folder: Path
) -> None:
    """Write one file, or none if every row is a repeat."""
    import pyarrow as pa

    schema = _schema(spec, file.table_id)
    staged_schema = REFUSED_SCHEMA if file.table_id == REFUSED else schema
    path = _path(folder, file)
    part = temporary(path)
    conflicts: list[dict[str, Any]] = []
    rows = 0
    with sized_writer(part, schema, file.rows, file.bytes) as target:
        batches = _without_repeats(reader.batches(file.segments, staged_schema), repeated, conflicts)
        for group in _groups(batches) if file.bytes >= _GROUP_BYTES else [list(batches)]:
            table = pa.Table.from_batches([_with_source_names(batch, schema) for batch in group], schema)
            target.write_table(table, row_group_size=max(1, table.num_rows))
            rows += table.num_rows
    if conflicts:
        _write_conflicts(conflicts, folder / CONFLICTS / f"part-{file.table_id}-{file.number:05d}.parquet")
    if rows:
        part.replace(path)
    else:
        part.unlink()


def _schema(spec: ValidationSpec, table_id: int) -> pa.Schema:
    if table_id == REFUSED:
        return quarantine.schema()
    return spec.row_validator().table(table_id).schema


def _groups(batches: Iterable[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    """Collect the batches into groups large enough for a row group."""
    group: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        group.append(batch)
        size += batch.nbytes
        if size >= _GROUP_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


def _without_repeats(
    batches: Iterable[pa.RecordBatch], repeated: RepeatFilter | None, conflicts: list[dict[str, Any]]
) -> Iterator[pa.RecordBatch]:
    """Yield the rows that are no repeats; add those in conflict to ``conflicts``."""
    for batch in batches:
        if repeated:
            rows, conflicting = repeated.split(batch)
            conflicts += conflicting
            yield rows
        else:
            yield batch


def _with_source_names(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return ``batch`` with the original file names, and for the quarantine the number of the reading batch."""
    import pyarrow as pa
    from pyarrow import compute

    at = batch.schema.get_field_index("source_file")
    staged_names = batch.column(at)
    renamed = batch.set_column(at, batch.schema.field(at), compute.utf8_slice_codeunits(staged_names, _NAME_PREFIX))
    if "batch_read" in schema.names:
        numbers = compute.utf8_slice_codeunits(staged_names, 0, _NAME_PREFIX - 1).cast(pa.int32())
        renamed = renamed.append_column("batch_read", numbers)
    return renamed if renamed.schema == schema else renamed.select(schema.names)


def _write_conflicts(conflicts: Sequence[Mapping[str, Any]], path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    numbers = ("source_offset", "source_bytes")
    names = ("source_file", *numbers, "urn", "message_id", "trace_id", "lang")
    schema = pa.schema([(name, pa.int64() if name in numbers else pa.string()) for name in names])
    with unfinished(path) as part:
        parquet.write_table(pa.Table.from_pylist(list(conflicts), schema), part, write_page_checksum=True)
