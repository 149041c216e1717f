"""Standard input, or another pipe, as the input of a batch: its bytes as a file in the staging folder.

A pipe can be read once. So it is stored to its end first, and the batch reads that file as it reads any other: a run
that is stopped before its commit has read nothing. The name is ``stdin/`` and the digest of the bytes, so that the same
bytes are one source, whenever they come: they are not read again. As with files, a stream that begins with all of an
earlier one is that one, grown; only the rest is read.

What a file is set aside for is read here: nobody could name it again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from babelreg.errors import InputError
from babelreg.lake.input import input_discovery
from babelreg.lake.input.input_discovery import InputBacklog
from babelreg.lake.input.set_aside import GREW_PACKED, LINE_WENT_ON
from babelreg.lake.storage.log.batch_record import STREAMS
from babelreg.lake.storage.log.replay import LakeState
from babelreg.lake.storage.log.source_log import SourceLog, name_key
from babelreg.sources.digests import DIGEST_BYTES
from babelreg.sources.message_input import is_stdin, opened_input

_BLOCK_BYTES = 1024 * 1024
_FOLDER = "stdin"
_SHARED_MEMORY = "/dev/shm"
"""A file system of its own, with ordinary files and folders."""
_FIX = "pipe in messages, one per line, plain or compressed with gzip or zstd; the bytes of a whole file each time"


def is_stream(path: Path) -> bool:
    """Return True for standard input, and for a pipe, as of a process substitution."""
    place = path.absolute()
    if is_stdin(path) or (place.is_relative_to("/dev") and not place.is_relative_to(_SHARED_MEMORY)):
        return True
    return path.exists() and not path.is_file() and not path.is_dir()


@dataclass(frozen=True, slots=True)
class StoredStream:
    """A stream that was read to its end: the file ``name`` below ``folder``, of ``size`` bytes."""

    folder: Path
    name: str
    size: int

    def backlog(self, so_far: LakeState, *, wire: str, received_at: int | None) -> InputBacklog:
        """Return what the stream holds beyond what was read ``so_far``. Raises InputError."""
        if not self.size:
            return InputBacklog(0, (), ())
        root = STREAMS + wire
        key = name_key(root, self.name)
        record = so_far.sources.records([key]).get(key)
        if record is not None and record.end == self.size:
            return InputBacklog(1, (), ())

        def find(state: LakeState) -> InputBacklog:
            return input_discovery.find(self.folder, (self.name,), state, wire=wire, received_at=received_at, root=root)

        found = find(so_far)
        if any(file.why in (LINE_WENT_ON, GREW_PACKED) for file in found.set_aside):
            return find(replace(so_far, sources=SourceLog()))
        return found


@contextmanager
def stored(stream: Path, staging: Path) -> Iterator[StoredStream]:
    """Store ``stream`` below ``staging``; errors in the block name the stream, not the file. Raises InputError."""
    folder = (staging / "streams").resolve()
    (folder / _FOLDER).mkdir(parents=True)
    whole = folder / "whole"
    hasher, size = hashlib.blake2b(digest_size=DIGEST_BYTES), 0
    with opened_input(stream) as pipe, whole.open("wb") as file:
        read = getattr(pipe, "read1", pipe.read)
        while block := read(_BLOCK_BYTES):
            hasher.update(block)
            size += file.write(block)
    name = f"{_FOLDER}/{hasher.hexdigest()}"
    path = whole.rename(folder / name)
    try:
        yield StoredStream(folder, name, size)
    except InputError as err:
        if str(path) not in err.message:
            raise
        shown = "standard input" if is_stdin(stream) else str(stream)
        raise InputError(err.message.replace(str(path), shown), fix=_FIX) from err
