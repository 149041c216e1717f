"""State of a lake, read from the last checkpoint and the manifests after it.

Every ``EVERY`` batches the manifests are folded: copied into one file (``folded_manifests``), added to the log of
sources (``source_log``) and summed up in a ``checkpoint``. The manifests that the previous checkpoint covers are then
removed. So the folder stays small, the cost of a batch does not grow with the number of batches, and a reader that
began at the previous checkpoint finds all it needs; one that is further behind reads the folded manifests.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from babelreg.errors import InputError
from babelreg.lake.storage.log import batch_record, folded_manifests, manifest, source_log
from babelreg.lake.storage.log import checkpoint as checkpoints
from babelreg.lake.storage.log.batch_record import RESTORE, Batch
from babelreg.lake.storage.log.lake_state import LakeState, ReplacedFiles, followed
from babelreg.lake.storage.log.manifest import ManifestNames
from babelreg.lake.storage.log.sorted_file import DamagedFile
from babelreg.lake.storage.log.source_log import SourceLog

__all__ = ["EVERY", "LakeState", "ReplacedFiles", "after", "checkpoint", "of", "opened", "read"]

EVERY = 100
"""Number of manifests that are folded at once, in an output where none was yet."""

_ATTEMPTS = 10


def read(output: Path) -> LakeState:
    """Return the state of ``output``. Raises InputError for a manifest that is damaged or missing."""
    return opened(output)[0]


def opened(output: Path) -> tuple[LakeState, ManifestNames]:
    """Return the same and the names that were found: the folder is listed once.

    A writer may fold manifests between the two; then this begins again.
    """
    for _ in range(_ATTEMPTS):
        names = manifest.listing(output)
        with suppress(FileNotFoundError):
            return _read(output, names), names
    raise InputError(f"the manifests in {output / manifest.FOLDER} keep changing", fix="try again")


def of(batches: Sequence[Batch]) -> LakeState:
    """Return the state after ``batches``, which begin with the first one."""
    return followed(LakeState(), batches)


def after(state: LakeState, batch: Batch) -> LakeState:
    """Return ``state`` and the next ``batch``. Raises InputError."""
    return followed(state, (batch,))


def _read(output: Path, names: ManifestNames) -> LakeState:
    damage = ""
    for number in reversed(names.checkpoints):
        if number not in names.manifests:
            continue
        try:
            base = checkpoints.load(output, number)
        except FileNotFoundError:
            raise
        except (OSError, ValueError) as err:
            damage = damage or f"{manifest.checkpoint_path(output, number)} is not a checkpoint: {err}"
            continue
        if base is not None:
            return _from(output, names, base)
    if 1 not in names.manifests and damage:
        raise InputError(f"{damage}; the manifests before it were folded", fix=RESTORE)
    return _from(output, names, LakeState())


def _from(output: Path, names: ManifestNames, base: LakeState) -> LakeState:
    if (missing := names.missing(base.number)) is not None:
        raise manifest.missing_manifest(output, missing)
    later = range(base.number + 1, names.newest + 1)
    return followed(base, tuple(manifest.read_batch(output, number) for number in later))


def checkpoint(output: Path, history: LakeState, names: ManifestNames | None = None) -> LakeState:
    """Fold the manifests of ``history`` if there are enough; return it with its checkpoint. Requires the lock.

    After an interruption it is repeated: no manifest is removed before its replacement is on the disk. A full disk is
    not an error here, because nothing depends on this. Raises InputError for damaged files.
    """
    names = manifest.listing(output) if names is None else names
    every = names.every or EVERY
    last = history.number // every * every
    if last <= history.checkpoint:
        _finish_removal(output, history, names)
        return history
    with suppress(OSError):
        return _folded(output, history, names, every, last)
    return history


def _folded(output: Path, history: LakeState, names: ManifestNames, every: int, last: int) -> LakeState:
    folder, current = output / manifest.FOLDER, history
    base = checkpoints.load(output, history.checkpoint) if history.checkpoint else LakeState()
    assert base is not None
    previous = base
    for end in range(base.number + every, last + 1, every):
        paths = [manifest.path_of(output, number) for number in range(end - every + 1, end + 1)]
        contents = [path.read_bytes() for path in paths]
        batches = [batch_record.decode(content, path) for content, path in zip(contents, paths, strict=True)]
        folded_manifests.write(folded_manifests.path_of(folder, every, end), contents)
        try:
            runs = source_log.added(folder, source_log.FOLDER, base.sources.runs, batches)
        except DamagedFile as err:
            raise InputError(f"the log of what was read is damaged: {err}", fix=RESTORE) from err
        base = replace(followed(base, batches), sources=SourceLog(folder, runs))
    written = replace(base, replaced_at=_replaced_at(output, base), checkpoint=last)
    checkpoints.write(output, written)
    _remove_folded(output, names, previous, written)
    later = [manifest.read_batch(output, number) for number in range(last + 1, current.number + 1)]
    return replace(followed(written, later), removed=current.removed)


def _replaced_at(output: Path, history: LakeState) -> dict[int, float]:
    """Return when each batch replaced files: a manifest that is folded no longer says."""
    times = history.replaced_at
    return {
        files.number: times[files.number]
        if files.number in times
        else manifest.path_of(output, files.number).stat().st_mtime
        for files in history.replaced
    }


def _finish_removal(output: Path, history: LakeState, names: ManifestNames) -> None:
    """Remove what a run that was stopped after it wrote the checkpoint of ``history`` did not."""
    earlier = [number for number in names.checkpoints if number < history.checkpoint][-1:]
    if earlier and (len(names.checkpoints) > 2 or any(number < earlier[0] for number in names.manifests)):
        with suppress(OSError, ValueError):
            if (previous := checkpoints.load(output, earlier[0])) is not None:
                _remove_folded(output, names, previous, history)


def _remove_folded(output: Path, names: ManifestNames, previous: LakeState, written: LakeState) -> None:
    """Remove what only readers at a checkpoint earlier than ``previous`` would read, and what no checkpoint names.

    Manifests go last: where one is left, so may be other files, and the next run looks for them.
    """
    retained = {previous.checkpoint, written.checkpoint}
    counting = {run.file for run in (*previous.sources.runs, *written.sources.runs)}
    sources = output / manifest.FOLDER / source_log.FOLDER
    remove = [path for path in sources.glob("*.files") if f"{source_log.FOLDER}/{path.name}" not in counting]
    remove += [manifest.checkpoint_path(output, number) for number in names.checkpoints if number not in retained]
    remove += [manifest.path_of(output, number) for number in sorted(names.manifests) if number < previous.checkpoint]
    for path in remove:
        path.unlink(missing_ok=True)
