"""Commit of a staged batch: files are moved to their tables and synced, then the manifest is renamed.

No Spark here. If it stops, nothing is visible before the last rename, and all of it after.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from babelreg.lake.deferred_signals import deferred
from babelreg.lake.storage import output_folder
from babelreg.lake.storage.id_index import IdRunFile
from babelreg.lake.storage.log import manifest
from babelreg.lake.storage.log.manifest import Batch, Consumed, SetAside, SortedFileRecord, TableRows
from babelreg.lake.storage.log.replay import LakeState
from babelreg.wire.format import NATIVE

_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of one table in finished staging files. ``types`` are those of :class:`batch_record.TableRows`."""

    rows: int = 0
    files: tuple[Path, ...] = ()
    types: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Replacement:
    """``files`` below the output that the batch replaces, and how long they stay for readers."""

    files: tuple[str, ...]
    grace_seconds: int


@dataclass(frozen=True, slots=True)
class StagedBatch:
    """A batch in staging. The fields are those of :class:`batch_record.Batch`; ``tables`` are by URN.

    ``kept`` are rows of the quarantine that are copied unchanged, besides the ``quarantined`` ones in ``quarantine``.
    ``refused`` counts the latter by URN and reason; it is for the run's summary and not recorded.
    ``index`` is the whole id index after the batch.
    """

    read: int = 0
    duplicates: int = 0
    tables: Mapping[str, Rows] = field(default_factory=dict)
    quarantine: Rows = Rows()
    kept: Rows = Rows()
    reasons: Mapping[str, int] = field(default_factory=dict)
    repeated: Mapping[str, int] = field(default_factory=dict)
    refused: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    index: tuple[IdRunFile, ...] = ()


@deferred()
def commit(
    folder: Path,
    so_far: LakeState,
    kind: Literal["ingest", "redrive", "compaction"],
    staged: StagedBatch,
    *,
    keeps_duplicates: bool,
    consumed: Sequence[Consumed] = (),
    replaced: Replacement | None = None,
    set_aside: Sequence[SetAside] = (),
    resumed: Sequence[tuple[str, str]] = (),
    wire: str = NATIVE,
    received_at: int | None = None,
) -> Batch:
    """Make ``staged`` the next batch of the output ``folder``. After an OSError it is not.

    Ctrl-C takes effect afterwards.
    """
    number = so_far.number + 1
    name = output_folder.batch_folder(number)
    tables = _publish_tables(folder, staged.tables, name, so_far.types)
    quarantine_files = (*staged.quarantine.files, *staged.kept.files)
    batch = Batch(
        number=number,
        kind=kind,
        read=staged.read,
        accepted=0 if kind == "compaction" else sum(table.rows for table in tables.values()),
        duplicates=staged.duplicates,
        quarantined=staged.quarantine.rows,
        keeps_duplicates=keeps_duplicates,
        consumed=tuple(consumed),
        tables=tables,
        quarantine=TableRows(
            staged.quarantine.rows + staged.kept.rows,
            output_folder.publish(quarantine_files, folder, output_folder.QUARANTINE, name),
        ),
        reasons=staged.reasons,
        repeated=staged.repeated,
        index=_publish_index(folder, staged.index, name),
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


def _publish_tables(
    folder: Path, tables: Mapping[str, Rows], batch: str, known_types: Mapping[str, Mapping[str, str]]
) -> dict[str, TableRows]:
    """Move the files of all tables that got rows; in parallel, since most of the time is spent waiting for the disk."""

    def publish(urn: str) -> TableRows:
        rows = tables[urn]
        new = {path: type_ for path, type_ in rows.types.items() if known_types.get(urn, {}).get(path) != type_}
        return TableRows(
            rows.rows, output_folder.publish(rows.files, folder, output_folder.table_folder(urn), batch), new
        )

    urns = sorted(urn for urn, rows in tables.items() if rows.rows)
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        return dict(zip(urns, threads.map(publish, urns), strict=True))


def _publish_index(folder: Path, index: Sequence[IdRunFile], batch: str) -> tuple[SortedFileRecord, ...]:
    """Return all id runs after the batch, with the new ones moved into place."""
    new = [run for run in index if run.name is None]
    names = output_folder.publish([run.path for run in new], folder, output_folder.IDS, batch)
    published = [SortedFileRecord(name, run.rows) for name, run in zip(names, new, strict=True)]
    return (*(SortedFileRecord(run.name, run.rows) for run in index if run.name), *published)
