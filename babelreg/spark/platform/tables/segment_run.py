"""One batch whose messages are validated into segments, from which one job writes the files of all tables.

The order of commits and what a repeated batch does are those of ``batch_run``. The job that writes files comes after
the digests; its files are part of no table until the commits of step 4. A table that already has the batch is left out
of it. Tables that ``DirectTables`` cannot write, as those with a mapping of columns, are written by Spark's writer from
the same segments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from operator import xor
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.lake.ingest.quarantine import CONFLICT as ID_CONFLICT
from babelreg.lake.ingest.quarantine import TAKEN
from babelreg.lake.tasks.message_segments import SegmentPass
from babelreg.lake.tasks.segment_files import FILE_SCHEMA, RepeatedMessages, SegmentFiles, TableFolder, UnpackedSegments
from babelreg.lake.tasks.segment_format import DIGEST, MESSAGE, REFUSED_TABLE, SEGMENT_SCHEMA, TABLE, SegmentColumns
from babelreg.spark.platform import transport_headers
from babelreg.spark.platform.formats import table_layout
from babelreg.spark.platform.formats.direct_tables import DirectTables, WrittenFile, WrittenFiles
from babelreg.spark.platform.formats.schema_evolution import lacks
from babelreg.spark.platform.formats.session_threads import in_threads
from babelreg.spark.platform.formats.table_names import QUARANTINE, table_name
from babelreg.spark.platform.tables import batch_frame
from babelreg.spark.platform.tables.batch_counts import CountRow
from babelreg.spark.platform.tables.batch_log import BegunBatch
from babelreg.spark.platform.tables.batch_run import ROWS_A_FILE, BatchRun, Tally
from babelreg.spark.platform.tables.repeats import CONFLICT, RepeatSearch
from babelreg.spark.platform.worker_function import batch_function

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

_FILE_BYTES = 256 * 1024 * 1024
"""Arrow data of one file, which a task has in memory."""

_IDS = (MESSAGE, DIGEST, TABLE, "urn", "message_id", "created_at", "data_json", "reason")
_OTHERS = ("trace_id", "lang", "queue", "attempts", "pointer", "detail", "body")
_TYPES = {MESSAGE: "long", DIGEST: "long", TABLE: "integer", "created_at": "timestamp", "attempts": "long"}
_SQL = {"int32": "int", "int64": "long", "string": "string", "binary": "binary", "date32[day]": "date"}


class SegmentRun(BatchRun):
    """See ``BatchRun``."""

    def _validated(self, frame: DataFrame, urns: tuple[str, ...]) -> DataFrame:
        from pyspark import StorageLevel

        given = self._given
        columns = SegmentColumns(
            given.position,
            given.wire,
            not self._keep_duplicates,
            given.headers,
            (transport_headers.REASON, transport_headers.DETAIL),
        )
        unread = batch_frame.unread(frame, given, columns)
        made = unread.mapInArrow(batch_function(SegmentPass(self._spec, columns)), _ddl(SEGMENT_SCHEMA))
        self._segments = made.persist(StorageLevel.MEMORY_AND_DISK)
        self._sizes: dict[int, tuple[int, int]] = {}
        return self._unpacked((*_IDS, *_OTHERS, *batch_frame.sent_name(self._spec)))

    def close(self) -> None:
        """Free the messages."""
        self._close_search()
        self._segments.unpersist()

    def tally(self) -> Tally:
        """Validate the messages and count them."""
        from pyspark.sql import functions as F

        sums = [F.sum(name).alias(name) for name in ("rows", "size", "ids")]
        others = [F.bit_xor("digest").alias("x"), F.collect_set("day").alias("days")]
        grouped = self._segments.groupBy("table", "reason", (F.col("size") > 0).alias("is_segment"))
        counted = grouped.agg(*sums, *others).collect()
        self._sizes = {row["table"]: (row["rows"], row["size"]) for row in counted if row["is_segment"]}
        counts = [row for row in counted if not row["is_segment"]]
        rows = {(row["table"], row["reason"]): row["rows"] for row in counts}
        days = {day for row in counts for day in row["days"]}
        digest = reduce(xor, (row["x"] for row in counts), 0)
        return Tally(rows, digest, tuple(sorted(days)), sum(row["ids"] for row in counts))

    def _of_ids(self) -> DataFrame:
        return self._unpacked(_IDS)

    def _written(self, tally: Tally, begun: BegunBatch, search: RepeatSearch | None) -> list[CountRow]:
        repeated = {} if search is None else search.counts
        wanted = self.table_rows(tally, repeated)
        folders = self._folders(list(wanted))
        lacking = {n: f for n, f in folders.items() if not self._direct.holds(self._name(n), self._key)}
        files = self._files(lacking, search) if lacking else {}
        jobs: list[tuple[int, Callable[[], None]]] = []
        for number, count in wanted.items():
            name = self._name(number)
            if number not in folders:
                rows = self._refused(search) if number is None else self._rows(number, search)
                jobs.append((count, partial(self.append, rows, name, begun, count)))
            elif number in lacking:
                written = WrittenFiles(Path(folders[number].path), files.get(number, ()))
                if (rows_written := sum(file["rows"] for file in written.files)) != count:
                    raise RuntimeError(f"{count} rows of {name} were to be written and {rows_written} were")
                jobs.append((count, partial(self.append, written, name, begun)))
        in_threads(self._tables.spark, [job for _, job in sorted(jobs, key=lambda job: -job[0])])
        return self.count_rows(tally, repeated)

    @property
    def _direct(self) -> DirectTables:
        assert self._tables.direct is not None
        return self._tables.direct

    def _name(self, number: int | None) -> str:
        return QUARANTINE if number is None else table_name(self._spec.urns[number])

    def _folders(self, numbers: Sequence[int | None]) -> dict[int | None, TableFolder]:
        """Return the folders of those tables that can be written directly."""
        asked = [partial(self._folder, number) for number in numbers]
        found = dict(zip(numbers, in_threads(self._tables.spark, asked), strict=True))
        return {number: folder for number, folder in found.items() if folder is not None}

    def _folder(self, number: int | None) -> TableFolder | None:
        name = self._name(number)
        if not self._tables.created_directly(name):
            return None
        day = None if number is None else table_layout.CREATED_DAY
        path = self._direct.folder(name, day)
        if path is None:
            return None
        if number is None:
            layout = table_layout.quarantine_layout(self.position_fields())
            constants = {"application": self._key.application, "batch": self._key.batch}
        else:
            layout = self.rows_layout(number, "", self.position_fields())
            constants = {}
        if lacks(self._tables.known[name], layout):  # a column of the same name in another case
            return None
        names = tuple(column["name"] for column in layout.fields)
        return TableFolder(str(path), names, constants, None if number is None else "created_at", day)

    def _files(
        self, folders: Mapping[int | None, TableFolder], search: RepeatSearch | None
    ) -> dict[int | None, list[WrittenFile]]:
        """Write the files of all ``folders`` in one job; return them by table."""
        from pyspark.sql import functions as F

        repeated = None if search is None else _repeated(search)
        by_table = {REFUSED_TABLE if number is None else number: folder for number, folder in folders.items()}
        every = repeated is not None and len(repeated.conflicts) > 0 and REFUSED_TABLE in by_table
        sizes = {table: size for table, size in self._sizes.items() if every or table in by_table}
        first, count, tasks = self._divided(sizes)
        selected = self._segments.where((F.col("size") > 0) & F.col("table").isin(list(sizes)))
        file = _looked_up(first, F.col("table")) + F.pmod(
            F.monotonically_increasing_id(), _looked_up(count, F.col("table"))
        ).cast("int")
        divided = selected.select(file.alias("file"), "table", "segment")
        moved = divided.repartitionById(max(tasks.values()) + 1, _looked_up(tasks, F.col("file")))
        write = batch_function(SegmentFiles(by_table, repeated))
        rows = moved.sortWithinPartitions("file").mapInArrow(write, _ddl(FILE_SCHEMA)).collect()
        files: dict[int | None, list[WrittenFile]] = {}
        for row in rows:
            files.setdefault(None if row["table"] == REFUSED_TABLE else row["table"], []).append(row.asDict())
        return files

    def _divided(self, sizes: Mapping[int, tuple[int, int]]) -> tuple[dict[int, int], dict[int, int], dict[int, int]]:
        """Return the first file and the number of files of each table, and the task that writes each file."""
        first: dict[int, int] = {}
        count: dict[int, int] = {}
        bytes_of: list[int] = []
        for table, (rows, size) in sizes.items():
            first[table], count[table] = len(bytes_of), max(-(-rows // ROWS_A_FILE), -(-size // _FILE_BYTES), 1)
            bytes_of += [size // count[table]] * count[table]
        loads = [0] * min(len(bytes_of), self._tables.spark.sparkContext.defaultParallelism)
        tasks: dict[int, int] = {}
        for file in sorted(range(len(bytes_of)), key=lambda file: -bytes_of[file]):
            tasks[file] = loads.index(min(loads))
            loads[tasks[file]] += bytes_of[file]
        return first, count, tasks

    def _unpacked(self, names: Sequence[str]) -> DataFrame:
        """Return these columns of all messages, and the position: the frame of the batch without typed data."""
        import pyarrow as pa
        from pyspark.sql import functions as F
        from pyspark.sql.types import StructType

        types = {
            "long": pa.int64(),
            "integer": pa.int32(),
            "timestamp": pa.timestamp("us", "UTC"),
            "binary": pa.binary(),
        }
        spelled = {name: "binary" if name == "body" else _TYPES.get(name, "string") for name in names}
        schema = pa.schema([(name, types.get(type_, pa.string())) for name, type_ in spelled.items()])
        fields = StructType()
        for name, type_ in spelled.items():
            fields = fields.add(name, type_)
        packed = self._segments.where(F.col("size") > 0).select("table", "segment")
        unpack = batch_function(UnpackedSegments(schema, self._given.position))
        return packed.mapInArrow(unpack, StructType([*fields.fields, *self._position]))


def _repeated(search: RepeatSearch) -> RepeatedMessages | None:
    """Return the repeated messages that a search found."""
    import pyarrow.compute as pc

    if not search.counts:
        return None
    rows = search.repeated
    conflicting = pc.equal(rows["outcome"], CONFLICT)
    members = {"reason": ID_CONFLICT, "pointer": "/meta/id", "detail": TAKEN}
    return RepeatedMessages(
        rows[MESSAGE].filter(pc.invert(conflicting)).combine_chunks(),
        rows[MESSAGE].filter(conflicting).combine_chunks(),
        members,
    )


def _looked_up(values: Mapping[int, int], key: Column) -> Column:
    from pyspark.sql import functions as F

    return F.element_at(F.create_map(*(F.lit(n) for pair in values.items() for n in pair)), key)


def _ddl(schema: pa.Schema) -> str:
    return ", ".join(f"`{field.name}` {_SQL[str(field.type)]}" for field in schema)
