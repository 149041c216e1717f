"""From staging to what counts: files are moved into place and made durable, then the manifest is renamed.

No Spark here. Whatever stops this, nothing counts before the last rename, and all of it after.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from babelreg.spark.lake import output_folder
from babelreg.spark.lake.deferred_signals import deferred
from babelreg.spark.lake.id_index import Held
from babelreg.spark.lake.log import manifest
from babelreg.spark.lake.log.manifest import (
    Batch,
    Consumed,
    SetAside,
    SortedFileRecord,
    TableRows,
)
from babelreg.spark.lake.log.replay import History
from babelreg.spark.sources.message_source import BABELQUEUE

__all__ = ["Replacement", "Rows", "StagedBatch", "commit"]

_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of one table in finished files in staging. ``types`` are those of :class:`manifest.TableRows`."""

    rows: int = 0
    files: tuple[Path, ...] = ()
    types: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Replacement:
    """``files`` below the output that the batch stands for, and how long they stay for readers that looked before."""

    files: tuple[str, ...]
    grace_seconds: int


@dataclass(frozen=True, slots=True)
class StagedBatch:
    """What a batch has in staging. The fields are those of :class:`manifest.Batch`; ``tables`` are by URN.

    ``kept`` are rows of the quarantine that are written again as they were, beside the ``quarantined`` ones in
    ``quarantine``. ``index`` is the whole of it.
    """

    read: int = 0
    duplicates: int = 0
    tables: Mapping[str, Rows] = field(default_factory=dict)
    quarantine: Rows = Rows()
    kept: Rows = Rows()
    reasons: Mapping[str, int] = field(default_factory=dict)
    repeated: Mapping[str, int] = field(default_factory=dict)
    index: tuple[Held, ...] = ()


@deferred()
def commit(
    folder: Path,
    so_far: History,
    kind: Literal["ingest", "redrive", "compaction"],
    written: StagedBatch,
    *,
    keeps_duplicates: bool,
    consumed: Sequence[Consumed] = (),
    replaced: Replacement | None = None,
    set_aside: Sequence[SetAside] = (),
    resumed: Sequence[tuple[str, str]] = (),
    wire: str = BABELQUEUE,
    received_at: int | None = None,
) -> Batch:
    """Make ``written`` the next batch of the output ``folder``. Raises OSError, after which it is not.

    Ctrl-C takes effect when it is done.
    """
    number = so_far.number + 1
    name = output_folder.batch_folder(number)
    tables = _published(folder, written.tables, name, so_far.types)
    refused = (*written.quarantine.files, *written.kept.files)
    batch = Batch(
        number=number,
        kind=kind,
        read=written.read,
        accepted=0 if kind == "compaction" else sum(table.rows for table in tables.values()),
        duplicates=written.duplicates,
        quarantined=written.quarantine.rows,
        keeps_duplicates=keeps_duplicates,
        consumed=tuple(consumed),
        tables=tables,
        quarantine=TableRows(
            written.quarantine.rows + written.kept.rows,
            output_folder.publish(refused, folder, output_folder.QUARANTINE, name),
        ),
        reasons=written.reasons,
        repeated=written.repeated,
        index=_index(folder, written.index, name),
        replaced=replaced.files if replaced else (),
        grace_seconds=replaced.grace_seconds if replaced else 0,
        removed=so_far.removed,
        set_aside=tuple(set_aside),
        resumed=tuple(resumed),
        wire=wire,
        received_at=received_at,
    )
    manifest.write(folder, batch)
    return batch


def _published(
    folder: Path, tables: Mapping[str, Rows], batch: str, known: Mapping[str, Mapping[str, str]]
) -> dict[str, TableRows]:
    """The tables that got rows, in place; several at a time, since most of it is waiting for the disk."""

    def publish(urn: str) -> TableRows:
        rows = tables[urn]
        new = {path: type_ for path, type_ in rows.types.items() if known.get(urn, {}).get(path) != type_}
        return TableRows(
            rows.rows, output_folder.publish(rows.files, folder, output_folder.table_folder(urn), batch), new
        )

    urns = sorted(urn for urn, rows in tables.items() if rows.rows)
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        return dict(zip(urns, threads.map(publish, urns), strict=True))


def _index(folder: Path, held: Sequence[Held], batch: str) -> tuple[SortedFileRecord, ...]:
    """All runs that count from now on, the new ones in place."""
    new = [one for one in held if one.name is None]
    names = output_folder.publish([one.path for one in new], folder, output_folder.IDS, batch)
    published = [SortedFileRecord(name, one.rows) for name, one in zip(names, new, strict=True)]
    return (*(SortedFileRecord(one.name, one.rows) for one in held if one.name), *published)
