"""Delta tables that follow a lake, by ``deltalake``.

The log of a table is in its own folder (``tables/orders/created/_delta_log``), so paths are relative and the lake can
be moved. The number of the batch is a ``txn`` action in the same commit. The library accepts a transaction twice
(delta-rs #2580), so numbers are compared before. It also accepts files with columns that the table lacks, and then
hides the columns; so the schema is widened first.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import orjson
import pyarrow as pa

from babelreg.lake.publish.sink import Position, SinkContext, diverged, foreign
from babelreg.lake.publish.table_changes import TableChange, folder_of
from babelreg.lake.storage import file_footers
from babelreg.lake.storage.file_footers import FileFooter

if TYPE_CHECKING:
    from deltalake import DeltaTable

_LOG = "_delta_log"
_LAKE = "babelreg.lake"


class DeltaSink:
    """See ``sink.Sink``."""

    def __init__(self, context: SinkContext) -> None:
        self._context = context
        self._application = f"babelreg-{context.lake_id}"

    def last(self, table: str) -> Position | None:
        if (delta := self._opened(table)) is None:
            return None
        lake = (delta.metadata().configuration or {}).get(_LAKE)
        if lake is None:
            raise foreign(self.place(table), "does not follow a lake")
        number = delta.transaction_version(self._application)
        fingerprint = delta.transaction_version(self._fingerprints)
        return Position(lake, number or 0, fingerprint or 0)

    def commit(self, table: str, change: TableChange) -> int:
        footers = file_footers.read(self._context.lake, change.added)
        adds = [self._add(table, footer, change) for footer in footers]
        schemas = [footer.schema for footer in reversed(footers)]
        delta = self._opened(table) or self._created(table, file_footers.union(schemas))
        if missing := sorted({*change.removed} - self._named(delta, table)) if change.removed else ():
            raise diverged(self.place(table), f"does not have {missing[0]}, which is to be replaced")
        self._widen(delta, schemas)
        delta.create_write_transaction(
            [*adds, *self._removes(table, change)], "append", delta.schema(), commit_properties=self._commit(change)
        )
        return sum(footer.rows for footer in footers)

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
            log = self._folder(table) / _LOG
            if log.exists():
                # Half a log would be another table; a log of another name is none.
                removed = log.with_name(f"{_LOG}.removed")
                shutil.rmtree(removed, ignore_errors=True)
                log.rename(removed)
                shutil.rmtree(removed, ignore_errors=True)

    @property
    def _fingerprints(self) -> str:
        """The application whose version is the fingerprint of the batch; checkpoints of the log keep it."""
        return f"{self._application}-fingerprint"

    def _folder(self, table: str) -> Path:
        return self._context.lake / folder_of(table)

    def _opened(self, table: str) -> DeltaTable | None:
        from deltalake import DeltaTable

        folder = self._folder(table)
        exists = (folder / _LOG).is_dir() and any((folder / _LOG).iterdir())
        return DeltaTable(folder.absolute().as_uri()) if exists else None

    def _named(self, delta: DeltaTable, table: str) -> frozenset[str]:
        paths = pa.table(delta.get_add_actions())["path"].to_pylist()
        return frozenset(f"{folder_of(table)}/{unquote(path)}" for path in paths)

    def _created(self, table: str, schema: pa.Schema) -> DeltaTable:
        """Make the table, empty: the library takes no property of ours together with the first files."""
        from deltalake import DeltaTable

        folder = self._folder(table)
        folder.mkdir(parents=True, exist_ok=True)
        configuration: dict[str, str | None] = {
            _LAKE: self._context.lake_id,
            "delta.deletedFileRetentionDuration": f"interval {self._context.keep_seconds} seconds",
        }
        return DeltaTable.create(
            folder.absolute().as_uri(), schema, name=table, configuration=configuration, raise_if_key_not_exists=False
        )

    def _widen(self, delta: DeltaTable, schemas: Sequence[pa.Schema]) -> None:
        """Add the columns that new files have and the table has not, in a commit of their own."""
        from deltalake import Schema

        known = pa.schema(delta.schema())
        if not schemas or file_footers.union([known, *schemas]).equals(known):
            return
        delta.alter.add_columns(Schema.from_arrow(file_footers.union([known, *schemas])).fields)
        delta.update_incremental()

    def _add(self, table: str, footer: FileFooter, change: TableChange) -> Any:
        from deltalake.transaction import AddAction

        return AddAction(
            self._relative(table, footer.name),
            footer.size,
            {},
            footer.modified_ms,
            not change.rewrites,
            orjson.dumps(file_footers.statistics(footer)).decode(),
        )

    def _removes(self, table: str, change: TableChange) -> list[Any]:
        from deltalake.transaction import RemoveAction

        now = int(time.time() * 1000)
        return [RemoveAction(self._relative(table, name), not change.rewrites, now) for name in change.removed]

    def _relative(self, table: str, name: str) -> str:
        return name.removeprefix(f"{folder_of(table)}/")

    def _commit(self, change: TableChange) -> Any:
        from deltalake.transaction import CommitProperties, Transaction

        return CommitProperties(
            custom_metadata={"babelreg.batch": str(change.number)},
            max_commit_retries=0,
            app_transactions=[
                Transaction(self._application, change.number),
                Transaction(self._fingerprints, change.fingerprint),
            ],
        )
