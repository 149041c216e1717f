"""Delta tables that follow a lake, by ``deltalake`` and, where only files are added, by ``delta_log``.

The log of a table is in its own folder (``tables/orders/created/_delta_log``), so paths are relative and the lake can
be moved. The number of the batch is a ``txn`` action in the same commit. The library accepts a transaction twice
(delta-rs #2580), so numbers are compared before. It also accepts files with columns that the table lacks, and then
hides the columns; so the schema is widened first. A table whose files another program changed is refused.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

import orjson
import pyarrow as pa

from babelreg.lake.publish import delta_log
from babelreg.lake.publish.delta_log import Applications
from babelreg.lake.publish.sink import Position, SinkContext, diverged, foreign
from babelreg.lake.publish.table_changes import TableChange, folder_of
from babelreg.lake.storage import file_footers
from babelreg.lake.storage.file_footers import FileFooter

if TYPE_CHECKING:
    from deltalake import DeltaTable

_LAKE = "babelreg.lake"


class DeltaSink:
    """See ``sink.Sink``."""

    def __init__(self, context: SinkContext) -> None:
        self.context = context
        # Checkpoints of the log keep the versions of applications, so the fingerprint is one, too.
        application = f"babelreg-{context.lake_id}"
        self._applications = Applications(application, f"{application}-fingerprint")

    def last(self, table: str) -> Position | None:
        folder = self._folder(table)
        if (tail := delta_log.tail(folder, self._applications)) is not None:
            return Position(self.context.lake_id, tail.number, tail.fingerprint)
        if (delta := self._opened(table)) is None:
            return None
        lake = (delta.metadata().configuration or {}).get(_LAKE)
        if lake is None:
            raise foreign(self.context.lake, self.place(table), "does not follow a lake")
        if lake == self.context.lake_id:
            self._refuse_foreign(table)
        number, fingerprint = map(delta.transaction_version, self._applications)
        return Position(lake, number or 0, fingerprint or 0)

    def commit(self, table: str, change: TableChange) -> int:
        footers = file_footers.read(self.context.lake, change.added)
        rows = sum(footer.rows for footer in footers)
        schemas = [footer.schema for footer in reversed(footers)]
        adds = [self._add(table, footer, change) for footer in footers]
        if not change.removed and self._appended(table, change, schemas, adds):
            return rows
        delta = self._opened(table) or self._created(table, file_footers.union(schemas))
        if missing := sorted({*change.removed} - self._named(delta, table)) if change.removed else ():
            raise diverged(self.context.lake, self.place(table), f"does not have {missing[0]}, which is to be replaced")
        self._refuse_foreign(table)
        self._widen(delta, schemas)
        delta.create_write_transaction(
            [*map(_add_action, adds), *self._removes(table, change)],
            "append",
            delta.schema(),
            commit_properties=self._commit(change, self._columns(delta, schemas)),
        )
        return rows

    def _refuse_foreign(self, table: str) -> None:
        """Raise InputError for a table whose files another program changed since the newest commit of the lake."""
        if (change := delta_log.foreign_change(self._folder(table), self._applications)) is not None:
            version, operation = change
            raise diverged(
                self.context.lake,
                self.place(table),
                f"has version {version}, {operation}, which the lake did not commit",
            )

    def files(self, table: str) -> frozenset[str]:
        delta = self._opened(table)
        return frozenset() if delta is None else self._named(delta, table)

    def expire(self, tables: Iterable[str], number: int, before: datetime) -> int:
        """See ``Sink``. A version is readable until files are gone that it names, as after VACUUM."""
        return number

    def place(self, table: str) -> str:
        return str(self._folder(table))

    def clear(self, tables: Iterable[str]) -> None:
        for table in tables:
            log = self._folder(table) / delta_log.FOLDER
            if log.exists():
                # Half a log would be another table; a log of another name is none.
                removed = log.with_name(f"{delta_log.FOLDER}.removed")
                shutil.rmtree(removed, ignore_errors=True)
                log.rename(removed)
                shutil.rmtree(removed, ignore_errors=True)

    def _folder(self, table: str) -> Path:
        return self.context.lake / folder_of(table)

    def _opened(self, table: str) -> DeltaTable | None:
        from deltalake import DeltaTable

        folder = self._folder(table)
        return DeltaTable(folder.absolute().as_uri()) if delta_log.exists(folder) else None

    def _named(self, delta: DeltaTable, table: str) -> frozenset[str]:
        paths = pa.table(delta.get_add_actions())["path"].to_pylist()
        return frozenset(f"{folder_of(table)}/{unquote(path)}" for path in paths)

    def _appended(
        self, table: str, change: TableChange, schemas: Sequence[pa.Schema], adds: Sequence[delta_log.Action]
    ) -> bool:
        """Add files to a new table, or to one that stays as it is otherwise; return False where the library has to."""
        from deltalake import Schema

        folder, number = self._folder(table), change.number
        columns = file_footers.union(schemas)
        digest, batch = delta_log.digest(columns), self._applications.actions(number, change.fingerprint)
        if (tail := delta_log.tail(folder, self._applications)) is not None:
            return tail.columns == digest and delta_log.append(folder, tail, adds, batch, number)
        if delta_log.exists(folder):
            return False
        metadata = {
            "name": table,
            "schemaString": Schema.from_arrow(columns).to_json(),
            "configuration": self._configuration,
        }
        return delta_log.create(folder, metadata, adds, batch, number, digest)

    def _created(self, table: str, schema: pa.Schema) -> DeltaTable:
        """Make the table, empty: the library takes no property of ours together with the first files."""
        from deltalake import DeltaTable

        folder = self._folder(table)
        folder.mkdir(parents=True, exist_ok=True)
        return DeltaTable.create(
            folder.absolute().as_uri(),
            schema,
            name=table,
            configuration=self._configuration,
            raise_if_key_not_exists=False,
        )

    @property
    def _configuration(self) -> dict[str, str | None]:
        return {
            _LAKE: self.context.lake_id,
            "delta.deletedFileRetentionDuration": f"interval {self.context.keep_seconds} seconds",
        }

    def _columns(self, delta: DeltaTable, schemas: Sequence[pa.Schema]) -> str | None:
        """Return the digest of the columns of added files; None where the next commit needs the library as well."""
        protocol = delta.protocol()
        plain = (protocol.min_reader_version, protocol.min_writer_version) == delta_log.PLAIN_PROTOCOL
        return delta_log.digest(file_footers.union(schemas)) if plain and schemas else None

    def _widen(self, delta: DeltaTable, schemas: Sequence[pa.Schema]) -> None:
        """Add the columns that new files have and the table has not, in a commit of their own."""
        from deltalake import Schema

        known = pa.schema(delta.schema())
        if not schemas or file_footers.union([known, *schemas]).equals(known):
            return
        delta.alter.add_columns(Schema.from_arrow(file_footers.union([known, *schemas])).fields)
        delta.update_incremental()

    def _add(self, table: str, footer: FileFooter, change: TableChange) -> delta_log.Action:
        return {
            "add": {
                "path": quote(self._relative(table, footer.name), safe="/="),
                "partitionValues": {},
                "size": footer.size,
                "modificationTime": footer.modified_ms,
                "dataChange": not change.rewrites,
                "stats": orjson.dumps(file_footers.statistics(footer)).decode(),
            }
        }

    def _removes(self, table: str, change: TableChange) -> list[Any]:
        from deltalake.transaction import RemoveAction

        now = int(time.time() * 1000)
        return [RemoveAction(self._relative(table, name), not change.rewrites, now) for name in change.removed]

    def _relative(self, table: str, name: str) -> str:
        return name.removeprefix(f"{folder_of(table)}/")

    def _commit(self, change: TableChange, columns: str | None) -> Any:
        from deltalake.transaction import CommitProperties, Transaction

        own = {delta_log.BATCH: str(change.number), delta_log.COLUMNS: columns}
        versions = (change.number, change.fingerprint)
        return CommitProperties(
            custom_metadata={name: value for name, value in own.items() if value is not None},
            max_commit_retries=0,
            app_transactions=[Transaction(*one) for one in zip(self._applications, versions, strict=True)],
        )


def _add_action(action: delta_log.Action) -> Any:
    from deltalake.transaction import AddAction

    add = action["add"]
    path = unquote(add["path"])
    return AddAction(path, add["size"], {}, add["modificationTime"], add["dataChange"], add["stats"])
