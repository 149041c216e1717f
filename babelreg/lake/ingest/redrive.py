"""Redrive: validate the quarantine again, after the registry was fixed.

A message that passes goes to its table once; one that does not stays, with its current reason. Both are one batch,
whose manifest adds the rows and lists the quarantine files that it replaces. Unchanged results write nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from babelreg.contract.reason import REASONS
from babelreg.errors import InputError, UsageError
from babelreg.lake.engine.engine import Engine, EngineChoice
from babelreg.lake.engine.local_engine import opened
from babelreg.lake.ingest import quarantine, schema_check
from babelreg.lake.ingest.batch import BatchJob, Progress
from babelreg.lake.ingest.summary import Summary, summary_of
from babelreg.lake.ingest.validation_job import progress_folder
from babelreg.lake.input import input_discovery
from babelreg.lake.input.quarantine_source import QuarantineSource, RowSelection, count_selected, input_files
from babelreg.lake.message_source import Origin, staged_name
from babelreg.lake.storage import id_index
from babelreg.lake.storage import output_folder as folder
from babelreg.lake.storage.commit import Replacement, Rows, StagedBatch, commit
from babelreg.lake.storage.disk_errors import disk_errors
from babelreg.lake.storage.log import manifest
from babelreg.lake.storage.log.replay import LakeState
from babelreg.lake.storage.parquet import files_in, rows_in
from babelreg.lake.tasks.task_progress import Count, CountedStep
from babelreg.lake.tasks.validation_spec import ValidationSpec
from babelreg.model import Registry
from babelreg.plural import counted
from babelreg.suggest import closest
from babelreg.typemap import spark as typemap
from babelreg.wire.format import CONTROL_MESSAGE, NATIVE
from babelreg.wire.formats.table import FORMATS

GRACE_SECONDS = 3600
"""How long replaced files stay for readers that listed them before."""


def redrive(
    engine: EngineChoice,
    registry: Registry,
    output: str | Path,
    *,
    reasons: Collection[str] = (),
    urns: Collection[str] = (),
    grace_seconds: int = GRACE_SECONDS,
    progress: Progress = lambda step: None,
) -> Summary:
    """Validate the quarantine of ``output`` again: rows with any of ``reasons`` and ``urns``; all if none are given.

    ``engine`` is as for ``ingest``. Replaced files are removed by a later run, ``grace_seconds`` after this one. The
    summary counts the validated messages; its ``batch`` is None if nothing changed.

    Raises UsageError (also for an unknown reason or URN), InputError and RegistryError; after any exception the output
    is unchanged.
    """
    selection = RowSelection(frozenset(reasons), registry.names(urns))
    return redrive_selected(engine, registry, output, selection, grace_seconds=grace_seconds, progress=progress)


def redrive_selected(
    engine: EngineChoice,
    registry: Registry,
    output: str | Path,
    selection: RowSelection,
    *,
    grace_seconds: int = GRACE_SECONDS,
    progress: Progress = lambda step: None,
) -> Summary:
    """Validate the rows of ``selection`` again; see :func:`redrive`."""
    target = Path(output)
    folder.check_written(target)
    with opened(engine) as engine, folder.locked(target), disk_errors(target):
        engine.check_installed()
        so_far = folder.opened_written(target)
        keeps = so_far.keeps_duplicates
        spec = schema_check.spec_of(registry, digests=not keeps)
        schema_check.check(registry, spec, so_far, keeps)
        plan = plan_of(target, so_far.quarantine, selection, registry)
        source = str(target / folder.QUARANTINE)
        if not plan.rows:
            return Summary(source, str(output))
        with folder.staging(target, so_far.number) as work, engine.translated(target):
            engine.start()
            text = f"validating {counted(plan.rows, 'message')} again"
            progress(CountedStep(text, progress_folder(work), Count(messages=plan.rows)))
            staged = _validated(engine, spec, target, so_far, plan, work.resolve(), progress)
            if staged is None:
                return Summary(source, str(output), files=len(plan.names), read=plan.rows)
            replaced = Replacement(plan.names, grace_seconds)
            batch = commit(target, so_far, "redrive", staged, keeps_duplicates=keeps, replaced=replaced)
    return summary_of(batch, staged, source, output, len(plan.names))


@dataclass(frozen=True, slots=True)
class RedrivePlan:
    """Rows to be validated again: ``rows`` rows in the files ``names``, which also hold ``others``."""

    names: tuple[str, ...]
    rows: int
    others: int
    selection: RowSelection


def plan_of(target: Path, refused: Iterable[str], selection: RowSelection, registry: Registry) -> RedrivePlan:
    """Return the rows of the quarantine files ``refused`` to validate again. Raises UsageError, InputError."""
    counts = {name: count_selected(target / name, selection) for name in refused}
    present = frozenset().union(*(count.present for count in counts.values()))
    _check_known(selection.reasons - present, known_reasons(), "no message is ever refused for '{}'", "--reason")
    _check_known(
        selection.urns - present, registry.by_name, "neither the quarantine nor the registry knows '{}'", "--urn"
    )
    names = tuple(name for name, count in counts.items() if count.rows)
    rows = sum(count.rows for count in counts.values())
    return RedrivePlan(names, rows, rows_in([target / name for name in names]) - rows, selection)


def known_reasons() -> frozenset[str]:
    """Return every reason that a message may be in quarantine for."""
    of_wires = (code for wire in FORMATS.values() for code in wire.CODES)
    return frozenset({*REASONS, *typemap.UNSTORABLE, quarantine.CONFLICT, CONTROL_MESSAGE, *of_wires})


def origins_of(target: Path, so_far: LakeState, files: Iterable[Path], selection: RowSelection) -> dict[str, Origin]:
    """Return the origins of the foreign messages among the rows, as they were when their batch read them."""
    if not so_far.wires:
        return {}
    origins: dict[str, Origin] = {}
    by_batch: dict[int, set[str]] = {}
    for number, name in input_files(files, selection):
        by_batch.setdefault(number, set()).add(name)
    for number, names in sorted(by_batch.items()):
        batch = manifest.find_batch(target, number)
        if batch.wire == NATIVE:
            continue
        read = {file.name: file for file in batch.consumed if not file.moved}
        for name in names:
            if name not in read:
                raise InputError(
                    f"batch {number} read no {name}, and the quarantine has rows of it", fix=manifest.RESTORE
                )
            origins[staged_name(number, name)] = input_discovery.origin(read[name], batch.wire, batch.received_at)
    return origins


def _check_known(names: Iterable[str], valid: Collection[str], text: str, option: str) -> None:
    """Raise UsageError for a name that no row has and none could have: it is misspelt."""
    for name in sorted(names):
        if name not in valid:
            near = closest(name, valid)
            fix = f"did you mean '{near}'?" if near else f"without {option} the whole quarantine is validated again"
            raise UsageError(text.format(name), fix=fix)


def _validated(
    engine: Engine,
    spec: ValidationSpec,
    target: Path,
    so_far: LakeState,
    plan: RedrivePlan,
    work: Path,
    progress: Progress,
) -> StagedBatch | None:
    """Return the batch to commit, or None if every row would stay as it is."""
    files = [target.resolve() / name for name in plan.names]
    source = QuarantineSource(tuple(map(str, files)), plan.selection, origins_of(target, so_far, files, plan.selection))
    known = id_index.opened(target, so_far, work)
    rebuilt = partial(id_index.rebuilt_for, target, so_far, work)
    job = BatchJob(engine, spec, source, work, known, so_far.keeps_duplicates, progress, rebuilt)
    staged = job.run()
    if staged.read != plan.rows:
        raise RuntimeError(f"{plan.rows} rows were to be validated again and {staged.read} were; nothing was changed")
    if staged.quarantine.rows == staged.read and not quarantine.differ(staged.quarantine.files, files, plan.selection):
        return None
    if not plan.others:
        return staged
    quarantine.copy_unselected(files, plan.selection, work / "kept")
    copied = files_in(work / "kept")
    if rows_in(copied) != plan.others:
        raise RuntimeError(f"{plan.others} rows of the quarantine were to be kept and {rows_in(copied)} were")
    return replace(staged, kept=Rows(plan.others, copied))
