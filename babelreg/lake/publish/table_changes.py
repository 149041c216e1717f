"""Changes of one table between two batches: the files that a follower adds and removes, commit by commit.

All batches since the last commit are one change, with two exceptions. A compaction is a change of its own, because its
files hold rows that are there already, and readers of streams must be told so. Where a file in between is gone, all
batches are one change, which names current files only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from itertools import groupby
from pathlib import Path

import orjson

from babelreg.lake.storage.log.batch_record import Batch
from babelreg.lake.storage.log.lake_state import LakeState
from babelreg.lake.storage.output_folder import QUARANTINE, table_folder


@dataclass(frozen=True, slots=True)
class TableChange:
    """Files ``added`` to a table and ``removed`` from it up to batch ``number``, relative to the lake.

    ``fingerprint`` is that of the batch. ``rewrites``: the added files hold the rows of the removed ones and no others.
    """

    number: int
    fingerprint: int
    added: tuple[str, ...]
    removed: tuple[str, ...] = ()
    rewrites: bool = False


def folder_of(table: str) -> str:
    """Return the folder of ``table``, a URN or ``quarantine``, below the lake."""
    return QUARANTINE if table == QUARANTINE else table_folder(table)


def fingerprint(batch: Batch) -> int:
    """Return 63 bits that tell ``batch`` from another of its number, as after the lake was restored from a backup."""
    read = sorted((file.input, file.name, file.start, file.end, file.fingerprint) for file in batch.consumed)
    tables = {urn: [table.rows, *table.files] for urn, table in sorted(batch.tables.items())}
    refused = [batch.quarantine.rows, *batch.quarantine.files]
    members = [batch.number, batch.kind, batch.read, read, tables, refused, batch.replaced]
    return int.from_bytes(blake2b(orjson.dumps(members), digest_size=8).digest()) >> 1


def snapshot(state: LakeState, table: str, newest: int) -> TableChange:
    """Return the change that adds all current files of ``table``; ``newest`` is the fingerprint of the newest batch."""
    files = state.quarantine if table == QUARANTINE else state.tables.get(table, ())
    return TableChange(state.number, newest, tuple(files))


class BatchHistory:
    """Batches of ``lake`` that follow each other, by what they change in each table.

    There may be thousands of tables, so what the tables of a batch have in common is computed once.
    """

    def __init__(self, lake: Path, batches: Sequence[Batch]) -> None:
        self._lake, self._batches = lake, batches
        self._fingerprint = cache(lambda number: fingerprint(self._by_number[number]))
        self._by_number = {batch.number: batch for batch in batches}
        self._replaced = {batch.number: _by_folder(batch.replaced) for batch in batches}

    def changes(self, table: str, after: int = 0) -> tuple[TableChange, ...]:
        """Return what the batches after the number ``after`` change in ``table``; empty where nothing does."""
        batches = [batch for batch in self._batches if batch.number > after]
        groups = [list(group) for _, group in groupby(batches, key=_group)]
        split = tuple(change for group in groups if (change := self._net(group, table)) is not None)
        if all((self._lake / name).exists() for change in split for name in change.added):
            return split
        together = self._net(batches, table)
        return () if together is None else (together,)

    def _net(self, batches: Sequence[Batch], table: str) -> TableChange | None:
        added: dict[str, None] = {}
        removed: dict[str, None] = {}
        last = None
        for batch in batches:
            files = _files(batch, table)
            replaced = self._replaced[batch.number].get(folder_of(table), ())
            for name in replaced:
                if name in added:
                    del added[name]
                else:
                    removed[name] = None
            added.update(dict.fromkeys(files))
            last = batch if files or replaced else last
        if last is None or not (added or removed):
            return None
        rewrites = all(batch.kind == "compaction" for batch in batches)
        return TableChange(last.number, self._fingerprint(last.number), tuple(added), tuple(removed), rewrites)


def _group(batch: Batch) -> int:
    """Return a key by which compactions stand alone, and all others together."""
    return batch.number if batch.kind == "compaction" else 0


def _by_folder(names: Iterable[str]) -> dict[str, list[str]]:
    """Return files such as ``tables/orders/created/batch=000007/part-00000.parquet`` by the folder of their table."""
    by_folder: dict[str, list[str]] = {}
    for name in names:
        by_folder.setdefault(name.rsplit("/", 2)[0], []).append(name)
    return by_folder


def _files(batch: Batch, table: str) -> Iterable[str]:
    if table == QUARANTINE:
        return batch.quarantine.files
    return batch.tables[table].files if table in batch.tables else ()
