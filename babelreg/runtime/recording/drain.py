"""Drain a queue into files of frames: unparsed, and acknowledged once they are on the disk."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from babelqueue import BabelQueue

from babelreg.errors import BabelregError, UsageError
from babelreg.runtime.bytes.frame_files import MAX_MESSAGES, FrameFiles, stem_of
from babelreg.runtime.recording.queue_source import QueueSource, TransportSource
from babelreg.runtime.transports.replacements import confirm

_LONGEST_PAUSE_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Drained:
    """The result of :func:`drain`: the files in order, and their number of messages and bytes (without frame lengths).

    ``recovered`` are files of killed runs, which this run completed.
    """

    files: tuple[Path, ...]
    messages: int
    size_bytes: int
    recovered: tuple[Path, ...] = ()


def drain(
    app: BabelQueue,
    folder: str | os.PathLike[str],
    queue: str | None = None,
    *,
    limit: int | None = None,
    per_file: int = MAX_MESSAGES,
    batch: int = 1_000,
    timeout_seconds: float = 0.2,
) -> Drained:
    """Move the messages of ``queue`` (default: the app's) into files of frames in ``folder`` until it is empty.

    Nothing is parsed, so damaged messages are written, too. A file gets its final name when it is complete; the
    unfinished file of a killed run is completed first. At least once: a message that was written but not acknowledged
    when a run was killed is delivered again. `babelreg drain` does the same faster, on Redis and RabbitMQ.

    Raises UsageError when ``folder`` cannot be written.
    """
    confirm(app)
    name = queue or app.queue
    files = FrameFiles(Path(folder), stem_of(name), max_messages=per_file)
    recording = Recording(files, batch=batch, timeout_seconds=timeout_seconds)
    return recording.run(lambda: TransportSource(app.transport, name), limit=limit)


class Recording:
    """The loop that moves batches from a source into files: store, wait for the disk, acknowledge.

    ``stop``: set it to end after the current batch. ``told`` is called with the totals after each batch. ``failed`` is
    called with a failure of the broker and the seconds until the next try. ``file_seconds``: a file is completed after
    that time, also if it is not full.
    """

    def __init__(
        self,
        files: FrameFiles,
        *,
        batch: int = 1_000,
        timeout_seconds: float = 0.2,
        file_seconds: float = 60.0,
        stop: threading.Event | None = None,
        told: Callable[[int, int], None] = lambda messages, size_bytes: None,
        failed: Callable[[Exception, float], None] = lambda err, seconds: None,
    ) -> None:
        self._files = files
        self._batch = batch
        self._timeout_seconds = timeout_seconds
        self._file_seconds = file_seconds
        self._stop = stop or threading.Event()
        self._told = told
        self._failed = failed
        self._messages = self._size_bytes = 0
        self._recovered: tuple[Path, ...] = ()

    @property
    def result(self) -> Drained:
        """Everything that was recorded so far, in completed files."""
        return Drained(tuple(self._files.completed), self._messages, self._size_bytes, self._recovered)

    def run(self, connect: Callable[[], QueueSource], *, limit: int | None = None, follow: bool = False) -> Drained:
        """Record until the source is empty, or with ``follow`` until stopped, or ``limit`` messages are recorded.

        Raises UsageError when the folder cannot be written, and what the source raises. With ``follow``, a source that
        fails after it was reached is connected again, after 1 second, 2, 4 and so on up to 30.
        """
        with self._writing():
            self._recovered = tuple(self._files.prepare())
        reached, pause = False, 1.0
        while True:
            before = self._messages
            try:
                source = connect()
                reached = True
                self._record(source, limit, follow)
                return self.result
            except BabelregError:
                raise
            except Exception as err:
                if not (follow and reached) or self._stop.is_set():
                    raise
                pause = 1.0 if self._messages > before else min(2 * pause, _LONGEST_PAUSE_SECONDS)
                self._failed(err, pause)
                if self._stop.wait(pause):
                    return self.result

    def _record(self, source: QueueSource, limit: int | None, follow: bool) -> None:
        try:
            while not self._stop.is_set() and (limit is None or self._messages < limit):
                most = self._batch if limit is None else min(self._batch, limit - self._messages)
                received = source.receive(most, self._timeout_seconds)
                if received:
                    self._store(received)
                    source.acknowledge()
                    self._told(self._messages, self._size_bytes)
                if not follow and len(received) < most and source.is_empty():
                    break
                if self._files.is_open and time.monotonic() - self._files.opened_at > self._file_seconds:
                    with self._writing():
                        self._files.complete()
            with self._writing():
                self._files.complete()
        finally:
            with suppress(OSError):
                self._files.complete()
            with suppress(Exception):
                source.close()

    def _store(self, received: list[bytes]) -> None:
        with self._writing():
            self._files.append(received)
            self._files.sync()
        self._messages += len(received)
        self._size_bytes += sum(map(len, received))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as err:
            raise UsageError(
                f"{self._files.folder} cannot be written: {err.strerror}",
                fix="free disk space, or use a folder that you can write to; all taken messages are in files",
            ) from err
