"""``ingest``: what is new in a folder of messages, into the tables of an output folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.model import Registry
from babelreg.spark import agreement, backlog, history, session
from babelreg.spark import output as folder
from babelreg.spark.batch import Job, Progress
from babelreg.spark.commit import commit
from babelreg.spark.compact import compact_lazily
from babelreg.spark.failure import disk_errors, translated
from babelreg.spark.live import known
from babelreg.spark.sources.files import Files
from babelreg.spark.summary import Summary, summary_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["ingest", "ingest_files", "pending"]


def ingest(
    spark: SparkSession | Callable[[], SparkSession],
    registry: Registry,
    input: str | Path,
    output: str | Path,
    *,
    keep_duplicates: bool = False,
    compacting: bool = True,
    progress: Progress = lambda step: None,
) -> Summary:
    """Read every message below ``input`` that no run has read yet, as one batch, into the tables below ``output``.

    ``spark`` is a session, or a function that starts one, called only when there is something to read; its settings
    are left as they are. ``keep_duplicates`` writes a message that was there before once more; an output folder is
    written either with it or without. ``compacting`` puts small files of tables together afterwards, as far as that
    is due and costs little (see ``compact``); where that fails there is a warning, since the batch counts.

    Raises UsageError, InputError and RegistryError before anything is written; after any exception the output is what
    it was before the call.
    """
    names = backlog.names(Path(input))
    return ingest_files(
        spark,
        registry,
        input,
        output,
        names,
        keep_duplicates=keep_duplicates,
        compacting=compacting,
        progress=progress,
        growing=False,
    )


def pending(input: str | Path, output: str | Path) -> backlog.Backlog:
    """Return what :func:`ingest` would read; nothing is written, locked or started. Raises UsageError, InputError."""
    source, target = Path(input), Path(output)
    names = backlog.names(source)
    folder.check(target, source)
    return backlog.find(source, names, history.read(target))


def ingest_files(
    spark: SparkSession | Callable[[], SparkSession],
    registry: Registry,
    input: str | Path,
    output: str | Path,
    names: Sequence[str],
    *,
    keep_duplicates: bool,
    compacting: bool,
    progress: Progress,
    growing: bool,
) -> Summary:
    """:func:`ingest` of the files ``names`` below ``input``; ``growing`` is as in ``backlog.find``."""
    source, target = Path(input), Path(output)
    folder.check(target, source)
    judge = agreement.judge_of(registry, digests=not keep_duplicates)
    with folder.locked(target), disk_errors(target):
        so_far = folder.opened(target)
        agreement.check(registry, judge, so_far, keep_duplicates)
        todo = backlog.find(source, names, so_far, growing=growing)
        if not todo.ranges:
            return Summary(str(input), str(output), known_files=todo.files)
        with folder.staging(target) as work, translated(target):
            judge.check()
            progress(f"judging {todo.size / 1e6:,.1f} MB in {len(todo.ranges)} files")
            given = spark() if callable(spark) else spark
            job = Job(
                session.configured(given),
                judge,
                Files(str(source.resolve()), todo.ranges, so_far.number + 1),
                work.resolve(),
                known(target, so_far, work),
                keep_duplicates,
                progress,
            )
            batch = commit(
                target, so_far, "ingest", job.run(), keeps_duplicates=keep_duplicates, consumed=todo.consumed
            )
        if compacting:
            compact_lazily(given, target, batch, progress)
    return summary_of(batch, input, output, len(todo.ranges), todo.files - len(todo.ranges))
