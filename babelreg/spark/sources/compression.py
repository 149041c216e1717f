"""Files that are packed by gzip or zstd, read as what they hold; positions count its bytes.

What a file is, its first bytes say, not its name. Several packed streams in one file are one after the other, as both
formats have it. A packed file is read from its beginning and may not grow.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from babelreg.errors import InputError

__all__ = ["GZIP", "ZSTD", "compression_of", "opened"]

GZIP, ZSTD = "gzip", "zstd"
_MAGIC = {b"\x1f\x8b": GZIP, b"\x28\xb5\x2f\xfd": ZSTD}
_BUFFER_BYTES = 1024 * 1024


def compression_of(head: bytes) -> str:
    """How a file is packed that begins with ``head``; the empty text for one that is not."""
    return next((compression for magic, compression in _MAGIC.items() if head.startswith(magic)), "")


@contextmanager
def opened(path: Path, compression: str) -> Iterator[BinaryIO]:
    """The content of the file ``path``, unpacked while it is read; ``seek`` goes forward.

    Raises InputError for one that cannot be read or unpacked, where it is cut off or damaged.
    """
    try:
        if compression == GZIP:
            with gzip.open(path) as file:
                yield cast(BinaryIO, file)
        elif compression == ZSTD:
            with _zstd(path) as file:
                yield file
        else:
            with path.open("rb") as file:
                yield file
    except (EOFError, gzip.BadGzipFile, zlib.error) as err:
        raise _broken(path, compression, err) from err
    except OSError as err:
        if compression == ZSTD and err.errno is None:  # as Arrow tells what it finds in a file
            raise _broken(path, compression, err) from err
        raise InputError(f"cannot read {path}: {err.strerror or err}") from err


def _zstd(path: Path) -> BinaryIO:
    import pyarrow as pa

    return cast(BinaryIO, io.BufferedReader(_Forward(pa.input_stream(str(path), compression=ZSTD)), _BUFFER_BYTES))


class _Forward(io.RawIOBase):
    """A stream of Arrow as Python reads one. ``seek`` goes forward only."""

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
        found = self._stream.read(len(buffer)) or b""
        buffer[: len(found)] = found
        self._at += len(found)
        return len(found)

    def seek(self, offset: int, whence: int = 0) -> int:
        target = offset if whence == 0 else self._at + offset
        if whence == 2 or target < self._at:
            raise io.UnsupportedOperation("a packed file is read forward")
        while self._at < target and (found := self._stream.read(min(_BUFFER_BYTES, target - self._at))):
            self._at += len(found)
        return self._at

    def close(self) -> None:
        self._stream.close()
        super().close()


def _broken(path: Path, compression: str, err: Exception) -> InputError:
    return InputError(
        f"{path} is no whole {compression} file: {err}",
        fix="write files elsewhere, and rename them into the input when complete",
    )
