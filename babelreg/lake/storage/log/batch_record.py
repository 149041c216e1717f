"""The record of one batch, as data and as the bytes of a manifest: what it read, and which files hold its rows."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import orjson

from babelreg.errors import InputError
from babelreg.lake.paused_collection import collection_paused
from babelreg.typed_json import typed
from babelreg.wire.format import NATIVE

_CHECKSUM_BYTES = 9

FORMAT = 4
"""4 ends with a check sum, and has the digests of whole files."""

FORMAT_OF_WIRES = 5
"""That of a batch of foreign messages, which has ``wire`` and ``received_at`` as well."""

FORMAT_OF_CONTENTS = 6
"""That of a batch that read compressed files, which has the digests of their contents."""

_FORMATS = (FORMAT, FORMAT_OF_WIRES, FORMAT_OF_CONTENTS)

_PLAIN = (int, int, int, bool, str, str, bool)
_MEMBERS = (_PLAIN, (*_PLAIN, int, str, str))
"""Types of the members of a file that a batch read, in their order; those of a compressed file."""

_OUTSIDE = re.compile(r"(?:^|[/\\])(?:\.\.?)?(?:[/\\]|$)|\0")

STREAMS = "stdin:"
"""Begin of the ``input`` of standard input and other pipes; their wire format follows. Folders are absolute paths."""

RESTORE = "restore the file from a backup, or ingest everything into a new output folder"
"""The suggestion where a file of the output is not what was written."""


class Consumed(NamedTuple):
    """The bytes ``[start, end)`` of ``input``/``name`` that a batch read; none where ``start`` is ``end``.

    ``terminated`` is True when the last byte was a line feed. ``fingerprint`` is the digest of all bytes up to ``end``,
    ``head`` that of the first of them (see ``digests``). ``moved`` says that a file of another name holds these bytes
    now, and this one does not.

    A compressed file also has the length, digest and head of its decompressed ``content``.

    There may be a million of them, and a named tuple is made in a third of the time of a frozen dataclass.
    """

    input: str
    name: str
    start: int
    end: int
    mtime_ns: int
    terminated: bool
    fingerprint: str
    head: str = ""
    moved: bool = False
    content_end: int = 0
    content: str = ""
    content_head: str = ""


@dataclass(frozen=True, slots=True)
class SetAside:
    """A file that was read up to byte ``end`` and cannot be read on; ``why`` is one of ``set_aside.REASONS``."""

    input: str
    name: str
    why: str
    end: int


@dataclass(frozen=True, slots=True)
class TableRows:
    """The rows that one batch added to the table of one URN. ``files`` are relative to the output folder.

    ``types`` gives columns of ``data`` their Spark type, as ``{"lines[].qty": "BIGINT"}``: those that no batch before
    named so.
    """

    rows: int
    files: tuple[str, ...]
    types: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SortedFileRecord:
    """A sorted file of the index of ids or of the log of sources: its path below the output, and its rows."""

    file: str
    rows: int


@dataclass(frozen=True, slots=True)
class Batch:
    """One batch. ``read == accepted + duplicates + quarantined`` was checked before it was written.

    ``quarantine`` may hold more rows than ``quarantined``: those that a redrive left as they were. ``index`` is the
    whole of it after this batch. The files ``replaced`` no longer count from this batch on, and may be removed when
    its manifest is ``grace_seconds`` old; ``removed`` are the batches whose replaced files were, before this one.
    ``set_aside`` are input files that are set aside since this batch, ``resumed`` those (input, name) that no longer
    are. ``wire`` is the wire format of what it read, ``received_at`` the receive time that was given for it, in Unix
    milliseconds.
    """

    number: int
    kind: Literal["ingest", "redrive", "compaction"]
    read: int
    accepted: int
    duplicates: int
    quarantined: int
    keeps_duplicates: bool
    consumed: tuple[Consumed, ...]
    tables: Mapping[str, TableRows]
    quarantine: TableRows
    reasons: Mapping[str, int]
    repeated: Mapping[str, int]
    index: tuple[SortedFileRecord, ...]
    replaced: tuple[str, ...] = ()
    grace_seconds: int = 0
    removed: tuple[int, ...] = ()
    set_aside: tuple[SetAside, ...] = ()
    resumed: tuple[tuple[str, str], ...] = ()
    wire: str = NATIVE
    received_at: int | None = None


def encode(batch: Batch) -> bytes:
    """Return the bytes of a manifest: a line of JSON and its check sum."""
    members = {"format": FORMAT, **asdict(replace(batch, consumed=())), "consumed": _by_input(batch.consumed)}
    if batch.wire == NATIVE:
        del members["wire"], members["received_at"]
    else:
        members["format"] = FORMAT_OF_WIRES
    if any(file.content for file in batch.consumed):
        members["format"] = FORMAT_OF_CONTENTS
    return sealed(orjson.dumps(members, option=orjson.OPT_APPEND_NEWLINE))


@collection_paused()
def decode(content: bytes, path: Path) -> Batch:
    """Return the batch that :func:`encode` wrote to ``path``. Raises InputError for anything else."""
    try:
        members = _members(content, path)
        del members["format"]
        consumed = tuple(_consumed(members["consumed"]))
        batch = replace(typed(Batch, {**members, "consumed": []}), consumed=consumed)
        _check_counts(batch)
        check_inside(_files(batch))
        return batch
    except (ValueError, TypeError, KeyError, AttributeError) as err:
        raise InputError(f"{path} is not a manifest of a batch: {err}", fix=RESTORE) from err


def _members(content: bytes, path: Path) -> Any:
    """Return the members of a manifest, which is parsed once. Raises InputError for one of another version."""
    try:
        members = orjson.loads(unsealed(content))
    except ValueError:
        if _has_no_checksum(content):
            raise _of_another_version(path) from None
        raise
    number = members.get("format")
    if isinstance(number, int) and number not in _FORMATS:
        raise _of_another_version(path)
    return members


def _has_no_checksum(content: bytes) -> bool:
    """Return True for a manifest of one of the first formats, which had no check sum."""
    try:
        members = orjson.loads(content.split(b"\n", 1)[0])
    except ValueError:
        return False
    return isinstance(members, dict) and members.get("format") in (1, 2, 3)


def _of_another_version(path: Path) -> InputError:
    return InputError(f"{path} was written by another version of babelreg", fix="use that version")


def _by_input(consumed: Iterable[Consumed]) -> Mapping[str, Mapping[str, Sequence[Any]]]:
    """Return ``consumed`` by input and name, without more words: there may be a million."""
    by_input: dict[str, dict[str, Sequence[Any]]] = {}
    for file in consumed:
        members = (file.start, file.end, file.mtime_ns, file.terminated, file.fingerprint, file.head, file.moved)
        content = (file.content_end, file.content, file.content_head) if file.content else ()
        by_input.setdefault(file.input, {})[file.name] = (*members, *content)
    return by_input


def _consumed(by_input: Mapping[str, Mapping[str, Sequence[Any]]]) -> Iterable[Consumed]:
    for root, names in by_input.items():
        for name, members in names.items():
            yield consumed_of(root, name, members)


def consumed_of(root: str, name: str, members: Sequence[Any]) -> Consumed:
    """Return the record of one file; ``members`` are parsed JSON. Raises ValueError or TypeError for other ones.

    There may be a million, so all their types are compared at once.
    """
    if tuple(map(type, members)) not in _MEMBERS or not 0 <= members[0] <= members[1]:
        raise ValueError(f"'consumed.{root}.{name}' is not the record of a file")
    return Consumed(root, name, *members)


def check_inside(files: Iterable[str]) -> None:
    """Raise ValueError for the path of a file that is not below the folder of the lake: files are removed, too."""
    for name in files:
        if _OUTSIDE.search(name):
            raise ValueError(f"'{name}' is not the path of a file below the lake")


def _files(batch: Batch) -> Iterator[str]:
    yield from (name for table in batch.tables.values() for name in table.files)
    yield from (run.file for run in batch.index)
    yield from (*batch.quarantine.files, *batch.replaced)


def _check_counts(batch: Batch) -> None:
    rows = [table.rows for table in (*batch.tables.values(), batch.quarantine)] + [run.rows for run in batch.index]
    counts = (
        batch.read,
        batch.accepted,
        batch.duplicates,
        batch.quarantined,
        *batch.reasons.values(),
        *batch.repeated.values(),
    )
    if batch.number < 1 or min(*rows, *counts, batch.grace_seconds) < 0:
        raise ValueError("a count is negative")


def sealed(lines: bytes) -> bytes:
    """Return ``lines``, which end with a line feed, and a last line with their CRC in eight hex digits."""
    return lines + _checksum(lines)


def unsealed(content: bytes) -> bytes:
    """Return the lines that :func:`sealed` was given. Raises ValueError if any bit differs, also in the checksum."""
    lines = content[:-_CHECKSUM_BYTES]
    if not lines.endswith(b"\n") or content[-_CHECKSUM_BYTES:] != _checksum(lines):
        raise ValueError("its last line is not the checksum of the lines before")
    return lines


def _checksum(lines: bytes) -> bytes:
    return b"%08x\n" % zlib.crc32(lines)
