"""Checkpoints: the sum of all batches up to one, so that a run reads only the manifests after it.

``OUTPUT/manifest/000100.state`` is one line of JSON and its checksum. It identifies the manifest of its batch by a
digest; a checkpoint of other manifests, as after a backup was restored, is not used. The ranges read of input files
grow without bound, so a checkpoint names the sorted files that hold them (``source_log``). The files that each batch
added and replaced are in ``folded_manifests``.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

import orjson

from babelreg.spark.lake.durable_files import write_whole
from babelreg.spark.lake.log import manifest
from babelreg.spark.lake.log.batch_record import SetAside, SortedFileRecord, sealed, unsealed
from babelreg.spark.lake.log.lake_state import LakeState, ReplacedFiles
from babelreg.spark.lake.log.source_log import SourceLog

__all__ = ["load", "write"]

_FORMAT = 2


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
            raise ValueError("it is of another version, or of another batch")
        if members["manifest"] != _digest(output, number):
            return None
        set_aside: dict[str, dict[str, SetAside]] = {}
        for file in members["set_aside"]:
            set_aside.setdefault(file["input"], {})[file["name"]] = SetAside(**file)
        return LakeState(
            number=number,
            keeps_duplicates=members["keeps_duplicates"],
            tables={urn: tuple(files) for urn, files in members["tables"].items()},
            types=members["types"],
            quarantine=tuple(members["quarantine"]),
            index=tuple(SortedFileRecord(**run) for run in members["index"]),
            replaced=tuple(ReplacedFiles(batch, tuple(files), grace) for batch, files, grace, _ in members["replaced"]),
            set_aside=set_aside,
            sources=SourceLog(output / manifest.FOLDER, tuple(SortedFileRecord(**run) for run in members["sources"])),
            checkpoint=number,
            replaced_at={batch: at for batch, _, _, at in members["replaced"]},
            wires=members.get("wires", {}),
        )
    except (TypeError, KeyError, AttributeError) as err:
        raise ValueError(f"{err!r}") from err


def _digest(output: Path, number: int) -> str:
    return blake2b(manifest.path_of(output, number).read_bytes(), digest_size=16).hexdigest()
