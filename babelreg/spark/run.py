"""``ingest``: what is new in a folder of messages, into the tables of an output folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.errors import RegistryError, UsageError
from babelreg.model import Registry, Urn, UrnError
from babelreg.spark import backlog, index, live, manifest, session, tables
from babelreg.spark import output as folder
from babelreg.spark.batch import Job, Progress
from babelreg.spark.failure import translated
from babelreg.spark.judge import Judge
from babelreg.spark.manifest import Batch
from babelreg.spark.sources.files import Files
from babelreg.spark.summary import Summary

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["ingest"]


def ingest(
    spark: SparkSession | Callable[[], SparkSession],
    registry: Registry,
    input: str | Path,
    output: str | Path,
    *,
    keep_duplicates: bool = False,
    progress: Progress = lambda step: None,
) -> Summary:
    """Read every message below ``input`` that no run has read yet, as one batch, into the tables below ``output``.

    ``spark`` is a session, or a function that starts one, called only when there is something to read; its settings
    are left as they are. ``keep_duplicates`` writes a message that was there before once more; an output folder is
    written either with it or without.

    Raises UsageError, InputError and RegistryError before anything is written; after any exception the output is what
    it was before the call.
    """
    source, target = Path(input), Path(output)
    names = backlog.names(source)
    folder.check(target, source)
    judge = _judge(registry, keep_duplicates)
    with folder.locked(target):
        batches = manifest.read(target)
        folder.discard_uncommitted(target)
        folder.remove_replaced(target, batches)
        _agree(registry, judge, batches, keep_duplicates)
        todo = backlog.find(source, names, batches)
        if not todo.ranges:
            return Summary(str(input), str(output), known_files=todo.files)
        with folder.staging(target) as work, translated(target):
            judge.check()
            given = spark() if callable(spark) else spark
            job = Job(
                session.configured(given),
                judge,
                Files(str(source.resolve()), todo.ranges),
                target.resolve(),
                work.resolve(),
                _known(target, batches, work, keep_duplicates),
                keep_duplicates,
                progress,
            )
            batch = job.run(len(batches) + 1, todo)
            manifest.write(target, batch)
    return _summary(input, output, todo, batch)


def _known(target: Path, batches: Sequence[Batch], work: Path, keep_duplicates: bool) -> tuple[index.Held, ...]:
    if keep_duplicates or not batches:
        return ()
    runs = batches[-1].index
    tables = (target / name for name in live.all_tables(batches))
    return index.prepared(target.resolve(), runs, tables, (work / "ids").resolve())


def _judge(registry: Registry, keep_duplicates: bool) -> Judge:
    if registry.defects:
        raise RegistryError("the registry has defects", registry.defects, fix="mend them; `babelreg lint` shows all")
    if not registry.schemas:
        raise UsageError(
            f"the registry {registry.root} declares no message with a schema", fix="name the right --registry"
        )
    for urn in registry.schemas:
        try:
            Urn.parse(urn)
        except UrnError as err:
            place = registry.by_urn[urn].source.place(("urn",))
            raise UsageError(f"no table can be named for this URN: {err}", place=place, fix="babelreg lint") from err
    messages = (registry.by_urn[urn] for urn in registry.schemas)
    strict = [one.urn for one in messages if registry.compatibility(one.context).reader == "strict"]
    return Judge.of(registry.schemas, strict, digests=not keep_duplicates)


def _agree(registry: Registry, judge: Judge, batches: Sequence[Batch], keep_duplicates: bool) -> None:
    """Raises UsageError when the tables that are there were made in another way."""
    # No URN ever leaves a registry: a retired message stays as a tombstone.
    gone = sorted({urn for batch in batches for urn in batch.tables} - set(registry.by_urn))
    if gone:
        raise UsageError(
            f"the output has a table of {gone[0]}, which the registry {registry.root} does not know: "
            "it was written with another registry",
            fix="name that registry with --registry, or a new output folder",
        )
    if batches and batches[0].keeps_duplicates != keep_duplicates:
        how = "with" if batches[0].keeps_duplicates else "without"
        raise UsageError(
            f"the output was written {how} --keep-duplicates so far", fix="do the same, or name a new output folder"
        )
    wanted = {urn: tables.types(columns) for urn, columns in zip(judge.schemas, judge.columns, strict=True)}
    tables.check_types(batches, wanted)


def _summary(source: str | Path, target: str | Path, todo: backlog.Backlog, batch: Batch) -> Summary:
    return Summary(
        input=str(source),
        output=str(target),
        batch=batch.number,
        files=len(todo.ranges),
        known_files=todo.files - len(todo.ranges),
        read=batch.read,
        accepted=batch.accepted,
        duplicates=batch.duplicates,
        quarantined=batch.quarantined,
        tables={urn: table.rows for urn, table in batch.tables.items()},
        repeated=batch.repeated,
        reasons=batch.reasons,
        folders={urn: str(Path(target) / folder.table_folder(urn)) for urn in batch.tables},
        quarantine=str(Path(target) / folder.QUARANTINE) if batch.quarantined else None,
    )
