"""Recorders: producers and consumers append what they send and receive to files of frames.

Recording is never in the way of a message: a folder that is missing, a full disk or a bug here costs the recording, not
the message. It is logged once, and once more when recording works again, with the number of messages that are missing.

A message is written before it is sent or handled, so that one that the broker has is also in a file when the process is
killed at any moment. It is not waited for the disk; a power failure may lose the last seconds. Where sending fails, the
message is left out of the completed file.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from babelreg.runtime.bytes.dead_letter import text_bytes
from babelreg.runtime.bytes.frame_files import MAX_BYTES, FrameFiles, stem_of
from babelreg.wire.length_frames import LENGTH_BYTES

logger = logging.getLogger("babelreg.runtime")

_PAUSE_SECONDS = 5.0
"""How long a failed recorder waits before it tries again: a dead network disk may block for seconds each time."""


class _Mark(NamedTuple):
    path: Path
    offset: int


class Recorder:
    """Appends messages to files of frames in ``folder``, for ``record=`` of producers, consumers and relays.

    A file is completed, and visible to `babelreg lake ingest`, after ``max_bytes`` or ``max_seconds``, and when the
    process ends. Thread-safe; after a fork each process writes its own files.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        name: str = "messages",
        max_bytes: int = MAX_BYTES,
        max_seconds: float = 60.0,
    ) -> None:
        self._files = FrameFiles(Path(folder).absolute(), stem_of(name), max_messages=10**9, max_bytes=max_bytes)
        self._max_seconds = max_seconds
        self._lock = threading.RLock()
        self._timer: threading.Timer | None = None
        self._prepared = False
        self._missing = 0
        self._retry_at = 0.0
        _recorders.add(self)

    def record(self, body: str | bytes) -> object:
        """Append one message; return its mark for :meth:`retract`, or None if it was not recorded. Never raises."""
        try:
            with self._lock:
                return self._append(body if isinstance(body, bytes) else text_bytes(body))
        except Exception as err:
            self._failed(err)
            return None

    @contextmanager
    def sending(self, body: str | bytes) -> Iterator[None]:
        """Record ``body``, which is sent within the block; where that raises, the message is not in the recording."""
        mark = self.record(body)
        try:
            yield
        except Exception:
            self.retract(mark)
            raise

    def retract(self, mark: object) -> None:
        """Leave a recorded message out of its file, unless that is complete already. Never raises."""
        with self._lock:
            if isinstance(mark, _Mark):
                self._files.retract(mark.path, mark.offset)

    def close(self) -> None:
        """Complete the current file. The next message begins another one. Never raises."""
        try:
            with self._lock:
                self._cancel()
                self._files.complete()
        except Exception as err:
            self._failed(err, lost=0)

    def _complete(self, path: Path) -> None:
        """Complete the file ``path`` if it is still the current one. Never raises."""
        with self._lock:
            if self._files.is_open and self._files.position[0] == path:
                self.close()

    def _append(self, body: bytes) -> _Mark | None:
        if self._missing and time.monotonic() < self._retry_at:
            self._missing += 1
            return None
        if not self._prepared:
            self._files.prepare()
            self._prepared = True
        before = self._files.position[0] if self._files.is_open else None
        self._files.append([body])
        path, end = self._files.position
        if path != before:
            self._complete_later(path)
        if self._missing:
            logger.warning("recording to %s again; %d messages were not recorded", self._files.folder, self._missing)
            self._missing = 0
        return _Mark(path, end - len(body) - LENGTH_BYTES)

    def _failed(self, err: Exception, lost: int = 1) -> None:
        with self._lock:
            if not self._missing:
                folder = self._files.folder
                logger.warning("cannot record to %s, messages go on without: %s: %s", folder, type(err).__name__, err)
            self._missing += lost
            self._prepared = False
            self._retry_at = time.monotonic() + _PAUSE_SECONDS

    def _complete_later(self, path: Path) -> None:
        self._cancel()
        self._timer = threading.Timer(self._max_seconds, _complete_aged, [weakref.ref(self), path])
        self._timer.daemon = True
        self._timer.start()

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _after_fork(self) -> None:
        """Leave the file to the parent: in the child its lock, its timer and its thread are not there."""
        self._lock = threading.RLock()
        self._timer = None
        self._files.abandon()


def recorder_of(record: Recorder | str | os.PathLike[str] | None) -> Recorder | None:
    """Return the recorder that ``record=`` of a producer, consumer or relay names: one for each folder."""
    if record is None or isinstance(record, Recorder):
        return record
    folder = os.path.abspath(os.fspath(record))  # noqa: PTH100 -- unlike resolve, it needs no folder
    with _by_folder_lock:
        if folder not in _by_folder:
            _by_folder[folder] = Recorder(folder)
        return _by_folder[folder]


def _complete_aged(recorder: weakref.ref[Recorder], path: Path) -> None:
    alive = recorder()
    if alive is not None:
        alive._complete(path)


def _close_all() -> None:
    for recorder in list(_recorders):
        recorder.close()


def _after_fork() -> None:
    global _by_folder_lock
    _by_folder_lock = threading.Lock()
    for recorder in list(_recorders):
        recorder._after_fork()


_recorders: weakref.WeakSet[Recorder] = weakref.WeakSet()
_by_folder: dict[str, Recorder] = {}
_by_folder_lock = threading.Lock()
atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
