"""The output folder: who may write to it, what a stopped run left there, how finished files get in.

::

    tables/orders/created.v2/batch=000001/part-00000-a1b2c3d4.parquet
                                                                one table a URN; the path mirrors the URN
    quarantine/batch=000001/part-00000-a1b2c3d4.parquet         what was refused: bytes, reason, position
    ids/batch=000001/part-00000.ids                             which message ids were met, to tell duplicates
    manifest/000001.json                                        what the batch read and wrote; written last
    manifest/000100.state                                       the sum of all batches up to there (see ``replay``)
    manifest/folded-100/000100.batches                          the manifests up to there, as they were
    manifest/sources/000100-0.files                             which input files were read (see ``source_log``)
    manifest/newest                                             the number of the newest manifest; written after it
    manifest/lake.id                                            the identity of the lake (see ``lake_id``)
    projections/                                                which table formats follow (see ``projections``)
    .staging/                                                   work in progress; nothing there counts
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from babelreg.errors import InputError, UsageError
from babelreg.lake.durable_files import (
    make_folder,
    remove_files,
    remove_folder,
    sync_files,
    sync_folder,
    temporary_path,
)
from babelreg.lake.storage import lock, projections
from babelreg.lake.storage.log import manifest, replay
from babelreg.lake.storage.log.manifest import Batch
from babelreg.lake.storage.log.replay import LakeState
from babelreg.lake.storage.parquet import footer_checksum
from babelreg.model import Urn

TABLES, QUARANTINE, IDS = "tables", "quarantine", "ids"
_STAGING, _LOCK = ".staging", ".lock"
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:/")
_OURS = {TABLES, QUARANTINE, IDS, manifest.FOLDER, projections.FOLDER, _STAGING, _LOCK, lock.WRITER}


def table_folder(urn: str) -> str:
    """Return the folder of a URN's table below the output: ``tables/orders/created.v2``."""
    return f"{TABLES}/{Urn.parse(urn).path.removesuffix('.yaml')}"


def batch_folder(number: int) -> str:
    """Return the folder that holds the files of batch ``number`` in each table: ``batch=000001``."""
    return f"batch={number:06d}"


def check(output: Path, source: Path | None) -> None:
    """Raise UsageError when ``output`` cannot take the tables of what lies in ``source``, if that has a place."""
    if _ADDRESS.match(str(output)):
        raise UsageError(f"{output} is not a folder of this machine", fix="name a local folder")
    if source is not None:
        _check_apart(output, source)
    if output.exists() and not output.is_dir():
        raise UsageError(f"the output {output} is a file", fix="name a folder, new or existing")
    _ours_or_stop(output)


def _check_apart(output: Path, source: Path) -> None:
    inner, outer = output.resolve(), source.resolve()
    if inner == outer or outer in inner.parents:
        raise UsageError(
            f"the output {output} is inside the input {source}: the next run would read its own tables",
            fix="name an output folder outside the input",
        )
    if inner in outer.parents:
        raise UsageError(f"the input {source} is inside the output {output}", fix="keep the two apart")


def check_written(output: Path) -> None:
    """Raise UsageError when no run has written ``output``."""
    if not (output / manifest.FOLDER).is_dir():
        raise _not_written(output)
    _ours_or_stop(output)


def is_written(folder: Path) -> bool:
    """Return True for a lake: a folder that a run has written."""
    try:
        check_written(folder)
    except UsageError:
        return False
    return True


def _not_written(output: Path) -> UsageError:
    missing = "does not exist" if not output.exists() else "contains no tables of `babelreg lake ingest`"
    return UsageError(f"{output} {missing}", fix="pass the --lake of an earlier run")


def _ours_or_stop(output: Path) -> None:
    """Raise UsageError for a folder with other files: only a new folder, or one that babelreg wrote, is cleaned up."""
    try:
        names = {path.name for path in output.iterdir()} if output.exists() else set()
    except OSError as err:
        raise UsageError(f"cannot list {output}: {err.strerror}", fix="use a folder that you can write to") from err
    if names <= {_LOCK, lock.WRITER} or (names <= _OURS and manifest.FOLDER in names):
        return
    if names <= _OURS and not {TABLES, QUARANTINE}.isdisjoint(names):
        raise UsageError(
            f"{output} has tables, but no folder '{manifest.FOLDER}', in which a lake lists their files",
            fix=f"restore {output / manifest.FOLDER} from a backup; or ingest the whole input into a new folder",
        )
    stranger = min(names - _OURS, default=min(names))
    raise UsageError(
        f"the output folder {output} was not written by `babelreg lake ingest`: it holds '{stranger}'",
        fix="name a new folder, or one that an earlier run wrote",
    )


@contextmanager
def locked(output: Path) -> Iterator[None]:
    """Hold the output folder, made if need be: a second run on it is refused. A killed process holds nothing.

    Raises UsageError when another run holds it or it cannot be written.
    """
    try:
        output.mkdir(parents=True, exist_ok=True)
        file = (output / _LOCK).open("ab")
        (output / manifest.FOLDER).mkdir(exist_ok=True)
    except OSError as err:
        raise UsageError(f"cannot write to {output}: {err.strerror}", fix="use a folder that you can write to") from err
    with file, lock.locked(file, output):
        yield


def opened(output: Path) -> LakeState:
    """Return the state of the lake, after removal of leftovers and replaced files. Only for the holder of the lock.

    Raises InputError for a manifest that cannot be understood or is missing, and for a missing file that the newest
    manifest names; where the lake is published, any of them. Interrupted runs leave files only with a staging folder,
    so any other file that no manifest names belonged to a missing one.
    """
    state, names = replay.opened(output)
    discard_uncommitted(output, state.number)
    if (uncommitted := next(_folders(output, state.number + 1), None)) is not None:
        name, missing = uncommitted.name, manifest.path_of(output, state.number + 1)
        raise InputError(
            f"{uncommitted} is there, but its manifest {missing} is not",
            fix=f"restore {missing} from a backup; or remove every {name} below {output}, to read its input again",
        )
    if state.number:
        check_files(output, state)
        _whole_or_stop(output, manifest.read_batch(output, state.number))
        manifest.record_newest(output, state.number)
    return remove_replaced(output, replay.checkpoint(output, state, names))


def check_files(output: Path, state: LakeState) -> None:
    """Raise InputError where files of a published lake are gone that count: whoever reads its tables may clean them up.

    A VACUUM removes files that the log of the table does not name, as those of batches that are not published yet.
    """
    if projections.removable(output) is None:
        return
    names = [*state.quarantine, *(name for files in state.tables.values() for name in files)]
    missing = [name for name in names if not os.path.exists(f"{output}/{name}")]  # noqa: PTH110 -- thousands of them
    if missing:
        first, them = output / missing[0], "it" if len(missing) == 1 else "them"
        what = f"{first} is" if len(missing) == 1 else f"{len(missing):,} files, such as {first}, are"
        raise InputError(
            f"{what} missing: manifests list {them}, and another program removed {them}, as VACUUM does with"
            " files that are not, or no longer, in a published table",
            fix=f"restore {them} from a backup; or ingest the whole input again into a new lake:"
            " `babelreg lake ingest --input INPUT --lake NEW`",
        )


def opened_written(output: Path) -> LakeState:
    """Return the same of an output that has a batch. Raises UsageError where it has none, InputError."""
    so_far = opened(output)
    if not so_far.number:
        raise _not_written(output)
    return so_far


def _whole_or_stop(output: Path, newest: Batch) -> None:
    """Raise InputError for a folder that was copied halfway: it lacks files of its newest batch."""
    named = [*newest.quarantine.files, *(name for table in newest.tables.values() for name in table.files)]
    if missing := next((name for name in named if not (output / name).exists()), None):
        raise InputError(
            f"{output / missing} is missing, but the manifest of batch {newest.number} lists it",
            fix="copy the whole output folder again, or restore the file from a backup",
        )


@contextmanager
def staging(output: Path, number: int | None = None) -> Iterator[Path]:
    """Yield a new folder on the same disk as the tables, and remove it afterwards.

    ``number`` is the newest batch so far; without it, the manifests are listed for that.
    """
    base = output / _STAGING
    base.mkdir(exist_ok=True)
    # A new name each time: what a killed run's last tasks still write never lands in ours.
    folder = Path(tempfile.mkdtemp(prefix="batch-", dir=base))
    try:
        yield folder
    finally:
        # What counts, counts: if this fails, the next run does it.
        with suppress(OSError):
            newest = None if number is None else number + manifest.path_of(output, number + 1).exists()
            discard_uncommitted(output, newest)


def discard_uncommitted(output: Path, number: int | None = None) -> None:
    """Remove what no manifest names: staging, folders of the batch that has none, ids that the newest does without.

    ``number`` is the newest batch, listed where it is not given. Nothing is looked for where there is no staging
    folder: it is there before the first such file, and goes last.
    """
    if not (output / _STAGING).exists():
        return
    number = manifest.listing(output).newest if number is None else number
    for path in list(_folders(output, number + 1)):
        shutil.rmtree(path)
    index = manifest.read_one(manifest.path_of(output, number)).index if number else ()
    counting = {output / run.file for run in index}
    remove_files(path for path in (output / IDS).glob("batch=*/*") if path not in counting)
    temporary_path(manifest.path_of(output, number + 1)).unlink(missing_ok=True)
    remove_folder(output / _STAGING)


def _folders(output: Path, number: int) -> Iterator[Path]:
    """Yield the existing folders of batch ``number`` in all tables, without listing other folders."""
    name = batch_folder(number)
    for pattern in (f"{TABLES}/*/*", QUARANTINE, IDS):
        yield from (path for table in output.glob(pattern) if (path := table / name).is_dir())


def remove_replaced(output: Path, so_far: LakeState) -> LakeState:
    """Remove the files that no longer count and that no reader can still be at, and say so: their grace is over.

    Where projections stand, they must have released the files, too. Raises InputError.
    """
    over = []
    released = projections.removable(output) if so_far.replaced else None
    for replaced in so_far.replaced:
        if released is not None and replaced.number > released:
            continue
        at = so_far.replaced_at.get(replaced.number)
        if at is None:
            at = manifest.path_of(output, replaced.number).stat().st_mtime
        if time.time() - at >= replaced.grace_seconds:
            remove_files(output / name for name in replaced.files)
            over.append(replaced.number)
    return replace(so_far, removed=tuple(over)) if over else so_far


def publish(written: Sequence[Path], output: Path, folder: str, batch: str) -> tuple[str, ...]:
    """Move finished files into ``output/folder/batch`` as part-00000-<CRC of the footer>.parquet and so on, at once.

    Their paths relative to ``output``; when this returns they are on the disk, by content and by name. ``written``
    must lie on the same disk; other files may be beside them. Nothing happens without files.
    """
    if not written:
        return ()
    ready = written[0].with_suffix(".ready")
    ready.mkdir()
    names = [f"part-{number:05d}{_checksum(path)}{path.suffix}" for number, path in enumerate(written)]
    for path, name in zip(written, names, strict=True):
        path.rename(ready / name)
    sync_files(ready / name for name in names)
    sync_folder(ready)
    final = output / folder / batch
    make_folder(final.parent)
    ready.rename(final)
    sync_folder(final.parent)
    return tuple(f"{folder}/{batch}/{name}" for name in names)


def _checksum(path: Path) -> str:
    checksum = footer_checksum(path) if path.suffix == ".parquet" else None
    return f"-{checksum}" if checksum else ""
