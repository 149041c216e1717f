"""Validation job: every message of a batch is validated, typed and staged as Arrow.

Each task writes one staging file: segments, each with the rows of one table id as an Arrow record batch without schema.
Only files that a finished task reports count; a second attempt writes files of its own. Beside it are files of the ids
of accepted messages (see ``batch_ids``).
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from babelreg.lake.engine.engine import Engine
from babelreg.lake.message_source import MessageSource
from babelreg.lake.tasks.staged_segments import StagedMessages, StagedSegment
from babelreg.lake.tasks.task_progress import MessageCounter
from babelreg.lake.tasks.validation_spec import ValidationSpec

_TaskResult = tuple[list[tuple[int, StagedSegment]], list[Path], int]
"""Segments with their table ids, files of ids, the number of messages."""


def progress_folder(work: Path) -> Path:
    """Return the folder in which the tasks of a batch with the staging folder ``work`` count messages."""
    return work / "progress"


def validate_messages(engine: Engine, source: MessageSource, spec: ValidationSpec, folder: Path) -> StagedMessages:
    """Validate every message of ``source`` and stage it below ``folder``."""
    folder.mkdir()
    splits = source.splits(engine.parallelism(source.size))
    results = engine.map(splits, partial(_stage_split, source, spec, folder), size=source.size)
    by_table: dict[int, list[StagedSegment]] = {}
    for segments, _, _ in results:
        for table_id, segment in segments:
            by_table.setdefault(table_id, []).append(segment)
    ordered = {
        table_id: tuple(sorted(segments, key=lambda segment: (segment.file, segment.offset)))
        for table_id, segments in by_table.items()
    }
    ids = tuple(path for _, paths, _ in results for path in paths)
    return StagedMessages(ordered, ids, sum(messages for _, _, messages in results))


def _stage_split(source: MessageSource, spec: ValidationSpec, folder: Path, split: Any) -> _TaskResult:
    """Validate and stage one input split: the work of a task."""
    from babelreg.contract.parse import deep
    from babelreg.lake.tasks.staging_writer import TaskWriter

    with (
        deep(),
        TaskWriter(spec, folder) as writer,
        MessageCounter(progress_folder(folder.parent)) as counter,
    ):
        for chunk in source.chunks(split):
            writer.add(chunk)
            counter.add(chunk)
    return writer.segments, writer.ids, writer.messages
