"""Counters of the messages that running tasks have read; Spark itself only counts finished tasks.

Each attempt at a task overwrites two numbers in a small file of its own in staging; the driver adds them up.
"""

from __future__ import annotations

import os
import struct
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from babelreg.lake.message_source import MessageChunk

_NUMBERS = struct.Struct("<qq")


@dataclass(frozen=True, slots=True)
class Count:
    """Bytes of messages, with their line feeds, and number of messages."""

    bytes: int = 0
    messages: int = 0


class CountedStep(str):
    """Description of a step whose tasks count below ``folder`` up to ``goal``; 0 where a goal is unknown."""

    folder: Path
    goal: Count

    def __new__(cls, text: str, folder: Path, goal: Count) -> CountedStep:
        step = super().__new__(cls, text)
        step.folder, step.goal = folder, goal
        return step


class MessageCounter:
    """Counts the messages of one attempt at a task, in a file below ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / uuid4().hex
        self._file = -1
        self._bytes = self._messages = 0

    def __enter__(self) -> MessageCounter:
        with suppress(OSError):  # a full disk must not fail a task for a mere progress counter
            self._path.parent.mkdir(exist_ok=True)
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o644)
        return self

    def __exit__(self, *_: object) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def add(self, chunk: MessageChunk) -> None:
        """Count the messages of ``chunk``."""
        self._bytes += sum(map(len, chunk.bodies)) + len(chunk.bodies)
        self._messages += len(chunk.bodies)
        if self._file >= 0:
            with suppress(OSError):
                os.lseek(self._file, 0, os.SEEK_SET)
                os.write(self._file, _NUMBERS.pack(self._bytes, self._messages))


def total(folder: Path) -> Count:
    """Return the sum of what was counted below ``folder``."""
    size = messages = 0
    with suppress(OSError):  # not created yet, or removed already
        for path in folder.iterdir():
            numbers = path.read_bytes()
            if len(numbers) == _NUMBERS.size:
                more_bytes, more_messages = _NUMBERS.unpack(numbers)
                size, messages = size + more_bytes, messages + more_messages
    return Count(size, messages)
