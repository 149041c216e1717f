"""The landing: every message of a batch, judged and typed, as Arrow in staging until the tables are made of it.

A task writes one file, however many URNs it meets: segments, each the rows of one table_id (the number of a URN in the
spec's list, REFUSED for the quarantine) as an Arrow record batch without its schema, which the table_id tells. What a
task wrote counts when it says so: a second attempt writes files of its own. Beside it stand the ids of the accepted
messages (see ``identities``).
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelreg.spark.ingest.task_map import map_tasks
from babelreg.spark.sources.message_source import MessageSource
from babelreg.spark.tasks.message_counter import MessageCounter
from babelreg.spark.tasks.staged_segments import StagedMessages, StagedSegment
from babelreg.spark.tasks.validation_spec import ValidationSpec

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["progress_folder", "write"]

_Told = tuple[list[tuple[int, StagedSegment]], list[Path], int]
"""Segments by table_id, files of ids, the number of messages."""


def progress_folder(work: Path) -> Path:
    """Return where the tasks of a batch with the staging folder ``work`` count what they have read."""
    return work / "progress"


def write(session: SparkSession, source: MessageSource, spec: ValidationSpec, folder: Path) -> StagedMessages:
    """Judge every message of ``source`` and land it below ``folder``."""
    folder.mkdir()
    splits = source.splits(session.sparkContext.defaultParallelism)
    told = map_tasks(session, splits, partial(_landed, source, spec, folder))
    found: dict[int, list[StagedSegment]] = {}
    for segments, _, _ in told:
        for table_id, one in segments:
            found.setdefault(table_id, []).append(one)
    ordered = {
        table_id: tuple(sorted(some, key=lambda one: (one.file, one.offset))) for table_id, some in found.items()
    }
    ids = tuple(path for _, paths, _ in told for path in paths)
    return StagedMessages(ordered, ids, sum(messages for _, _, messages in told))


def _landed(source: MessageSource, spec: ValidationSpec, folder: Path, split: Any) -> _Told:
    """What a task does with a split of ``source``."""
    from babelreg.contract.parse import deep
    from babelreg.spark.tasks.task_writer import TaskWriter

    with (
        _uncollected(),
        deep(),
        TaskWriter(spec, folder) as writer,
        MessageCounter(progress_folder(folder.parent)) as counter,
    ):
        for chunk in source.chunks(split):
            writer.add(chunk)
            counter.add(chunk)
    return writer.segments, writer.ids, writer.messages


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the search for cycles, of which there are none: it walks over all that is held, again and again."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
