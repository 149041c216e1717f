"""Expiry of Iceberg snapshots, with the metadata that they alone name; ``pyiceberg`` leaves those files."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyiceberg.table import Table
    from pyiceberg.table.snapshots import Snapshot

MOST_SNAPSHOTS = 1000
"""Beyond so many, the older half expires early: each commit writes all of them into the metadata of the table."""


def expire_before(table: Table, before: datetime) -> None:
    """Expire the snapshots of ``table`` older than ``before``, but those that a branch or a tag names."""
    _expire(table, [one for one in table.snapshots() if one.timestamp_ms < before.timestamp() * 1000])


def expire_surplus(table: Table) -> None:
    """Expire the older half of the snapshots of ``table`` where there are too many."""
    snapshots = sorted(table.snapshots(), key=lambda snapshot: snapshot.sequence_number or 0)
    if len(snapshots) > MOST_SNAPSHOTS:
        _expire(table, snapshots[: len(snapshots) // 2])


def _expire(table: Table, snapshots: Iterable[Snapshot]) -> None:
    held = {ref.snapshot_id for ref in table.refs().values()}
    expired = [snapshot for snapshot in snapshots if snapshot.snapshot_id not in held]
    if not expired:
        return
    paths = _metadata(table, expired)
    table.maintenance.expire_snapshots().by_ids([snapshot.snapshot_id for snapshot in expired]).commit()
    for path in paths - _metadata(table, table.refresh().snapshots()):
        with suppress(Exception):  # an orphan costs space only; the errors are those of any store
            table.io.delete(path)


def _metadata(table: Table, snapshots: Iterable[Snapshot]) -> set[str]:
    """Return the manifest lists and manifests of ``snapshots``."""
    lists = list(snapshots)
    manifests = {manifest.manifest_path for one in lists for manifest in one.manifests(table.io)}
    return manifests | {one.manifest_list for one in lists}
