"""Record of the projections of a lake: which table formats follow it, how far, and which replaced files they released.

A projection is a set of tables in another format (Delta, Iceberg) that name the files of the lake. Readers of those
tables may hold a version for days, so replaced files of such a lake stay until each projection releases them
(see ``publish.projection``). The record is ``OUTPUT/projections/state.json``; it is written before the first table is.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import orjson

from babelreg.errors import InputError, UsageError
from babelreg.lake.durable_files import make_folder, write_whole
from babelreg.lake.storage import lock
from babelreg.typed_json import typed

FOLDER = "projections"
"""Folder of the record, and of tables that have no other place, below the output folder."""

KEEP_SECONDS = 7 * 86_400
"""Age at which replaced files are released, as in Delta; Iceberg has 5 days."""

_STATE, _LOCK = "state.json", ".lock"
_FORMAT = 1
_MARK_SECONDS = 3600
_PAUSE_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class Projection:
    """One table format that follows the lake.

    All its tables stand at batch ``published`` or later. Files that batches up to ``released`` replaced are named by no
    version of a table that readers may still use. ``marks`` say when batches were published, as (batch, Unix seconds),
    about one an hour. ``location`` is the folder of the lake as its tables name it. ``settings`` are those of the
    format: the catalog and the namespace of Iceberg.
    """

    location: str
    keep_seconds: int = KEEP_SECONDS
    published: int = 0
    released: int = 0
    marks: tuple[tuple[int, float], ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)

    def marked(self, number: int, now: float) -> Projection:
        """Return the projection after batch ``number`` was published at ``now``."""
        marks = list(self.marks)
        if not marks or number > marks[-1][0]:
            if len(marks) > 1 and now - marks[-2][1] < _MARK_SECONDS:
                del marks[-1]  # the newest one is always there
            marks.append((number, now))
        past = [mark for mark in marks if mark[1] <= now - self.keep_seconds]
        return replace(self, published=number, marks=(*past[-1:], *(mark for mark in marks if mark not in past)))

    def releasable(self, now: float) -> int:
        """Return the newest batch that was published ``keep_seconds`` before ``now``; 0 if none was."""
        return max((number for number, at in self.marks if at <= now - self.keep_seconds), default=0)


@dataclass(frozen=True, slots=True)
class _Record:
    format: int
    projections: Mapping[str, Projection]


def read(output: Path) -> dict[str, Projection]:
    """Return the projections of the lake ``output`` by format, none where it has none. Raises InputError."""
    path = output / FOLDER / _STATE
    try:
        members = orjson.loads(path.read_bytes())
        if members["format"] != _FORMAT:
            raise ValueError("it was written by another version of babelreg")
        return dict(typed(_Record, members).projections)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, TypeError, KeyError) as err:
        command = ["babelreg", "lake", "publish", "--lake", str(output), "--rebuild"]
        raise InputError(
            f"{path} is not the record of projections: {err}",
            fix=f"restore it from a backup; or remove it and run `{shlex.join(command)}`",
        ) from err


def write(output: Path, projections: Mapping[str, Projection]) -> None:
    """Record ``projections``, durably. Only for the holder of the lock."""
    members = {"format": _FORMAT, "projections": {name: asdict(one) for name, one in sorted(projections.items())}}
    make_folder(output / FOLDER)
    write_whole(output / FOLDER / _STATE, orjson.dumps(members, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def removable(output: Path) -> int | None:
    """Return the batch up to which replaced files may go as far as projections are concerned; None where none stands.

    Raises InputError.
    """
    released = [projection.released for projection in read(output).values()]
    return min(released) if released else None


@contextmanager
def locked(output: Path, *, patience_seconds: float = 60) -> Iterator[None]:
    """Hold the projections of ``output``: one run publishes at a time. Writers of the lake are not held up.

    Raises UsageError when another run holds them for longer than ``patience_seconds`` or nothing can be written.
    """
    folder = output / FOLDER
    try:
        folder.mkdir(exist_ok=True)
        file = (folder / _LOCK).open("ab")
    except OSError as err:
        raise UsageError(f"cannot write to {folder}: {err.strerror}", fix="use a lake that you can write to") from err
    with file, ExitStack() as held:
        while True:
            try:
                held.enter_context(lock.locked(file, folder))
                break
            except UsageError:
                if patience_seconds <= 0:
                    raise
                patience_seconds -= _PAUSE_SECONDS
                time.sleep(_PAUSE_SECONDS)
        yield
