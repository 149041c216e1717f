"""Files and pipes of messages: those that a command is to read, and the time at which they were received."""

from __future__ import annotations

import io
import os
import shlex
import stat
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from babelreg.errors import InputError, UsageError

if TYPE_CHECKING:
    from babelreg.wire.format import Clock

_STDIN = Path("-")
_CHUNK_BYTES = 262_144
_PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_PROGRAMS = {"gzip": "zcat", "zstd": "zstdcat"}


def input_paths(paths: Sequence[Path], example: str, *, folders: bool = False) -> list[Path]:
    """Return the paths to read, or that of standard input where there are none.

    ``example`` is a command that reads a file. With ``folders``, a folder stands for the files that ``lake ingest``
    reads in it. Raises UsageError for another or an empty folder, a missing file, and a terminal.
    """
    if not paths:
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError("no messages given", fix=f"{example}, or pipe them in")
        return [_STDIN]
    program = example.rpartition(" ")[0]
    for path in paths:
        if is_stdin(path):
            continue
        if path.is_dir() and not folders:
            raise UsageError(f"{path} is a folder", fix=f"name its files: {program} {shlex.quote(str(path))}/*.jsonl")
        if not path.exists():
            raise UsageError(f"{path} does not exist", fix="name a file of messages, or - for standard input")
    if sum(map(is_stdin, paths)) > 1:
        raise UsageError("- is given twice, but standard input can be read only once", fix=f"{program} -")
    return [file for path in paths for file in _files(path)]


def _files(path: Path) -> Sequence[Path]:
    """Return the path, or the files in the folder ``path``."""
    if not path.is_dir():
        return [path]
    from babelreg.sources import input_folder

    return [path / name for name in input_folder.names(path)]


def is_stdin(path: Path) -> bool:
    """Return True for the path ``-``."""
    return path == _STDIN


def shown_path(path: Path) -> str:
    """Return the path as findings name it."""
    return "<stdin>" if is_stdin(path) else path.as_posix()


@contextmanager
def opened_input(path: Path, *, unpack: bool = False) -> Iterator[BinaryIO]:
    """Open the file, or standard input. With ``unpack``, input packed by gzip or zstd is unpacked while it is read.

    Raises InputError, also while a damaged file is read, and UsageError where nothing that unpacks it is installed.
    """
    if is_stdin(path):
        if sys.stdin is None:
            raise InputError("standard input is closed", fix="pipe messages in, or name a file of them")
        with _unpacked_pipe(path, sys.stdin.buffer) if unpack else nullcontext(sys.stdin.buffer) as pipe:
            yield pipe
        return
    try:
        stream = path.open("rb")
    except OSError as err:
        raise InputError(f"cannot read {path}: {err.strerror}", fix="name a file that can be read") from err
    with stream:
        if unpack and not stream.seekable():
            with _unpacked_pipe(path, stream) as pipe:
                yield pipe
            return
        packing = _packing(stream.peek(4)) if unpack else None
        if packing is None:
            yield stream
            return
        with _unpacked(path, packing) as unpacked:
            yield unpacked


class _Rejoined(io.RawIOBase):
    """A pipe whose first bytes, ``head``, were read already."""

    def __init__(self, head: bytes, pipe: BinaryIO) -> None:
        self._head = head
        self._read = getattr(pipe, "read1", pipe.read)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        block = self._head[: len(buffer)] or self._read(len(buffer))
        self._head = self._head[len(block) :]
        buffer[: len(block)] = block
        return len(block)


@contextmanager
def _unpacked_pipe(path: Path, pipe: BinaryIO) -> Iterator[BinaryIO]:
    """Unpack a pipe, which is read once: ``path`` cannot be opened again."""
    head = pipe.read(max(map(len, _PACKED)))
    packing = _packing(head)
    whole = cast(BinaryIO, io.BufferedReader(_Rejoined(head, pipe), _CHUNK_BYTES))
    if packing is None:
        yield whole
        return
    with _unpacked(Path(shown_path(path)), packing, whole) as unpacked:
        yield unpacked


@contextmanager
def _unpacked(path: Path, packing: str, pipe: BinaryIO | None = None) -> Iterator[BinaryIO]:
    from babelreg.sources import compression

    with compression.opened(path, packing, pipe) as stream:
        yield stream


def chunks(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the bytes of a stream as they come.

    Raises InputError for a file that cannot be read, or is packed by gzip or zstd.
    """
    read = getattr(stream, "read1", stream.read)
    name = getattr(stream, "name", "")
    first = True
    while True:
        try:
            chunk = read(_CHUNK_BYTES)
        except OSError as err:
            raise InputError(f"cannot read {name}: {err.strerror}", fix="name a file that can be read") from err
        if not chunk:
            return
        if first:
            _check_packed(chunk)
        first = False
        yield chunk


def receive_time(stream: BinaryIO, received_at: int | None) -> tuple[int, Clock]:
    """Return the time in Unix milliseconds at which the messages of a stream were received, and its source.

    It is ``received_at``, else the time of the last change of a regular file, else now.
    """
    if received_at is not None:
        return received_at, "argument"
    try:
        status = os.fstat(stream.fileno())
    except (OSError, io.UnsupportedOperation):
        status = None
    if status is not None and stat.S_ISREG(status.st_mode):
        return max(0, status.st_mtime_ns // 1_000_000), "mtime"
    return time.time_ns() // 1_000_000, "now"


def _check_packed(chunk: bytes) -> None:
    packing = _packing(chunk)
    if packing is not None:
        fix = f"decompress it: {_PROGRAMS[packing]} FILE | babelreg ..."
        raise InputError(f"the input is compressed with {packing}", fix=fix)


def _packing(head: bytes) -> str | None:
    return next((packing for magic, packing in _PACKED.items() if head.startswith(magic)), None)
