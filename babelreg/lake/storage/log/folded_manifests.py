"""Manifests that were folded: as they were, a hundred in one file, so that a reader can catch up from any batch.

``OUTPUT/manifest/folded-100/000200.batches`` holds the manifests of batches 101 to 200, one after the other, and the
check sum of them all. It never changes, and its name follows from the number of a batch: nobody lists the folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from babelreg.errors import InputError
from babelreg.lake.durable_files import make_folder, write_whole
from babelreg.lake.storage.log import batch_record
from babelreg.lake.storage.log.batch_record import RESTORE, Batch, sealed, unsealed

_FOLDER = re.compile(r"folded-([1-9][0-9]*)")


def folder_name(every: int) -> str:
    """Return the name of the folder of segments with ``every`` manifests each."""
    return f"folded-{every}"


def every_of(name: str) -> int | None:
    """Return how many manifests a segment in the folder ``name`` has; None where that is not such a folder."""
    matched = _FOLDER.fullmatch(name)
    return None if matched is None else int(matched[1])


def path_of(manifests: Path, every: int, number: int) -> Path:
    """Return the segment that has batch ``number``; ``manifests`` is the folder of manifests."""
    last = -(-number // every) * every
    return manifests / folder_name(every) / f"{last:06d}.batches"


def write(path: Path, contents: Sequence[bytes]) -> None:
    """Write the segment ``path`` of the bytes of manifests."""
    make_folder(path.parent)
    write_whole(path, sealed(b"".join(contents)))


def read(path: Path, every: int, after: int) -> Iterator[Batch]:
    """Return the batches in the segment ``path`` with a number beyond ``after``. Raises InputError."""
    try:
        lines = unsealed(path.read_bytes()).splitlines(keepends=True)
        first = int(path.stem) - every + 1
        if len(lines) != 2 * every:
            raise ValueError(f"it contains {len(lines) // 2} manifests, not {every}")
    except (OSError, ValueError) as err:
        raise InputError(f"{path} is not a file of folded manifests: {err}", fix=RESTORE) from err
    for place in range(max(0, after - first + 1), every):
        batch = batch_record.decode(lines[2 * place] + lines[2 * place + 1], path)
        if batch.number != first + place:
            raise InputError(f"{path} contains batch {batch.number} instead of {first + place}", fix=RESTORE)
        yield batch
