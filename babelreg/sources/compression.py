"""Decompression of gzip and zstd files; positions count decompressed bytes.

The format is detected by the first bytes, not by the name. Several streams in one file are concatenated, as both
formats specify. A compressed file is read from its beginning and may not grow.
"""

from __future__ import annotations

import gzip
import io
import shlex
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import BinaryIO, cast

from babelreg.errors import InputError, UsageError

GZIP, ZSTD = "gzip", "zstd"
_MAGIC = {b"\x1f\x8b": GZIP, b"\x28\xb5\x2f\xfd": ZSTD}
_MAGICS = tuple(_MAGIC)
_OTHERS = {
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"PK\x03\x04": "zip",
    b"PAR1": "parquet",
}
_OTHER_MAGICS = tuple(_OTHERS)
_SUFFIXES = (".gz", ".zst", ".zstd")
_BUFFER_BYTES = 1024 * 1024


def compression_of(head: bytes) -> str:
    """Return the compression of a file that begins with ``head``, or an empty text."""
    if not head.startswith(_MAGICS):  # most files are not, and there may be a million
        return ""
    return next(compression for magic, compression in _MAGIC.items() if head.startswith(magic))


def is_other_format(head: bytes) -> bool:
    """Return whether a file that begins with ``head`` is of a known format that is not one of messages."""
    return head.startswith(_OTHER_MAGICS)


def message_compression(path: Path | str, head: bytes) -> str:
    """Return the compression of a file of messages that begins with ``head``; empty for none.

    Raises InputError for a file that, by its first bytes, holds no messages.
    """
    if is_other_format(head):
        kind = next(kind for magic, kind in _OTHERS.items() if head.startswith(magic))
        article = "an" if kind.startswith("x") else "a"
        raise InputError(
            f"{path} is {article} {kind} file, not JSON lines", fix="decompress it, or move it out of the input folder"
        )
    return compression_of(head)


def compression_at(path: Path) -> str:
    """Return how a file is compressed, by its first bytes; empty for one that is not. Raises OSError."""
    with path.open("rb") as file:
        return compression_of(file.read(max(map(len, _MAGIC))))


def uncompressed_name(name: str) -> str:
    """Return the name that a compressed file had before, as the usual tools name it; else ``name``."""
    if not name.endswith(_SUFFIXES):
        return name
    return next(name.removesuffix(suffix) for suffix in _SUFFIXES if name.endswith(suffix))


@contextmanager
def opened(path: Path, compression: str, pipe: BinaryIO | None = None) -> Iterator[BinaryIO]:
    """Open the file ``path`` and decompress it while it is read; ``seek`` only goes forward.

    ``pipe`` is read instead, where ``path`` only names it. Raises InputError if it cannot be read, is truncated or
    damaged, UsageError for zstd where Arrow is not installed.
    """
    try:
        if compression == GZIP:
            with gzip.open(path if pipe is None else pipe) as file:
                yield cast(BinaryIO, file)
        elif compression == ZSTD:
            with _zstd(path, pipe) as file:
                yield file
        else:
            with path.open("rb") if pipe is None else nullcontext(pipe) as file:
                yield file
    except (EOFError, gzip.BadGzipFile, zlib.error) as err:
        raise damaged(path, compression, f": {err}") from err
    except OSError as err:
        if compression == ZSTD and err.errno is None:  # Arrow reports damaged content so
            raise damaged(path, compression, f": {err}") from err
        raise InputError(f"cannot read {path}: {err.strerror or err}") from err


def _zstd(path: Path, pipe: BinaryIO | None) -> BinaryIO:
    try:
        import pyarrow as pa
    except ImportError as err:
        file = "FILE" if pipe is not None else shlex.quote(str(path))
        fix = f"zstdcat {file} | babelreg ..., or pip install 'babelreg[lake]'"
        raise UsageError(f"{path} is compressed with zstd, and pyarrow is not installed", fix=fix) from err
    stream = pa.input_stream(str(path) if pipe is None else pipe, compression=ZSTD)
    return cast(BinaryIO, io.BufferedReader(_ForwardReader(stream), _BUFFER_BYTES))


class _ForwardReader(io.RawIOBase):
    """Adapter of an Arrow stream to Python's raw I/O. ``seek`` only goes forward."""

    def __init__(self, stream: io.RawIOBase) -> None:
        self._stream = stream
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        block = self._stream.read(len(buffer)) or b""
        buffer[: len(block)] = block
        self._at += len(block)
        return len(block)

    def seek(self, offset: int, whence: int = 0) -> int:
        target = offset if whence == 0 else self._at + offset
        if whence == 2 or target < self._at:
            raise io.UnsupportedOperation("a compressed file can only be read forward")
        while self._at < target and (block := self._stream.read(min(_BUFFER_BYTES, target - self._at))):
            self._at += len(block)
        return self._at

    def close(self) -> None:
        self._stream.close()
        super().close()


def damaged(path: Path | str, compression: str, why: str = "") -> InputError:
    """Return the error for a file that cannot be decompressed to its end."""
    return InputError(
        f"{path} is not a complete {compression} file{why}",
        fix="write files elsewhere, and rename them into the input when complete",
    )
