"""Log of a Delta table, for the usual commit: files are added to a table whose columns stay as they are.

An entry is a file with the next number, which must not exist yet; each of its lines is an action as JSON (Delta
protocol, "Delta Log Entries"). ``deltalake`` takes some 11 ms of processor time to read a log and to commit; writing
the entry takes 2. Entries of the lake have a digest of the columns of their files, by which the next commit knows that
it may do without the library. All others are left to it: the first one after that of another program, those that change
columns or remove files, tables with features of a later protocol, and each hundredth, which the library follows by a
checkpoint.
"""

from __future__ import annotations

import os
import re
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pyarrow as pa

from babelreg import __version__

FOLDER = "_delta_log"

BATCH, COLUMNS = "babelreg.batch", "babelreg.columns"
"""Members of our commits: the number of the batch, and the digest of the columns of its files."""

PLAIN_PROTOCOL = (1, 2)
"""Versions of the protocol for readers and writers that a commit of added files satisfies."""

_ENTRY = re.compile(r"(\d{20})\.json")
_CHECKPOINT_EVERY = 100

Action = Mapping[str, Any]


class Tail(NamedTuple):
    """The newest entry of a log, which the lake wrote: its ``version``, batch and fingerprint, and the ``columns``."""

    version: int
    number: int
    fingerprint: int
    columns: str


class Applications(NamedTuple):
    """The names under which a table knows the number of its newest batch and the fingerprint of that batch."""

    numbers: str
    fingerprints: str

    def actions(self, number: int, fingerprint: int) -> list[Action]:
        """Return the transactions of a commit."""
        return [
            {"txn": {"appId": name, "version": version}}
            for name, version in ((self.numbers, number), (self.fingerprints, fingerprint))
        ]


def exists(folder: Path) -> bool:
    """Return whether ``folder`` has a table. What a killed run left of an entry that it wrote has a hidden name."""
    log = folder / FOLDER
    return log.is_dir() and any(not entry.name.startswith(".") for entry in log.iterdir())


def tail(folder: Path, applications: Applications) -> Tail | None:
    """Return the newest entry of the table in ``folder`` if the lake wrote it for a plain table; None for any other."""
    version = max(_versions(folder), default=None)
    if version is None:
        return None
    actions = _actions(folder, version)
    versions = {txn["appId"]: txn["version"] for action in actions if (txn := action.get("txn"))}
    columns = next((info[COLUMNS] for action in actions if COLUMNS in (info := action.get("commitInfo", {}))), None)
    if columns is None or not versions.keys() >= {*applications}:
        return None
    return Tail(version, versions[applications.numbers], versions[applications.fingerprints], columns)


def foreign_change(folder: Path, applications: Applications) -> tuple[int, str] | None:
    """Return the version and the operation of the newest commit of another program that changed files since our last.

    Commits that change no files, as of properties or by a VACUUM, are none. What was cleaned up is unknown.
    """
    for version in sorted(_versions(folder), reverse=True):
        actions = _actions(folder, version)
        if any(action.get("txn", {}).get("appId") == applications.numbers for action in actions):
            return None
        if any("add" in action or "remove" in action for action in actions):
            infos = (action["commitInfo"] for action in actions if "commitInfo" in action)
            return version, next((str(info.get("operation")) for info in infos), "an unknown operation")
    return None


def append(folder: Path, after: Tail, adds: Sequence[Action], batch: Sequence[Action], number: int) -> bool:
    """Commit the files ``adds`` behind the entry ``after``; return False where the library has to do it."""
    version = after.version + 1
    if (version + 1) % _CHECKPOINT_EVERY == 0:
        return False
    return _put(folder, version, [_info("WRITE", number, after.columns), *adds, *batch])


def create(
    folder: Path,
    metadata: Mapping[str, Any],
    adds: Sequence[Action],
    batch: Sequence[Action],
    number: int,
    columns: str,
) -> bool:
    """Write a new table with its first files; return False where the library has to do it.

    ``metadata`` are its name, ``schemaString`` and ``configuration``.
    """
    if any(feature in metadata["schemaString"] for feature in ('"timestamp_ntz"', '"variant"')):
        return False
    reader, writer = PLAIN_PROTOCOL
    described = {
        "id": str(uuid.uuid4()),
        "format": {"provider": "parquet", "options": {}},
        "partitionColumns": [],
        "createdTime": int(time.time() * 1000),
        **metadata,
    }
    head = [{"protocol": {"minReaderVersion": reader, "minWriterVersion": writer}}, {"metaData": described}]
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    return _put(folder, 0, [_info("CREATE TABLE AS SELECT", number, columns), *head, *adds, *batch])


def digest(columns: pa.Schema) -> str:
    """Return a digest that two equal schemas have in common."""
    return blake2b(columns.remove_metadata().serialize().to_pybytes(), digest_size=16).hexdigest()


def _info(operation: str, number: int, columns: str) -> Action:
    return {
        "commitInfo": {
            "timestamp": int(time.time() * 1000),
            "operation": operation,
            "operationParameters": {"mode": "Append", "partitionBy": "[]"},
            "engineInfo": f"babelreg/{__version__}",
            BATCH: str(number),
            COLUMNS: columns,
        }
    }


def _versions(folder: Path) -> Iterable[int]:
    try:
        with os.scandir(folder / FOLDER) as entries:
            return [int(match[1]) for entry in entries if (match := _ENTRY.fullmatch(entry.name))]
    except FileNotFoundError:
        return ()


def _actions(folder: Path, version: int) -> list[dict[str, Any]]:
    """Return the actions of an entry; those that cannot be read are left out: the library says why."""
    actions = []
    with suppress(OSError, ValueError):
        for line in _path(folder, version).read_bytes().splitlines():
            if isinstance(action := orjson.loads(line), dict):
                actions.append(action)
    return actions


def _put(folder: Path, version: int, actions: Iterable[Action]) -> bool:
    """Write an entry whole unless there is one; return False there, and where the disk has no hard links.

    Its content is synced before it has its name, which need not outlive a power failure: the next run publishes again.
    """
    path = _path(folder, version)
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with temporary.open("wb") as file:
            file.writelines(orjson.dumps(action, option=orjson.OPT_APPEND_NEWLINE) for action in actions)
            file.flush()
            os.fsync(file.fileno())
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError:
        if path.exists():
            raise
        return False
    finally:
        temporary.unlink(missing_ok=True)
    return True


def _path(folder: Path, version: int) -> Path:
    return folder / FOLDER / f"{version:020}.json"
