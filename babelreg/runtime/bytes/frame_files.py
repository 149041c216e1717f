"""Files of frames that are written by one process and read by another one while it writes.

The file being written has a hidden name, ``.NAME.frames.part``, which readers of a folder ignore. It gets its final
name when it is complete, so that whoever reads it finds whole frames and a file that no longer grows. A name is never
used again. The file of a killed process is completed by the next one that writes into the folder: a lock on the file,
which the system releases when its holder ends, tells it from the file of a living process.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from babelreg.atomic_write import UNFINISHED, unfinished
from babelreg.wire.length_frames import SUFFIX, ends, frame, whole_frames

MAX_MESSAGES = 50_000
MAX_BYTES = 64 * 1024 * 1024
_UNLOCKABLE_SECONDS = 3600
"""Where the file system has no locks: how long a file must be unchanged to count as that of a killed process."""


def stem_of(name: str) -> str:
    """Return the part of a file name that stands for the queue ``name``; it never begins with a dot or underscore."""
    text = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "_" for c in name[:100])
    return text.lstrip("._") or "queue"


class FrameFiles:
    """The files that one writer makes in ``folder``: ``<stem>-<UTC time>-<random>.frames``. Not thread-safe.

    A file is completed after ``max_messages`` or ``max_bytes``. All methods raise OSError.
    """

    def __init__(
        self, folder: Path, stem: str, *, max_messages: int = MAX_MESSAGES, max_bytes: int = MAX_BYTES
    ) -> None:
        self.folder = folder
        self.stem = stem
        self.completed: list[Path] = []
        self.opened_at = 0.0
        self._max_messages = max_messages
        self._max_bytes = max_bytes
        self._stream: BinaryIO | None = None
        self._path = folder
        self._size = self._count = 0
        self._retracted: set[int] = set()

    def prepare(self) -> list[Path]:
        """Make the folder; return the files of killed processes, which are completed."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return complete_abandoned(self.folder)

    @property
    def position(self) -> tuple[Path, int]:
        """The current hidden file, and its size."""
        return self._path, self._size

    @property
    def is_open(self) -> bool:
        """True while there is a hidden file."""
        return self._stream is not None

    def append(self, messages: Sequence[bytes]) -> None:
        """Write ``messages``, in as many files as they need. If it raises, the file ends with a whole frame."""
        start = 0
        while start < len(messages):
            if self._stream is not None and not self._has_room(self._size, 0):
                self.complete()
            stream = self._stream or self._begin()
            stop, size = start, self._size
            frames: list[bytes] = []
            while stop < len(messages) and self._has_room(size, stop - start):
                frames.append(frame(messages[stop]))
                size += len(frames[-1])
                stop += 1
            self._write(stream, b"".join(frames))
            self._count += stop - start
            start = stop

    def retract(self, path: Path, offset: int) -> bool:
        """Leave the frame at ``offset`` of ``path`` out of the completed file; return False if that is too late."""
        if self._stream is None or path != self._path:
            return False
        self._retracted.add(offset)
        return True

    def sync(self) -> None:
        """Wait until what was written is on the disk."""
        if self._stream is not None:
            os.fsync(self._stream.fileno())

    def complete(self) -> None:
        """Give the current file its final name, if there is one."""
        if self._stream is None:
            return
        self.sync()
        self.abandon()
        final = _final(self._path)
        if len(self._retracted) == self._count:
            self._path.unlink(missing_ok=True)
            return
        if self._retracted:
            _without(self._path, final, self._retracted)
        with suppress(FileNotFoundError):  # another process found it without a lock, and completed it
            self._path.replace(final)
        _sync_folder(self.folder)
        self.completed.append(final)

    def abandon(self) -> None:
        """Close the current file as it is: another process writes or completes it."""
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.close()

    def _has_room(self, size: int, more: int) -> bool:
        return size < self._max_bytes and self._count + more < self._max_messages

    def _begin(self) -> BinaryIO:
        while True:
            now = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
            path = self.folder / f".{self.stem}-{now}-{os.urandom(4).hex()}{SUFFIX}{UNFINISHED}"
            stream = path.open("xb", buffering=0)
            # Until it is locked, another process may take it for the file of a killed one, and remove it.
            if _locked(stream) is not False and (os.name == "nt" or os.fstat(stream.fileno()).st_nlink):
                break
            stream.close()
        _sync_folder(self.folder)
        self._stream, self._path, self._size, self._count = stream, path, 0, 0
        self._retracted = set()
        self.opened_at = time.monotonic()
        return stream

    def _write(self, stream: BinaryIO, content: bytes) -> None:
        view = memoryview(content)
        try:
            while view:
                view = view[os.write(stream.fileno(), view) :]
        except BaseException:
            try:
                os.ftruncate(stream.fileno(), self._size)
                os.lseek(stream.fileno(), self._size, os.SEEK_SET)
            except OSError:
                self.abandon()  # whoever completes the file cuts it
            raise
        self._size += len(content)


def complete_abandoned(folder: Path) -> list[Path]:
    """Give the hidden files of killed processes their final names; return those that hold messages.

    An incomplete last frame is cut off: its message was not acknowledged. A file that cannot be completed stays as it
    is. Raises OSError where ``folder`` cannot be listed.
    """
    completed = []
    for part in sorted(folder.glob(f".*{SUFFIX}{UNFINISHED}")):
        with suppress(OSError), part.open("r+b") as stream:
            lock = _locked(stream)
            if lock is False or (lock is None and time.time() - part.stat().st_mtime < _UNLOCKABLE_SECONDS):
                continue
            size = os.fstat(stream.fileno()).st_size
            end = max(ends(stream, 0, size), default=0)
            final = _final(part)
            if end == 0 or final.exists():  # it exists if its writer was killed after a retraction
                part.unlink()
                continue
            if end < size:
                stream.truncate(end)
            os.fsync(stream.fileno())
            part.replace(final)
            completed.append(final)
    if completed:
        _sync_folder(folder)
    return completed


def _final(part: Path) -> Path:
    return part.with_name(part.name.removeprefix(".").removesuffix(UNFINISHED))


def _without(part: Path, final: Path, retracted: set[int]) -> None:
    """Write ``part`` to ``final`` without the frames at the offsets ``retracted``, and remove it."""
    with part.open("rb") as source, unfinished(final) as copy, copy.open("xb") as target:
        for content in _kept(source, retracted):
            target.write(content)
        target.flush()
        os.fsync(target.fileno())
    part.unlink(missing_ok=True)


def _kept(source: BinaryIO, retracted: set[int]) -> Iterator[bytes]:
    offset = 0
    for content in whole_frames(source):
        if offset not in retracted:
            yield content
        offset += len(content)


def _locked(stream: BinaryIO) -> bool | None:
    """Lock an open file; return False if another process has it, None on a system without such locks."""
    try:
        import fcntl
    except ImportError:
        return None
    try:
        fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _sync_folder(folder: Path) -> None:
    """Flush the directory entries of ``folder``, so that acknowledged messages survive a power failure.

    Windows, where a folder cannot be opened, flushes them itself.
    """
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
