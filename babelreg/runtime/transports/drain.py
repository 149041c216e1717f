"""From a queue to files: every message as it came, one a line, acknowledged once it is on the disk."""

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
from babelreg.runtime.transports.reliable import confirm

__all__ = ["Drained", "drain"]

_PART = ".part"


@dataclass(frozen=True, slots=True)
class Drained:
    """What was taken: the files in order, messages and bytes (line ends not counted) in them.

    ``folded`` counts messages that held line ends, which JSON allows between its tokens only: each was written as a
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

    Nothing is parsed: damaged messages are kept too. A file gets its name when it is complete; what a run that was
    killed left behind is completed first. At least once: a message whose run died between disk and broker comes again.

    Raises UsageError when ``folder`` cannot be written.
    """
    confirm(app)
    taken = _NumberedFiles(Path(folder), queue or app.queue, per_file)
    try:
        with _writing(folder):
            taken.open()
        while limit is None or taken.messages < limit:
            room = batch if limit is None else min(batch, limit - taken.messages)
            received = list(_next(app.transport, queue or app.queue, room, timeout_seconds))
            with _writing(folder):
                for message in received:
                    taken.add(body_bytes(message))
                taken.flush()
            for message in received:
                app.transport.ack(message)
            if len(received) < room:
                break
        with _writing(folder):
            return taken.finish()
    finally:
        taken.close()


@contextmanager
def _writing(folder: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except OSError as err:
        where = os.fspath(folder)
        raise UsageError(f"{where} cannot be written: {err.strerror}", fix="name a folder you may write to") from err


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
    """The files of one run: ``<queue>-000001.jsonl`` and so on, after those that are there already."""

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
        for left in sorted(self.folder.glob(f"{self.stem}-*.jsonl{_PART}")):
            _complete(left)

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
        _keep_name(self.folder)
        self.in_file = 0

    def _end(self) -> None:
        if self.stream is None:
            return
        self.flush()
        self.close()
        self.path.with_name(self.path.name + _PART).replace(self.path)
        self.done.append(self.path)


def _keep_name(folder: Path) -> None:
    """Have the disk know the names in ``folder``: what is acknowledged must outlive a power failure, its file included.

    Windows, where a folder cannot be opened, does so by itself.
    """
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _complete(left: Path) -> None:
    """Give the file of a killed run its name. A line without an end was never acknowledged: it comes again."""
    with left.open("r+b") as stream:
        content_bytes = stream.seek(0, os.SEEK_END)
        keep = _last_line_end(stream, content_bytes)
        stream.truncate(keep)
    if keep:
        left.replace(left.with_name(left.name.removesuffix(_PART)))
    else:
        left.unlink()


def _last_line_end(stream: BinaryIO, end: int) -> int:
    step = 1 << 16
    while end > 0:
        start = max(0, end - step)
        stream.seek(start)
        found = stream.read(end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0
