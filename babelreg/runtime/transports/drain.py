"""Drain a queue into files: one message a line, unparsed, acknowledged once it is on the disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from babelqueue import BabelQueue
from babelqueue.transport import BatchPopper, ReceivedMessage, Transport

from babelreg.errors import UsageError
from babelreg.runtime.bytes.dead_letter import body_bytes
from babelreg.runtime.transports.replacements import confirm

__all__ = ["Drained", "drain"]

_PART = ".part"


@dataclass(frozen=True, slots=True)
class Drained:
    """The result of :func:`drain`: the files in order, and their number of messages and bytes (without line ends).

    ``folded`` counts messages with line ends, which JSON allows only between tokens: each line end was replaced by a
    space, so that the message stays on one line.
    """

    files: tuple[Path, ...]
    messages: int
    size_bytes: int
    folded: int


def drain(
    app: BabelQueue,
    folder: str | os.PathLike[str],
    queue: str | None = None,
    *,
    limit: int | None = None,
    per_file: int = 50_000,
    batch: int = 1_000,
    timeout_seconds: float = 0.2,
) -> Drained:
    """Move the messages of ``queue`` (default: the app's) into JSON-lines files in ``folder`` until it is empty.

    Nothing is parsed, so damaged messages are written, too. A file gets its final name when it is complete; the
    unfinished file of a killed run is completed first. At least once: a message that was written but not acknowledged
    when a run was killed is delivered again.

    Raises UsageError when ``folder`` cannot be written.
    """
    confirm(app)
    files = _NumberedFiles(Path(folder), queue or app.queue, per_file)
    try:
        with _writing(folder):
            files.open()
        while limit is None or files.messages < limit:
            room = batch if limit is None else min(batch, limit - files.messages)
            received = list(_next(app.transport, queue or app.queue, room, timeout_seconds))
            with _writing(folder):
                for message in received:
                    files.add(body_bytes(message))
                files.flush()
            for message in received:
                app.transport.ack(message)
            if len(received) < room:
                break
        with _writing(folder):
            return files.finish()
    finally:
        files.close()


@contextmanager
def _writing(folder: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except OSError as err:
        where = os.fspath(folder)
        raise UsageError(
            f"{where} cannot be written: {err.strerror}", fix="name a folder that you may write to"
        ) from err


def _next(transport: Transport, queue: str, most: int, timeout_seconds: float) -> Iterator[ReceivedMessage]:
    if isinstance(transport, BatchPopper):
        yield from transport.pop_batch(queue, most, timeout_seconds)
        return
    for _ in range(most):
        received = transport.pop(queue, timeout=timeout_seconds)
        if received is None:
            return
        yield received


class _NumberedFiles:
    """The files of one run: ``<queue>-000001.jsonl`` and so on, numbered after the existing ones."""

    def __init__(self, folder: Path, queue: str, per_file: int) -> None:
        self.folder = folder
        self.stem = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in queue) or "queue"
        self.per_file = per_file
        self.messages = self.size_bytes = self.folded = 0
        self.done: list[Path] = []
        self.stream: BinaryIO | None = None
        self.path = folder
        self.in_file = 0

    def open(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        for unfinished in sorted(self.folder.glob(f"{self.stem}-*.jsonl{_PART}")):
            _complete(unfinished)

    def add(self, body: bytes) -> None:
        if self.stream is None:
            self._begin()
        if b"\n" in body or b"\r" in body:
            body = body.replace(b"\r", b" ").replace(b"\n", b" ")
            self.folded += 1
        assert self.stream is not None
        self.stream.write(body + b"\n")
        self.messages += 1
        self.in_file += 1
        self.size_bytes += len(body)
        if self.in_file >= self.per_file:
            self._end()

    def flush(self) -> None:
        if self.stream is not None:
            self.stream.flush()
            os.fsync(self.stream.fileno())

    def finish(self) -> Drained:
        self._end()
        return Drained(tuple(self.done), self.messages, self.size_bytes, self.folded)

    def close(self) -> None:
        if self.stream is not None:
            self.stream.close()
            self.stream = None

    def _begin(self) -> None:
        numbers = [path.name[len(self.stem) + 1 :].split(".")[0] for path in self.folder.glob(f"{self.stem}-*.jsonl*")]
        last = max((int(number) for number in numbers if number.isdigit()), default=0)
        self.path = self.folder / f"{self.stem}-{last + 1:06d}.jsonl"
        self.stream = self.path.with_name(self.path.name + _PART).open("xb")
        _sync_folder(self.folder)
        self.in_file = 0

    def _end(self) -> None:
        if self.stream is None:
            return
        self.flush()
        self.close()
        self.path.with_name(self.path.name + _PART).replace(self.path)
        self.done.append(self.path)


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


def _complete(unfinished: Path) -> None:
    """Rename the file of a killed run, without an incomplete last line: it was not acknowledged and is sent again."""
    with unfinished.open("r+b") as stream:
        content_bytes = stream.seek(0, os.SEEK_END)
        keep = _last_line_end(stream, content_bytes)
        stream.truncate(keep)
    if keep:
        unfinished.replace(unfinished.with_name(unfinished.name.removesuffix(_PART)))
    else:
        unfinished.unlink()


def _last_line_end(stream: BinaryIO, end: int) -> int:
    step = 1 << 16
    while end > 0:
        start = max(0, end - step)
        stream.seek(start)
        position = stream.read(end - start).rfind(b"\n")
        if position >= 0:
            return start + position + 1
        end = start
    return 0
