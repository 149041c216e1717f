"""Delta tables in local folders: their files come from the tasks, and the driver commits them by ``deltalake``.

A write of Spark plans, schedules and commits in several jobs for each table, however few rows it has. Here one job
writes the files of all tables, and a commit is one small file of the log. It records the application and the number of
the batch as Spark's writer does, so that both may take turns at a table.

The library accepts a number twice (delta-rs #2580), so it is compared before; a commit of another writer in between is
a conflict, after which it is compared again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelreg.lake.tasks.segment_files import TableFolder, write_file
from babelreg.spark.platform.formats import delta_table
from babelreg.spark.platform.formats.batch_key import BatchKey, is_connect
from babelreg.spark.platform.formats.table_format import StorageFormat, StoredTable
from babelreg.spark.platform.formats.table_layout import TableLayout
from babelreg.spark.platform.formats.table_names import TablePlace

if TYPE_CHECKING:
    from datetime import date

    import pyarrow as pa
    from deltalake import DeltaTable
    from pyarrow import dataset
    from pyspark.sql import DataFrame, SparkSession

WrittenFile = Mapping[str, Any]
"""A row of ``segment_files.FILE_SCHEMA``."""

_FEATURES = {"appendOnly", "invariants", "timestampNtz"}
"""Features of a table that an append by file names satisfies."""

_MAPPING = "delta.columnMapping.mode"
_ATTEMPTS = 5


@dataclass(frozen=True)
class WrittenFiles:
    """Files of a table that wait for their commit. ``folder`` is the table's."""

    folder: Path
    files: Sequence[WrittenFile]

    def remove(self) -> None:
        """Remove the files: the table has their rows."""
        for file in self.files:
            (self.folder / file["path"]).unlink(missing_ok=True)


class DirectTables:
    """The tables at a place that can be written without Spark's writer; kept from batch to batch."""

    def __init__(self, spark: SparkSession, place: TablePlace) -> None:
        self._spark, self._place = spark, place
        self._folders: dict[str, Path] = {}
        self._opened: dict[str, DeltaTable] = {}

    @classmethod
    def of(cls, frame: DataFrame, format: StorageFormat, place: TablePlace) -> DirectTables | None:
        """Return the tables at ``place``, or None where Spark's writer is needed for all of them."""
        if format is not delta_table or is_connect(frame) or find_spec("deltalake") is None:
            return None
        spark = frame.sparkSession
        if place.is_folder and _local(place.at, _default_file_system(spark)) is None:
            return None
        return cls(spark, place)

    def takes(self, layout: TableLayout) -> bool:
        """Return whether a table with this layout can be written to when it exists."""
        return _MAPPING not in layout.properties

    def is_missing(self, name: str) -> bool:
        """Return whether there is certainly no table of this name."""
        return self._place.is_folder and not (self._in_folder(name) / "_delta_log").exists()

    def create(self, layout: TableLayout) -> bool:
        """Create the table without rows. Return False if there is one, or if Spark has to create it."""
        from deltalake import DeltaTable, Schema
        from deltalake.exceptions import DeltaError

        if not self._place.is_folder or not self.takes(layout):
            return False
        folder = self._in_folder(layout.name)
        folder.mkdir(parents=True, exist_ok=True)
        properties: dict[str, str | None] = {k: v for k, v in layout.all_properties.items() if k != "comment"}
        try:
            self._opened[layout.name] = DeltaTable.create(
                folder.as_uri(),
                Schema.from_json(json.dumps(layout.schema)),
                partition_by=[layout.partition] if layout.partition else None,
                description=layout.comment,
                configuration=properties,
                raise_if_key_not_exists=False,
            )
        except DeltaError:
            return False
        self._folders[layout.name] = folder
        return True

    def stored(self, name: str) -> StoredTable | None:
        """Return a table in the folder of a place; None where it needs Spark, or does not exist."""
        from pyspark.sql.types import StructType

        delta = self._plain(name) if self._place.is_folder else None
        if delta is None:
            return None
        schema = StructType.fromJson(json.loads(delta.schema().to_json()))
        return StoredTable(schema, delta.metadata().configuration)

    def dataset(self, name: str) -> dataset.Dataset | None:
        """Return the rows of a table in the folder of a place; None where it needs Spark, or does not exist."""
        delta = self._plain(name) if self._place.is_folder else None
        return None if delta is None else delta.to_pyarrow_dataset()

    def file_counts(self, name: str, column: str) -> Mapping[date, int] | None:
        """Return the number of files of each day, by partition ``column``; None where the table needs Spark."""
        delta = self._plain(name) if self._place.is_folder else None
        if delta is None or delta.metadata().partition_columns != [column]:
            return None
        return delta_table.counted_by_day(delta.file_uris(), column)

    def folder(self, name: str, partition: str | None) -> Path | None:
        """Return the folder of a table that exists, None where it needs Spark's writer; its log is read.

        ``partition`` is the column by which it should be partitioned.
        """
        delta = self._plain(name)
        if delta is None or delta.metadata().partition_columns != ([partition] if partition else []):
            return None
        return self._folders[name]

    def _plain(self, name: str) -> DeltaTable | None:
        """Return a table that exists, with what was committed until now; None where it needs Spark."""
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError

        folder = self._folders.get(name) or self._found(name)
        if folder is None:
            return None
        try:
            if name in self._opened:
                self._opened[name].update_incremental()
            else:
                self._opened[name] = DeltaTable(folder.as_uri())
            delta = self._opened[name]
            if not _is_plain(delta):
                return None
        except DeltaError:  # a table of features that the library does not read
            self._opened.pop(name, None)
            return None
        self._folders[name] = folder
        return delta

    def append(self, name: str, rows: pa.Table, key: BatchKey) -> bool:
        """Write and commit a file of ``rows``; return False where the table needs Spark's writer."""
        folder = self.folder(name, None)
        if folder is None:
            return False
        if not self.holds(name, key):
            file = write_file(TableFolder(str(folder), tuple(rows.column_names)), None, rows, [])
            self.commit(name, WrittenFiles(folder, [file]), key)
        return True

    def holds(self, name: str, key: BatchKey) -> bool:
        """Return whether a table, whose ``folder`` was asked, has the rows of a batch or of a later one."""
        last = self._opened[name].transaction_version(key.application)
        return last is not None and last >= key.batch

    def commit(self, name: str, written: WrittenFiles, key: BatchKey) -> None:
        """Make files rows of a table and record their batch, in one transaction, unless the table has the batch.

        After an error it is not known whose commit the table has: the files stay, and are the table's or nobody's.
        """
        from deltalake.exceptions import CommitFailedError
        from deltalake.transaction import CommitProperties, Transaction

        delta = self._opened[name]
        transaction = CommitProperties(app_transactions=[Transaction(key.application, key.batch)], max_commit_retries=0)
        partitions = delta.metadata().partition_columns
        for attempt in range(_ATTEMPTS):
            if self.holds(name, key):
                if attempt == 0:
                    written.remove()
                return
            # Hadoop's sum of the pointer to a checkpoint, which the library may write anew and Hadoop would refuse.
            (written.folder / "_delta_log" / "._last_checkpoint.crc").unlink(missing_ok=True)
            try:
                delta.create_write_transaction(
                    [_add(file, partitions) for file in written.files],
                    "append",
                    delta.schema(),
                    partition_by=partitions,
                    commit_properties=transaction,
                )
                return
            except CommitFailedError:
                if attempt == _ATTEMPTS - 1:
                    raise
                delta.update_incremental()

    def _in_folder(self, name: str) -> Path:
        path = _local(self._place.at, _default_file_system(self._spark))
        assert path is not None
        return path / name

    def _found(self, name: str) -> Path | None:
        """Return the folder of a table, if it is local."""
        if self._place.is_folder:
            return self._in_folder(name)
        address = delta_table.address(self._place, name)
        rows = self._spark.sql(f"DESCRIBE TABLE EXTENDED {address}").where("col_name = 'Location'").collect()
        return _local(rows[0]["data_type"], "") if rows else None


def _is_plain(delta: DeltaTable) -> bool:
    """Return whether the table is as babelreg creates it: an append needs no more than the names of files."""
    protocol, metadata = delta.protocol(), delta.metadata()
    features = {*(protocol.reader_features or ()), *(protocol.writer_features or ())}
    versions_known = (protocol.min_reader_version, protocol.min_writer_version) in ((1, 1), (1, 2))
    columns = json.loads(delta.schema().to_json())
    return (
        (versions_known or (protocol.min_writer_version == 7 and features <= _FEATURES))
        and metadata.configuration.get(_MAPPING, "none") == "none"
        and all(column["nullable"] and "delta.invariants" not in column["metadata"] for column in columns["fields"])
    )


def _add(file: WrittenFile, partitions: Sequence[str]) -> Any:
    from deltalake.transaction import AddAction

    values = dict.fromkeys(partitions, file["day"])
    return AddAction(file["path"], file["size"], values, file["modified_ms"], True, file["statistics"])


def _default_file_system(spark: SparkSession) -> str:
    """Return the address of the file system of paths without one."""
    session: Any = spark
    return str(session._jsparkSession.sessionState().newHadoopConf().get("fs.defaultFS"))


def _local(address: str, default: str) -> Path | None:
    """Return the folder at an address of Hadoop, None if it is not local."""
    if "%" in address:  # which the library decodes twice
        return None
    if address.startswith("/"):
        return Path(address) if default.startswith("file:") else None
    if not address.startswith("file:/"):
        return None
    path = address.removeprefix("file:")
    return Path("/" + path.lstrip("/")) if not path.startswith("//") or path.startswith("///") else None
