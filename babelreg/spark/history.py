"""What all batches of an output say together: which files count, which bytes were read, which types columns have.

Nobody reads every manifest for that. ``OUTPUT/manifest/000100.state`` says it for all batches up to there, so that the
manifests after it are enough::

    {"format": 1, "number": 100, "manifest": <digest of 000100.json>, "check": <CRC of the next line>}
    {"tables": {urn: [file]}, "types": {urn: {path: type}}, "consumed": {input: {name: "end ..."}}, ...}

Such a checkpoint is made of the manifests, and made again when it is gone, damaged or of other manifests: what counts
is what they say. Two are kept, for readers that are at the older one.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import orjson

from babelreg.spark import manifest
from babelreg.spark.durable import write_whole
from babelreg.spark.manifest import Batch, Run

__all__ = ["EVERY", "History", "Met", "Replaced", "checkpoint", "of", "read"]

EVERY = 100
"""How many manifests are read at most, and how seldom a checkpoint is written: that takes as long as it is large."""

_FORMAT = 1
_SUFFIX = ".state"
_KEPT = 2


class Met(NamedTuple):
    """What the last batch that read a file knew of it: the fields of :class:`manifest.Consumed`.

    There may be millions, so that they are kept as text: a third of the memory.
    """

    end: int
    mtime_ns: int
    terminated: bool
    fingerprint: str

    def __str__(self) -> str:
        return f"{self.end} {self.mtime_ns} {self.terminated:d} {self.fingerprint}"

    @classmethod
    def parse(cls, text: str) -> Met:
        """Of what ``str`` gives."""
        end, mtime_ns, terminated, fingerprint = text.split(" ", 3)
        return cls(int(end), int(mtime_ns), terminated == "1", fingerprint)


class Replaced(NamedTuple):
    """Files that no longer count since batch ``number``, and may be removed when its manifest is so old."""

    number: int
    files: tuple[str, ...]
    grace_seconds: int


@dataclass(frozen=True, slots=True)
class History:
    """All batches up to ``number``; 0 where there is none.

    ``tables`` are the files of every table, by URN, and ``quarantine`` those of the quarantine, the oldest first;
    paths are relative to the output. ``types`` are those of :class:`manifest.Table`, by URN. ``consumed`` is by input
    folder and name, each a :class:`Met` as text. ``replaced`` may still be there; that of the batches
    ``removed`` is not, which the next manifest says. ``checkpoint`` is the batch of the one that was read.
    """

    number: int = 0
    keeps_duplicates: bool = False
    tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    types: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    quarantine: tuple[str, ...] = ()
    consumed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    index: tuple[Run, ...] = ()
    replaced: tuple[Replaced, ...] = ()
    removed: tuple[int, ...] = ()
    checkpoint: int = 0

    def met(self, input: str, name: str) -> Met | None:
        """What is known of the file ``name`` below ``input``; None for one that no batch has read."""
        found = self.consumed.get(input, {}).get(name)
        return None if found is None else Met.parse(found)


def read(output: Path) -> History:
    """What counts in ``output``. Raises InputError for a manifest that cannot be understood, or is missing."""
    newest = len(manifest.numbers(output))
    for path in reversed(_checkpoints(output)):
        if int(path.stem) <= newest:
            with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
                known = [one.stat() for one in (path, manifest.path_of(output, int(path.stem)))]
                found = _checkpoint(output, path, tuple((one.st_mtime_ns, one.st_ino) for one in known))
                return _followed(found, manifest.since(output, found.number))
    return of(manifest.read(output))


def of(batches: Sequence[Batch]) -> History:
    """What ``batches`` say, which are all from the first."""
    return _followed(History(), batches)


def checkpoint(output: Path, history: History) -> None:
    """Write what ``history`` says, if it is time for that. Nothing depends on it, so a full disk is no error here."""
    if history.number - history.checkpoint < EVERY:
        return
    with suppress(OSError):
        write_whole(output / manifest.FOLDER / f"{history.number:06d}{_SUFFIX}", _told(output, history))
        # One of a later batch is of an output that was since put back from a backup.
        found = _checkpoints(output)
        earlier = [path for path in found if int(path.stem) <= history.number]
        for path in {*found} - {*earlier[-_KEPT:]}:
            path.unlink()


def _followed(before: History, batches: Sequence[Batch]) -> History:
    """``before`` and the ``batches`` after it."""
    if not batches:
        return before
    gone = {name for batch in batches for name in batch.replaced}
    removed = {number for batch in batches for number in batch.removed}
    tables = {urn: list(files) for urn, files in before.tables.items()}
    types = {urn: dict(known) for urn, known in before.types.items()}
    quarantine, replaced = list(before.quarantine), list(before.replaced)
    for batch in batches:
        for urn, table in batch.tables.items():
            tables.setdefault(urn, []).extend(table.files)
            types.setdefault(urn, {}).update(table.types)
        quarantine += batch.quarantine.files
        if batch.replaced:
            replaced.append(Replaced(batch.number, batch.replaced, batch.grace_seconds))
    return replace(
        before,
        number=batches[-1].number,
        keeps_duplicates=batches[-1].keeps_duplicates,
        tables={urn: tuple(name for name in files if name not in gone) for urn, files in sorted(tables.items())},
        types=types,
        quarantine=tuple(name for name in quarantine if name not in gone),
        consumed=_consumed(before.consumed, batches),
        index=batches[-1].index,
        replaced=tuple(one for one in replaced if one.number not in removed),
    )


def _consumed(before: Mapping[str, Mapping[str, str]], batches: Sequence[Batch]) -> Mapping[str, Mapping[str, str]]:
    """There may be millions of files, so that only what changes is copied, once."""
    found = dict(before)
    copied: dict[str, dict[str, str]] = {}
    for batch in batches:
        for one in batch.consumed:
            if one.input not in copied:
                found[one.input] = copied[one.input] = dict(before.get(one.input, {}))
            copied[one.input][one.name] = str(Met(one.end, one.mtime_ns, one.terminated, one.fingerprint))
    return found


def _checkpoints(output: Path) -> list[Path]:
    found = (output / manifest.FOLDER).glob(f"*{_SUFFIX}")
    return sorted((path for path in found if path.stem.isdigit()), key=lambda path: int(path.stem))


def _told(output: Path, history: History) -> bytes:
    body = orjson.dumps(
        {
            "keeps_duplicates": history.keeps_duplicates,
            "tables": history.tables,
            "types": history.types,
            "quarantine": history.quarantine,
            "consumed": history.consumed,
            "index": history.index,
            "replaced": [tuple(one) for one in history.replaced],
        }
    )
    head = {"format": _FORMAT, "number": history.number, "manifest": _digest(output, history.number)}
    return orjson.dumps({**head, "check": zlib.crc32(body)}) + b"\n" + body


@lru_cache(1)
def _checkpoint(output: Path, path: Path, unchanged: object) -> History:
    """Raises ValueError and others for what is no checkpoint, or one of other manifests.

    It is remembered while the files are ``unchanged``.
    """
    head, _, body = path.read_bytes().partition(b"\n")
    told = orjson.loads(head)
    number = int(path.stem)
    if told != {"format": _FORMAT, "number": number, "manifest": _digest(output, number), "check": zlib.crc32(body)}:
        raise ValueError
    said = orjson.loads(body)
    return History(
        number=number,
        keeps_duplicates=said["keeps_duplicates"],
        tables={urn: tuple(files) for urn, files in said["tables"].items()},
        types=said["types"],
        quarantine=tuple(said["quarantine"]),
        consumed=said["consumed"],
        index=tuple(Run(**one) for one in said["index"]),
        replaced=tuple(Replaced(number, tuple(files), grace) for number, files, grace in said["replaced"]),
        checkpoint=number,
    )


def _digest(output: Path, number: int) -> str:
    return blake2b(manifest.path_of(output, number).read_bytes(), digest_size=16).hexdigest()
