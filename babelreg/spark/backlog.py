"""Which bytes below the input folder no batch has read yet.

Files only ever grow or appear. One that was ingested and did not change is skipped; of one that grew, what was added
is read; one whose ingested part is no longer there is an error, since neither skipping nor reading it would be right.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from babelreg.errors import InputError, UsageError
from babelreg.spark.manifest import Batch, Consumed
from babelreg.spark.sources.files import Range

__all__ = ["Backlog", "find", "fingerprint", "names"]

_SAMPLE = 64 * 1024
_NOT_TEXT = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"PK\x03\x04": "zip",
    b"PAR1": "parquet",
}


@dataclass(frozen=True, slots=True)
class Backlog:
    """What is to be read. ``files`` counts all files found, ``size`` the bytes to read."""

    files: int
    ranges: tuple[Range, ...]
    consumed: tuple[Consumed, ...]

    @property
    def size(self) -> int:
        """How many bytes there are to read."""
        return sum(one.end - one.start for one in self.ranges)


def names(folder: Path) -> tuple[str, ...]:
    """The files in ``folder`` and its subfolders, as paths below it, in the order in which they count.

    Names that begin with a dot or an underscore are left alone, as everywhere in the field. Raises UsageError when
    there is no such folder or no file, InputError when one cannot be listed.
    """
    if not folder.is_dir():
        missing = "is a file, not a folder" if folder.exists() else "does not exist"
        raise UsageError(f"the input {folder} {missing}", fix="name the folder that holds the files of messages")
    found = tuple(sorted(_names(folder)))
    if not found:
        raise UsageError(
            f"the input folder {folder} holds no files", fix="put files of JSON lines there, one message a line"
        )
    return found


def find(folder: Path, names: Sequence[str], batches: Iterable[Batch]) -> Backlog:
    """What stands in the files ``names`` of ``folder``, less what ``batches`` have read.

    Raises InputError for a file that cannot be read, is no text, or has changed.
    """
    root = str(folder.resolve())
    before = {(one.input, one.name): one for batch in batches for one in batch.consumed}
    new = [found for name in names if (found := _unread(folder, root, name, before.get((root, name))))]
    return Backlog(len(names), tuple(part for part, _ in new), tuple(consumed for _, consumed in new))


def fingerprint(path: Path, end: int) -> str:
    """A digest of the first and the last 64 KiB before ``end``: enough to tell a file that grew from another one."""
    with path.open("rb") as file:
        head = file.read(min(end, _SAMPLE))
        file.seek(max(0, end - _SAMPLE))
        tail = file.read(min(end, _SAMPLE))
    return hashlib.blake2b(b"%d:" % end + head + tail, digest_size=16).hexdigest()


def _names(folder: Path) -> Iterator[str]:
    def stop(err: OSError) -> None:
        raise InputError(f"cannot list {err.filename}: {err.strerror}") from err

    for base, folders, files in os.walk(folder, onerror=stop):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        for name in files:
            if not name.startswith((".", "_")):
                yield (Path(base) / name).relative_to(folder).as_posix()


def _unread(folder: Path, root: str, name: str, before: Consumed | None) -> tuple[Range, Consumed] | None:
    path = folder / name
    try:
        name.encode()
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"{path} is no regular file", fix="move it out of the input folder")
        size = status.st_size
        if before and (before.end, before.mtime_ns) == (size, status.st_mtime_ns):
            return None
        if before and (size < before.end or fingerprint(path, before.end) != before.fingerprint):
            raise _changed(path, before)
        if size == (before.end if before else 0):
            return None
        start = _resume(path, before) if before else 0
        _text_or_stop(path)
        terminated = size == 0 or _bytes(path, size - 1, 1) == b"\n"
        consumed = Consumed(root, name, start, size, status.st_mtime_ns, terminated, fingerprint(path, size))
    except OSError as err:
        raise InputError(f"cannot read {path}: {err.strerror}", fix="make it readable, or move it away") from err
    except UnicodeEncodeError as err:
        raise InputError(f"the name of {path!r} is not UTF-8", fix="rename the file") from err
    return Range(name, start, size, size), consumed


def _resume(path: Path, before: Consumed) -> int:
    if before.terminated or before.end == 0 or _bytes(path, before.end, 1) == b"\n":
        return before.end
    raise InputError(
        f"{path} ended within a line (at byte {before.end}) when it was ingested, and that line went on since",
        fix="move the new lines to a new file; write files elsewhere, and rename them into the input when complete",
    )


def _changed(path: Path, before: Consumed) -> InputError:
    return InputError(
        f"{path} was ingested with {before.end} bytes and has been overwritten since",
        fix="give the new content a new name: files that were ingested may only grow",
    )


def _text_or_stop(path: Path) -> None:
    head = _bytes(path, 0, 6)
    kind: Sequence[str] = [kind for magic, kind in _NOT_TEXT.items() if head.startswith(magic)]
    if kind:
        raise InputError(
            f"{path} is a {kind[0]} file, not JSON lines", fix="unpack it, or move it out of the input folder"
        )


def _bytes(path: Path, offset: int, length: int) -> bytes:
    with path.open("rb") as file:
        file.seek(offset)
        return file.read(length)
