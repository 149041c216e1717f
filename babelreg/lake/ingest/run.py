"""Ingest: the new messages of an input, as one batch, into the tables of an output folder."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.errors import InputError, UsageError
from babelreg.lake.engine.engine import LOCAL, EngineChoice
from babelreg.lake.engine.local_engine import LocalEngine, opened
from babelreg.lake.ingest import schema_check
from babelreg.lake.ingest.batch import BatchJob, Progress
from babelreg.lake.ingest.compaction import compact_lazily
from babelreg.lake.ingest.redrive import GRACE_SECONDS
from babelreg.lake.ingest.refused_examples import examples
from babelreg.lake.ingest.summary import BatchHeld, Summary, empty_summary, held_summary, summary_of
from babelreg.lake.ingest.thresholds import exceeded, thresholds_of
from babelreg.lake.ingest.validation_job import progress_folder
from babelreg.lake.input import input_discovery
from babelreg.lake.input.input_discovery import InputBacklog
from babelreg.lake.input.message_files import FileSource
from babelreg.lake.input.standard_input import is_stream, stored
from babelreg.lake.storage import id_index
from babelreg.lake.storage import output_folder as folder
from babelreg.lake.storage.commit import StagedBatch, commit
from babelreg.lake.storage.disk_errors import disk_errors
from babelreg.lake.storage.id_index import IdRunFile
from babelreg.lake.storage.log import replay
from babelreg.lake.storage.log.manifest import Batch
from babelreg.lake.storage.log.replay import LakeState
from babelreg.lake.tasks.task_progress import Count, CountedStep
from babelreg.model import Registry, Thresholds
from babelreg.model.thresholds import ThresholdsLike
from babelreg.plural import counted
from babelreg.sources import input_folder
from babelreg.sources.message_input import is_stdin
from babelreg.wire import formats
from babelreg.wire.format import NATIVE

if TYPE_CHECKING:
    from babelreg.lake.publish.following import Follower

_ATTEMPTS = 3

_LOG = logging.getLogger(__name__)


class InputChanged(InputError):
    """A file was rotated, moved or rewritten between its listing and the end of its reading; nothing was committed."""


def ingest(
    engine: EngineChoice,
    registry: Registry,
    input: str | Path,
    output: str | Path,
    *,
    keep_duplicates: bool = False,
    compacting: bool = True,
    grace_seconds: int = GRACE_SECONDS,
    wire: str = NATIVE,
    received_at: int | None = None,
    fail_above: ThresholdsLike = None,
    hold_above: ThresholdsLike = None,
    publish: Collection[str] | None = (),
    progress: Progress = lambda step: None,
) -> Summary:
    """Read every message of ``input`` that no run has read yet, as one batch, into the tables below ``output``.

    ``input`` is a folder, one of its files, which the folder then counts as read, or ``"-"`` or another pipe, which is
    read to its end (see ``standard_input``), not by Spark.

    ``engine`` is ``"local"``, a ``LocalEngine``, or another engine; each writes the same files. The function of this
    name in ``babelreg.spark`` also takes a Spark session, whose settings are not changed, or a function that starts one
    and is only called if there is something to read.

    ``keep_duplicates`` stores repeated messages again; it must be the same for all batches of an output. ``compacting``
    merges small files afterwards, as far as that is due and cheap (see ``compact``); a failure there is a warning.
    Replaced files are kept for ``grace_seconds``.

    ``wire`` is the format of the messages (see ``wire.formats``). Messages of a foreign wire are first converted to
    envelopes, with the names that ``wires:`` of the registry maps; the time of one without a time is ``received_at``,
    in Unix milliseconds, or the modification time of its file. An input folder has one wire format, an output may have
    several.

    A file that no longer contains the data that was read from it is not read but listed in ``Summary.set_aside``.

    ``fail_above`` and ``hold_above`` are shares of quarantined messages, such as '5%' or {URN: '5%'}; they replace
    those of the registry's settings, scope by scope. Above the first, ``Summary.exceeded`` says so; above the second,
    BatchHeld is raised. A share counts from 100 messages on.

    ``publish`` lists formats, ``"delta"`` or ``"iceberg"``, that the output is published to. Formats that it was
    published to before are updated, too. A table that could not be published is a warning, and the next run tries
    again. None leaves all of them unchanged.

    Raises UsageError, InputError and RegistryError before anything is written; after any exception the output is
    unchanged.
    """
    follower = follower_of(Path(output), publish, progress)
    follower.catch_up()
    for attempt in range(1, _ATTEMPTS + 1):
        progress(f"looking for new messages in {input}")
        names = () if is_stream(Path(input)) else input_folder.names(Path(input))
        try:
            summary = ingest_files(
                engine,
                registry,
                input,
                output,
                names,
                keep_duplicates=keep_duplicates,
                compacting=compacting,
                grace_seconds=grace_seconds,
                wire=wire,
                received_at=received_at,
                fail_above=fail_above,
                hold_above=hold_above,
                progress=progress,
                growing=False,
            )
            break
        except InputChanged:
            if attempt == _ATTEMPTS:
                raise
    follower.follow()
    return summary


def follower_of(output: Path, to: Collection[str] | None, progress: Progress) -> Follower:
    """Return what publishes ``output`` after a run; a table that could not be published is a warning."""
    from babelreg.lake.publish.following import Follower

    def warned(name: str, why: str) -> None:
        _LOG.warning("not published to %s: %s", name, why)

    return Follower(output, to, told=lambda name, caught: None, warned=warned, progress=progress)


def pending(input: str | Path, output: str | Path, *, wire: str = NATIVE) -> input_discovery.InputBacklog:
    """Return what :func:`ingest` would read; nothing is written, locked or started. Raises UsageError, InputError."""
    source, target = Path(input), Path(output)
    if is_stream(source):
        raise UsageError(
            "a dry run would use up standard input", fix="babelreg validate -, which shows what is refused"
        )
    names = input_folder.names(source)
    folder.check(target, source)
    formats.find(wire)
    return input_discovery.find(input_folder.folder_of(source), names, replay.read(target), wire=wire)


def ingest_files(
    engine: EngineChoice,
    registry: Registry,
    input: str | Path,
    output: str | Path,
    names: Sequence[str],
    *,
    keep_duplicates: bool,
    compacting: bool,
    progress: Progress,
    growing: bool,
    unsettled: Sequence[str] = (),
    grace_seconds: int = GRACE_SECONDS,
    wire: str = NATIVE,
    received_at: int | None = None,
    fail_above: ThresholdsLike = None,
    hold_above: ThresholdsLike = None,
) -> Summary:
    """Ingest the files ``names`` of ``input``; ``growing`` and ``unsettled`` are as in ``input_discovery.find``.

    A stream has no names.
    """
    place, target = Path(input), Path(output)
    is_pipe = is_stream(place)
    if is_pipe:
        _check_local(engine)
    folder.check(target, None if is_pipe else place)
    formats.find(wire)
    failing, holding = thresholds_of(registry, fail_above, hold_above)
    spec = schema_check.spec_of(registry, digests=not keep_duplicates)
    with opened(engine) as engine, folder.locked(target), disk_errors(target), ExitStack() as stack:
        so_far = folder.opened(target)
        schema_check.check(registry, spec, so_far, keep_duplicates)
        if is_pipe:
            progress(f"storing {'standard input' if is_stdin(place) else place}")
            stream = stack.enter_context(stored(place, stack.enter_context(folder.staging(target, so_far.number))))
            source, todo = stream.folder, stream.backlog(so_far, wire=wire, received_at=received_at)
        else:
            source = input_folder.folder_of(place)
            todo = input_discovery.find(
                source, names, so_far, growing=growing, unsettled=unsettled, wire=wire, received_at=received_at
            )
        recorded = partial(_recorded, target, so_far, todo, wire=wire, received_at=received_at)
        if not todo.ranges:
            if todo.has_changes:
                recorded(_index(target, so_far), keep_duplicates)
            return empty_summary(todo, input, output)
        with folder.staging(target, so_far.number) as work, engine.translated(target):
            engine.start()
            progress(_validation_step(todo, work))
            job = BatchJob(
                engine,
                spec,
                FileSource(str(source.resolve()), todo.ranges, so_far.number + 1, wire),
                work.resolve(),
                id_index.opened(target, so_far, work),
                keep_duplicates,
                progress,
                partial(id_index.rebuilt_for, target, so_far, work),
            )
            staged = _run(job, source, todo)
            _check_held(holding, staged, held_summary(staged, input, output, todo), registry)
            batch = recorded(staged, keep_duplicates)
        if compacting:
            now = replay.after(so_far, batch)
            compact_lazily(engine, target, batch, progress, so_far=now, grace_seconds=grace_seconds)
    summary = summary_of(batch, staged, input, output, len(todo.ranges), todo)
    return replace(summary, exceeded=exceeded(failing, summary.counts))


def _check_local(engine: EngineChoice) -> None:
    if engine != LOCAL and not isinstance(engine, LocalEngine):
        raise UsageError(
            "standard input cannot be read by Spark, whose tasks read parts of files",
            fix="use --engine local, or write it to a file and pass that with --input",
        )


def _run(job: BatchJob, source: Path, todo: InputBacklog) -> StagedBatch:
    """Do the work of the batch. Raises InputChanged where files are not those that were listed."""
    try:
        staged, cause = job.run(), None
    except Exception as err:
        staged, cause = None, err
    if (name := input_discovery.changed(source, todo)) is not None:
        raise InputChanged(
            f"{source / name} was moved or rewritten while it was read; nothing was committed",
            fix="run the same command again",
        ) from cause
    if staged is None:
        assert cause is not None
        raise cause
    return staged


def _check_held(holding: Thresholds, staged: StagedBatch, summary: Summary, registry: Registry) -> None:
    """Raise BatchHeld for a batch above one of the thresholds."""
    if too_many := exceeded(holding, summary.counts):
        refused = examples(staged.quarantine.files, registry)
        raise BatchHeld(too_many, replace(summary, exceeded=too_many, examples=refused))


def _recorded(
    target: Path,
    so_far: LakeState,
    todo: InputBacklog,
    written: StagedBatch,
    keep_duplicates: bool,
    *,
    wire: str,
    received_at: int | None,
) -> Batch:
    """Commit the staged batch ``written``, with the state of the input files."""
    return commit(
        target,
        so_far,
        "ingest",
        written,
        keeps_duplicates=keep_duplicates,
        consumed=todo.consumed,
        set_aside=todo.newly,
        resumed=todo.resumed,
        wire=wire,
        received_at=received_at,
    )


def _index(target: Path, so_far: LakeState) -> StagedBatch:
    """Return a batch without messages, which only records moved files and files that are set aside."""
    return StagedBatch(index=tuple(IdRunFile(target / run.file, run.rows, run.file) for run in so_far.index))


def _validation_step(todo: InputBacklog, work: Path) -> CountedStep:
    """Return the step that reads all of ``todo``; the decompressed size of compressed files is unknown."""
    files = len(todo.ranges)
    size = 0 if any(file_range.compression for file_range in todo.ranges) else todo.size
    text = f"validating {todo.size / 1e6:,.1f} MB in {counted(files, 'file')}"
    return CountedStep(text, progress_folder(work), Count(bytes=size))
