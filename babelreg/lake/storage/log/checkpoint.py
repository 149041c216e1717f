"""Checkpoints: the sum of all batches up to one, so that a run reads only the manifests after it.

``OUTPUT/manifest/000100.state`` is one line of JSON and its checksum. It identifies the manifest of its batch by a
digest; a checkpoint of other manifests, as after a backup was restored, is not used. The ranges read of input files
grow without bound, so a checkpoint names the sorted files that hold them (``source_log``). The files that each batch
added and replaced are in ``folded_manifests``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

import orjson

from babelreg.lake.durable_files import write_whole
from babelreg.lake.storage.log import manifest
from babelreg.lake.storage.log.batch_record import SetAside, SortedFileRecord, check_inside, sealed, unsealed
from babelreg.lake.storage.log.lake_state import LakeState, ReplacedFiles
from babelreg.lake.storage.log.source_log import SourceLog
from babelreg.typed_json import typed

_FORMAT = 2


@dataclass(frozen=True, slots=True)
class _Checkpoint:
    """The members of a checkpoint. ``replaced`` are a batch, its files, their grace in seconds, and when."""

    format: int
    number: int
    manifest: str
    keeps_duplicates: bool
    tables: Mapping[str, tuple[str, ...]]
    types: Mapping[str, Mapping[str, str]]
    quarantine: tuple[str, ...]
    index: tuple[SortedFileRecord, ...]
    replaced: tuple[tuple[int, tuple[str, ...], int, float], ...]
    set_aside: tuple[SetAside, ...]
    sources: tuple[SortedFileRecord, ...]
    wires: Mapping[str, str] = field(default_factory=dict)


def write(output: Path, history: LakeState) -> None:
    """Write the checkpoint of ``history``, whose sources must all be in files. Raises OSError."""
    members = {
        "format": _FORMAT,
        "number": history.number,
        "manifest": _digest(output, history.number),
        "keeps_duplicates": history.keeps_duplicates,
        "tables": history.tables,
        "types": history.types,
        "quarantine": history.quarantine,
        "index": history.index,
        "replaced": [(*files, history.replaced_at[files.number]) for files in history.replaced],
        "set_aside": [file for names in history.set_aside.values() for file in names.values()],
        "sources": history.sources.runs,
        **({"wires": history.wires} if history.wires else {}),
    }
    body = orjson.dumps(members, option=orjson.OPT_APPEND_NEWLINE)
    write_whole(manifest.checkpoint_path(output, history.number), sealed(body))


def load(output: Path, number: int) -> LakeState | None:
    """Return what the checkpoint of batch ``number`` says; None for one of other manifests.

    Raises ValueError for what is damaged, OSError for what cannot be read.
    """
    paths = manifest.checkpoint_path(output, number), manifest.path_of(output, number)
    stats = [path.stat() for path in paths]
    return _load(output, number, tuple((stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino) for stat in stats))


@lru_cache(2)
def _load(output: Path, number: int, unchanged: object) -> LakeState | None:
    """Return the same, cached while the files are ``unchanged``."""
    content = manifest.checkpoint_path(output, number).read_bytes()
    try:
        members = orjson.loads(unsealed(content))
        if members["format"] != _FORMAT or members["number"] != number:
            raise ValueError("it belongs to another version or another batch")
        if members["manifest"] != _digest(output, number):
            return None
        return _state(output, typed(_Checkpoint, members))
    except (TypeError, KeyError) as err:
        raise ValueError(f"{err!r}") from err


def _state(output: Path, written: _Checkpoint) -> LakeState:
    check_inside(
        [
            *(name for files in written.tables.values() for name in files),
            *(name for _, files, _, _ in written.replaced for name in files),
            *(run.file for run in (*written.index, *written.sources)),
            *written.quarantine,
        ]
    )
    set_aside: dict[str, dict[str, SetAside]] = {}
    for file in written.set_aside:
        set_aside.setdefault(file.input, {})[file.name] = file
    return LakeState(
        number=written.number,
        keeps_duplicates=written.keeps_duplicates,
        tables=written.tables,
        types=written.types,
        quarantine=written.quarantine,
        index=written.index,
        replaced=tuple(ReplacedFiles(batch, files, grace) for batch, files, grace, _ in written.replaced),
        set_aside=set_aside,
        sources=SourceLog(output / manifest.FOLDER, written.sources),
        checkpoint=written.number,
        replaced_at={batch: at for batch, _, _, at in written.replaced},
        wires=written.wires,
    )


def _digest(output: Path, number: int) -> str:
    return blake2b(manifest.path_of(output, number).read_bytes(), digest_size=16).hexdigest()
