"""Files and pipes of messages: those that a command is to read, and the time at which they were received."""

from __future__ import annotations

import io
import os
import shlex
import stat
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from babelreg.errors import InputError, UsageError

if TYPE_CHECKING:
    from babelreg.wire.format import Clock

__all__ = ["chunks", "input_paths", "is_stdin", "opened_input", "receive_time", "shown_path"]

_STDIN = Path("-")
_CHUNK_BYTES = 262_144
_PACKED = {b"\x1f\x8b": ("gzip", "zcat"), b"\x28\xb5\x2f\xfd": ("zstd", "zstdcat")}


def input_paths(paths: Sequence[Path], example: str) -> list[Path]:
    """Return the paths to read, or that of standard input where there are none.

    ``example`` is a command that reads a file. Raises UsageError for a folder, a missing file, and a terminal.
    """
    if not paths:
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError("no messages given", fix=f"{example}, or pipe them in")
        return [_STDIN]
    program = example.rpartition(" ")[0]
    for path in paths:
        if is_stdin(path):
            continue
        if path.is_dir():
            raise UsageError(f"{path} is a folder", fix=f"name its files: {program} {shlex.quote(str(path))}/*.jsonl")
        if not path.exists():
            raise UsageError(f"{path} does not exist", fix="name a file of messages, or - for standard input")
    if sum(map(is_stdin, paths)) > 1:
        raise UsageError("- is given twice, but standard input can be read once", fix=f"{program} -")
    return list(paths)


def is_stdin(path: Path) -> bool:
    """Return True for the path ``-``."""
    return path == _STDIN


def shown_path(path: Path) -> str:
    """Return the path as findings name it."""
    return "<stdin>" if is_stdin(path) else path.as_posix()


@contextmanager
def opened_input(path: Path) -> Iterator[BinaryIO]:
    """Open the file, or standard input.

    Raises InputError.
    """
    if is_stdin(path):
        if sys.stdin is None:
            raise InputError("standard input is closed", fix="pipe messages in, or name a file of them")
        yield sys.stdin.buffer
        return
    try:
        stream = path.open("rb")
    except OSError as err:
        raise InputError(f"cannot read {path}: {err.strerror}", fix="name a file that can be read") from err
    with stream:
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
    for magic, (packing, program) in _PACKED.items():
        if chunk.startswith(magic):
            raise InputError(f"the input is packed by {packing}", fix=f"unpack it: {program} FILE | babelreg ...")
