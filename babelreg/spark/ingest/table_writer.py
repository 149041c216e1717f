"""The files of tables and of the quarantine: from the landing's segments, less what was there before.

One task for some of the tables, whatever their number: it takes the rows as the landing has them, in the order of the
input, leaves out duplicates and writes parquet. A table too large for one file gets several. The rows of messages
whose id belongs to other content are left out too, and told, since their bytes go to quarantine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelreg.atomic_write import temporary, unfinished
from babelreg.spark.arrow.table_schema import REFUSED_SCHEMA, writer
from babelreg.spark.ingest.duplicates import RepeatedIds, RepeatFilter
from babelreg.spark.ingest.task_map import map_tasks
from babelreg.spark.tasks.staged_segments import (
    REFUSED,
    StagedMessages,
    StagedSegment,
    segments,
)
from babelreg.spark.tasks.validation_spec import ValidationSpec

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

__all__ = ["CONFLICTS", "write"]

CONFLICTS = "conflicts"
"""The folder in staging of rows whose id was taken, as parquet: see ``quarantine.conflicts``."""

_FILE_BYTES = 256 * 1024 * 1024
"""How much Arrow data goes into one file: a quarter of that or less, once it is parquet."""

_GROUP_BYTES = 64 * 1024 * 1024
_NAME_PREFIX = 9
"""What ``sources.staged_name`` puts before the name of a file: eight digits and a slash."""


@dataclass(frozen=True, slots=True)
class _OutputFile:
    """One file to be written: ``number`` of table ``table_id``, from these segments."""

    table_id: int
    number: int
    segments: tuple[StagedSegment, ...]

    @property
    def bytes(self) -> int:
        return sum(one.bytes for one in self.segments)


def write(
    session: SparkSession, landed: StagedMessages, spec: ValidationSpec, repeats: RepeatedIds, folder: Path
) -> None:
    """Write every table below ``folder/tables/PLACE``, what was refused below ``folder/quarantine``.

    Names do not depend on which task wrote a file, nor on how often it was tried.
    """
    files = sorted(_files(landed), key=lambda one: -one.bytes)
    for table_id in landed.table_ids:
        _folder(folder, table_id).mkdir(parents=True)
    (folder / CONFLICTS).mkdir()
    if not files:
        return
    tasks = min(len(files), 4 * session.sparkContext.defaultParallelism)
    splits = [tuple(files[number::tasks]) for number in range(tasks)]
    map_tasks(session, splits, partial(_write_all, spec, repeats, folder))


def _folder(folder: Path, table_id: int) -> Path:
    return folder / "quarantine" if table_id == REFUSED else folder / "tables" / str(table_id)


def _files(landed: StagedMessages) -> Iterator[_OutputFile]:
    for table_id in landed.table_ids:
        taken: list[StagedSegment] = []
        number = size = 0
        for one in landed.segments[table_id]:
            if taken and size + one.bytes > _FILE_BYTES:
                yield _OutputFile(table_id, number, tuple(taken))
                taken, number, size = [], number + 1, 0
            taken.append(one)
            size += one.bytes
        yield _OutputFile(table_id, number, tuple(taken))


def _write_all(spec: ValidationSpec, repeats: RepeatedIds, folder: Path, files: Sequence[_OutputFile]) -> None:
    """What a task does: it writes some files."""
    for file in files:
        gone = RepeatFilter(repeats.files if repeats.at(file.table_id) else (), file.table_id)
        _write(file, spec, gone, folder)


def _write(file: _OutputFile, spec: ValidationSpec, gone: RepeatFilter, folder: Path) -> None:
    """Write one file; none where every row was there before."""
    import pyarrow as pa

    schema = _schema(spec, file.table_id)
    landed = REFUSED_SCHEMA if file.table_id == REFUSED else schema
    path = _folder(folder, file.table_id) / f"part-{file.number:05d}.parquet"
    part = temporary(path)
    conflicts: list[dict[str, Any]] = []
    rows = 0
    with writer(part, schema) as target:
        for group in _groups(_kept(segments(file.segments, landed), gone, conflicts)):
            table = pa.Table.from_batches(group)
            target.write_table(_named(table, schema), row_group_size=max(1, table.num_rows))
            rows += table.num_rows
    if conflicts:
        _tell(conflicts, folder / CONFLICTS / f"part-{file.table_id}-{file.number:05d}.parquet")
    if rows:
        part.replace(path)
    else:
        part.unlink()


def _schema(spec: ValidationSpec, table_id: int) -> pa.Schema:
    import pyarrow as pa

    if table_id == REFUSED:
        return REFUSED_SCHEMA.insert(0, pa.field("batch_read", pa.int32()))
    return spec.row_validator().table(table_id).schema


def _groups(batches: Iterable[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    """The batches in groups that are worth a row group."""
    held: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        held.append(batch)
        size += batch.nbytes
        if size >= _GROUP_BYTES:
            yield held
            held, size = [], 0
    if held:
        yield held


def _kept(
    batches: Iterable[pa.RecordBatch], gone: RepeatFilter, conflicts: list[dict[str, Any]]
) -> Iterator[pa.RecordBatch]:
    """The rows that stand; those whose id was taken are told to ``conflicts``."""
    for batch in batches:
        if gone:
            kept, found = gone.apart(batch)
            conflicts += found
            yield kept
        else:
            yield batch


def _named(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """``table`` with the files' own names, and in the quarantine the number of the batch that read them."""
    import pyarrow as pa
    from pyarrow import compute

    landed = table["source_file"]
    columns = {name: table[name] for name in table.schema.names}
    columns["source_file"] = compute.utf8_slice_codeunits(landed, _NAME_PREFIX)
    columns["batch_read"] = compute.utf8_slice_codeunits(landed, 0, _NAME_PREFIX - 1).cast(pa.int32())
    return pa.table([columns[name] for name in schema.names], schema=schema)


def _tell(conflicts: Sequence[Mapping[str, Any]], path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    numbers = ("source_offset", "source_bytes")
    names = ("source_file", *numbers, "urn", "message_id", "trace_id", "lang")
    schema = pa.schema([(name, pa.int64() if name in numbers else pa.string()) for name in names])
    with unfinished(path) as part:
        parquet.write_table(pa.Table.from_pylist(list(conflicts), schema), part)
