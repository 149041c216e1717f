"""The manifest of every batch: ``OUTPUT/manifest/<batch>.json``, written last and renamed into place.

A batch exists when its manifest does. ``OUTPUT/manifest/newest`` is written after it and names its number, so that a
newest manifest that is gone is not taken for one that never was. Rows in files that no manifest names are left by a run
that was stopped; the next run removes them. A file that a later batch names as replaced is no longer current.
``replay`` computes the state of the lake from all manifests, and folds old ones into checkpoints and
``folded_manifests``, so that the folder stays small.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from babelreg.errors import InputError
from babelreg.lake.durable_files import write_whole
from babelreg.lake.storage.log import batch_record, folded_manifests
from babelreg.lake.storage.log.batch_record import (
    FORMAT,
    RESTORE,
    Batch,
    Consumed,
    SetAside,
    SortedFileRecord,
    TableRows,
)

__all__ = [
    "FOLDER",
    "FORMAT",
    "RESTORE",
    "Batch",
    "Consumed",
    "ManifestNames",
    "SetAside",
    "SortedFileRecord",
    "TableRows",
    "batches",
    "checkpoint_path",
    "exists",
    "find_batch",
    "listing",
    "missing_manifest",
    "numbers",
    "path_of",
    "read",
    "read_batch",
    "read_one",
    "record_newest",
    "since",
    "write",
]

_NEWEST = "newest"

FOLDER = "manifest"
"""Folder of the manifests below the output folder."""

_CACHED = 256
"""Number of manifests that a process caches: more than are read at once after the last checkpoint."""

_NAME = re.compile(r"(\d{6,})\.(json|state)")


@dataclass(frozen=True, slots=True)
class ManifestNames:
    """The names in the manifest folder: ``manifests`` and ``checkpoints`` by number.

    ``every`` is how many manifests a segment has; None where nothing was folded yet.
    """

    manifests: frozenset[int] = frozenset()
    checkpoints: tuple[int, ...] = ()
    every: int | None = None

    @property
    def newest(self) -> int:
        """The number of the newest batch; 0 where there is none."""
        return max(self.manifests, default=0)

    def missing(self, after: int) -> int | None:
        """Return the first batch beyond ``after`` that has no manifest while a later one has; None for a whole list."""
        return next((number for number in range(after + 1, self.newest) if number not in self.manifests), None)


def listing(output: Path) -> ManifestNames:
    """List the manifests of ``output``; none where there is no folder. Raises InputError where the newest is gone."""
    recorded = _recorded_newest(output)  # before the folder is listed: a writer may commit between the two
    try:
        names = [entry.name for entry in os.scandir(output / FOLDER)]
    except OSError:
        return ManifestNames()
    matched = [match for name in names if (match := _NAME.fullmatch(name))]
    found = ManifestNames(
        frozenset(int(match[1]) for match in matched if match[2] == "json"),
        tuple(sorted(int(match[1]) for match in matched if match[2] == "state")),
        next((every for name in sorted(names) if (every := folded_manifests.every_of(name))), None),
    )
    if recorded > found.newest:
        missing, newest = path_of(output, recorded), output / FOLDER / _NEWEST
        raise InputError(
            f"{missing} is missing, but {newest} records that batch {recorded} was committed",
            fix=f"restore {missing} from a backup; or, to read its input again, remove {newest} and every"
            f" batch={recorded:06d} below {output}",
        )
    return found


def _recorded_newest(output: Path) -> int:
    """Return the number of the newest batch that was committed, 0 where that is not recorded. Raises InputError."""
    path = output / FOLDER / _NEWEST
    try:
        return int(batch_record.unsealed(path.read_bytes()))
    except (FileNotFoundError, NotADirectoryError):
        return 0  # an earlier version wrote the lake, or there is none
    except OSError as err:
        raise InputError(f"cannot read {path}: {err.strerror}", fix=RESTORE) from err
    except ValueError as err:
        raise InputError(f"{path} is damaged: {err}", fix="remove it if the newest manifest exists") from err


def exists(output: Path) -> bool:
    """Return True when a batch was committed to ``output``. Looks at no more names than it must."""
    try:
        with os.scandir(output / FOLDER) as entries:
            return any(entry.name.endswith(".json") for entry in entries)
    except OSError:
        return False


def read(output: Path) -> tuple[Batch, ...]:
    """Return every committed batch in ``output``, oldest first; none where there is no such folder.

    That reads all that was ever written: who asks what counts now asks ``history``. Raises InputError for a manifest
    that cannot be understood.
    """
    return since(output, 0)


def since(output: Path, number: int) -> tuple[Batch, ...]:
    """Return the batches after ``number``, oldest first, also those that were folded. Raises InputError."""
    return tuple(batches(output, number))


def batches(output: Path, after: int = 0) -> Iterator[Batch]:
    """Yield the batches one by one, each with the files that it added and replaced. Raises InputError."""
    names, number = listing(output), after + 1
    while number <= names.newest:
        if number in names.manifests:
            try:
                yield read_batch(output, number)
                number += 1
                continue
            except FileNotFoundError:  # folded since it was listed
                names = listing(output)
        if names.every is None or not (path := folded_manifests.path_of(output / FOLDER, names.every, number)).exists():
            raise missing_manifest(output, number)
        for batch in folded_manifests.read(path, names.every, number - 1):
            yield batch
            number = batch.number + 1


def numbers(output: Path) -> range:
    """Return the numbers of the committed batches, by the names of their manifests alone.

    Raises InputError where one is missing in between.
    """
    names = listing(output)
    folded = max((number for number in names.checkpoints if number in names.manifests), default=0)
    if (missing := names.missing(folded)) is not None:
        raise missing_manifest(output, missing)
    return range(1, names.newest + 1)


def missing_manifest(output: Path, number: int) -> InputError:
    """Return the error of a manifest that is missing."""
    return InputError(f"{path_of(output, number)} is missing, but later manifests exist", fix=RESTORE)


def read_batch(output: Path, number: int) -> Batch:
    """Return batch ``number``, which is not folded yet. Raises InputError, FileNotFoundError where it is not there."""
    path = path_of(output, number)
    try:
        status = path.stat()
    except FileNotFoundError:
        raise
    except OSError as err:
        raise InputError(f"cannot read {path}: {err.strerror}", fix=RESTORE) from err
    batch = _read_once(path, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    if batch.number != number:
        raise InputError(f"{path} is not the manifest of batch {number}, which is missing", fix=RESTORE)
    return batch


@lru_cache(_CACHED)
def _read_once(path: Path, mtime_ns: int, ctime_ns: int, inode: int) -> Batch:
    """Return the batch in a manifest, which never changes: a process that goes on for days reads it once."""
    return read_one(path)


def find_batch(output: Path, number: int) -> Batch:
    """Return batch ``number``, folded or not. Raises InputError."""
    for batch in batches(output, number - 1):
        return batch
    raise missing_manifest(output, number)


def path_of(output: Path, number: int) -> Path:
    """Return the path of the manifest of batch ``number``."""
    return output / FOLDER / f"{number:06d}.json"


def checkpoint_path(output: Path, number: int) -> Path:
    """Return the path of the checkpoint of all batches up to ``number``."""
    return output / FOLDER / f"{number:06d}.state"


def write(output: Path, batch: Batch) -> None:
    """Commit ``batch``: from the rename on it exists. All that it names must be on the disk already."""
    write_whole(path_of(output, batch.number), batch_record.encode(batch))
    record_newest(output, batch.number)


def record_newest(output: Path, number: int) -> None:
    """Record that batch ``number`` was committed, which a run that was stopped, or an earlier version, did not."""
    if number and _recorded_newest(output) != number:
        with suppress(OSError):  # the batch exists all the same
            write_whole(output / FOLDER / _NEWEST, batch_record.sealed(b"%d\n" % number))


def read_one(path: Path) -> Batch:
    """Return the batch of one manifest. Raises InputError, FileNotFoundError."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as err:
        raise InputError(f"cannot read {path}: {err.strerror}", fix=RESTORE) from err
    return batch_record.decode(content, path)
