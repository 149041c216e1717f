"""Iceberg tables that follow a lake, by ``pyiceberg``.

The catalog is a SQLite file in the lake, or any that the configuration of pyiceberg names. Metadata stands beside the
catalog, not in the folders of the tables, where a search for orphan files would find those of the manifest. Paths are
absolute. ``add_files`` adds a file twice where it is asked twice, so the number of the batch is a property of the table
that changes in the same commit; it is one of the snapshot, too, but snapshots expire.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from babelreg.errors import UsageError
from babelreg.lake.publish import iceberg_catalog, iceberg_expiry
from babelreg.lake.publish.sink import Position, SinkContext, diverged, foreign
from babelreg.lake.publish.table_changes import TableChange
from babelreg.lake.storage import file_footers
from babelreg.lake.storage.output_folder import QUARANTINE
from babelreg.model import Urn
from babelreg.typemap.python.names import module_name

if TYPE_CHECKING:
    from pyiceberg.catalog import Catalog
    from pyiceberg.manifest import DataFile
    from pyiceberg.table import Table, Transaction
    from pyiceberg.table.snapshots import Snapshot

_LAKE, _FOLDER, _TABLE = "babelreg.lake", "babelreg.location", "babelreg.table"
_BATCH, _FINGERPRINT = "babelreg.batch", "babelreg.fingerprint"
_PROPERTIES = {
    "commit.manifest-merge.enabled": "true",
    "commit.retry.num-retries": "0",  # who was overtaken compares numbers again
    "write.metadata.delete-after-commit.enabled": "true",
}


class IcebergSink:
    """See ``sink.Sink``."""

    def __init__(self, context: SinkContext) -> None:
        self.context = context
        self._namespace = context.settings[iceberg_catalog.NAMESPACE]

    def last(self, table: str) -> Position | None:
        if (loaded := self.table(table)) is None:
            return None
        properties = loaded.properties
        if _LAKE not in properties:
            raise foreign(self.context.lake, self.place(table), "does not follow a lake")
        if (folder := properties.get(_FOLDER)) != str(self.context.lake):
            raise foreign(self.context.lake, self.place(table), f"names files below {folder}")
        if (other := properties.get(_TABLE)) != table:
            raise _same_name(self.place(table), str(other))
        number = int(properties.get(_BATCH, "0"))
        snapshot = loaded.current_snapshot()
        if (snapshot is not None and _batch_of(snapshot) != number) or (snapshot is None and number):
            raise diverged(self.context.lake, self.place(table), f"is not at the snapshot of batch {number}")
        return Position(properties[_LAKE], number, int(properties.get(_FINGERPRINT, "0")))

    def commit(self, table: str, change: TableChange) -> int:
        footers = file_footers.read(self.context.lake, change.added)
        wanted = file_footers.union([footer.schema for footer in reversed(footers)]) if footers else None
        loaded = self.table(table)
        if loaded is None:
            loaded = self._created(table, wanted)
        elif (other := loaded.properties.get(_TABLE)) != table:  # made since it was looked for, by another thread
            raise _same_name(self.place(table), str(other))
        with loaded.transaction() as transaction:
            if wanted is not None:
                with transaction.update_schema() as update:
                    update.union_by_name(wanted)
            properties = {_BATCH: str(change.number), _FINGERPRINT: str(change.fingerprint)}
            transaction.set_properties(properties)
            self._put(transaction, loaded, change, self.place(table), properties)
        iceberg_expiry.expire_surplus(loaded)
        return sum(footer.rows for footer in footers)

    def _created(self, table: str, schema: Any) -> Table:
        from pyiceberg.exceptions import TableAlreadyExistsError

        context = self.context
        own = {_LAKE: context.lake_id, _FOLDER: str(context.lake), _TABLE: table}
        location = iceberg_catalog.table_location(context, self._name(table))
        try:
            return self._catalog.create_table(
                self._identifier(table), schema, location=location, properties={**_PROPERTIES, **own}
            )
        except TableAlreadyExistsError as err:  # since it was looked for, by another thread
            raise _same_name(self.place(table), "another URN") from err

    def files(self, table: str) -> frozenset[str]:
        if (loaded := self.table(table)) is None:
            return frozenset()
        return frozenset(self._within(file.file_path) for file in _data_files(loaded))

    def expire(self, tables: Iterable[str], number: int, before: datetime) -> int:
        """See ``Sink``. Snapshots that a branch or a tag names stay, and so do the files that they name."""
        for table in tables:
            if (loaded := self.table(table)) is None or (current := loaded.current_snapshot()) is None:
                continue
            iceberg_expiry.expire_before(loaded, before)
            left = [one for one in loaded.refresh().snapshots() if one.snapshot_id != current.snapshot_id]
            number = min([number, *(_batch_of(snapshot) for snapshot in left)])
        return number

    def place(self, table: str) -> str:
        return ".".join(self._identifier(table))

    def clear(self, tables: Iterable[str]) -> None:
        if not self.context.settings.get(iceberg_catalog.CATALOG):
            iceberg_catalog.remove(self.context.lake)
            self.__dict__.pop("_catalog", None)
            return
        for table in tables:
            if self.table(table) is not None:
                self._catalog.drop_table(self._identifier(table))

    def table(self, table: str) -> Table | None:
        """Return the table of a URN or of ``quarantine``, loaded now; None where there is none."""
        from pyiceberg.exceptions import NoSuchTableError

        try:
            return self._catalog.load_table(self._identifier(table))
        except NoSuchTableError:
            return None

    @cached_property
    def _catalog(self) -> Catalog:
        return iceberg_catalog.opened(self.context)

    def _identifier(self, table: str) -> tuple[str, str]:
        return self._namespace, self._name(table)

    def _name(self, table: str) -> str:
        return table if table == QUARANTINE else module_name(Urn.parse(table))

    def _address(self, name: str) -> str:
        return iceberg_catalog.address(self.context.lake / name)

    def _within(self, address: str) -> str:
        return address.removeprefix(self._address("") + "/")

    def _put(
        self, transaction: Transaction, loaded: Table, change: TableChange, place: str, properties: dict[str, str]
    ) -> None:
        """Add and remove the files of ``change`` in one snapshot."""
        added = [self._address(name) for name in change.added]
        if not change.removed:
            transaction.add_files(added, snapshot_properties=properties, check_duplicate_files=False)
            return
        from pyiceberg.io.pyarrow import parquet_files_to_data_files

        removed = {self._address(name) for name in change.removed}
        named = {file.file_path: file for file in _data_files(loaded)}
        if missing := sorted(removed - named.keys()):
            raise diverged(
                self.context.lake, place, f"does not have {self._within(missing[0])}, which is to be replaced"
            )
        with transaction.update_snapshot(snapshot_properties=properties).overwrite() as snapshot:
            for address in removed:
                snapshot.delete_data_file(named[address])
            for file in parquet_files_to_data_files(loaded.io, transaction.table_metadata, iter(added)):
                snapshot.append_data_file(file)


def _same_name(place: str, other: str) -> UsageError:
    return UsageError(
        f"{place} is the table of {other}: a catalog treats both names as one",
        fix="publish the lake to delta, which distinguishes them",
    )


def _batch_of(snapshot: Snapshot) -> int:
    """Return the batch that a snapshot was made for; 0 for one of another program."""
    return int((snapshot.summary and snapshot.summary.get(_BATCH)) or 0)


def _data_files(table: Table) -> Iterable[DataFile]:
    """Yield the files of the current snapshot."""
    snapshot = table.current_snapshot()
    for manifest in snapshot.manifests(table.io) if snapshot else ():
        for entry in manifest.fetch_manifest_entry(table.io, discard_deleted=True):
            yield entry.data_file
