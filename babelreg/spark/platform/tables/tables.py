"""Batches of messages into Delta or Iceberg tables, exactly once: one table a URN, quarantine, counts.

``foreach_batch`` is for ``writeStream.foreachBatch``, ``write`` for batch jobs. What happens at which commit, and why a
killed batch loses nothing and writes nothing twice, is in ``batch_run``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from babelreg.errors import InputError, UsageError
from babelreg.gen.targets.spark.views import comment
from babelreg.lake.ingest.schema_check import spec_of
from babelreg.lake.ingest.summary import BatchHeld
from babelreg.lake.ingest.thresholds import exceeded, thresholds_of
from babelreg.lake.tasks.validation_spec import ValidationSpec
from babelreg.model import Registry
from babelreg.model.thresholds import ThresholdsLike
from babelreg.spark.platform import frame_columns, transport_headers
from babelreg.spark.platform.formats import delta_table, iceberg_table, table_layout
from babelreg.spark.platform.formats.batch_key import BatchKey, query_id
from babelreg.spark.platform.formats.direct_tables import DirectTables
from babelreg.spark.platform.formats.driver_rows import DriverRows
from babelreg.spark.platform.formats.table_format import StorageFormat, StoredTable
from babelreg.spark.platform.formats.table_names import BATCHES, COUNTS, DIGESTS, TablePlace, table_name
from babelreg.spark.platform.formats.table_set import TableSet
from babelreg.spark.platform.tables import batch_frame, batch_log
from babelreg.spark.platform.tables.batch_counts import BatchCounts, CountRow, urn_counts
from babelreg.spark.platform.tables.batch_frame import BatchInput
from babelreg.spark.platform.tables.batch_log import BatchLog, BegunBatch
from babelreg.spark.platform.tables.batch_run import BatchRun, Tally
from babelreg.spark.platform.tables.catalog_views import create_views
from babelreg.spark.platform.tables.compaction import compact_days
from babelreg.spark.platform.tables.segment_run import SegmentRun
from babelreg.spark.session.spark_errors import worker_setup_error
from babelreg.wire.format import NATIVE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FORMATS: dict[str, StorageFormat] = {"delta": delta_table, "iceberg": iceberg_table}


class Tables:
    """Tables of all URNs of a registry, in one schema or folder.

    ``to`` is the format, ``at`` a schema (``catalog.schema``) or, for Delta, a folder. ``body`` is the column of
    messages, string or binary; ``position`` names the columns that say where a message came from, which tables keep.
    They must tell messages apart, unless duplicates are kept: of one id, the first message by position is accepted.
    ``headers`` is the column of these that has the transport headers, as Kafka's ``headers`` (see
    ``transport_headers``); of messages of a foreign ``wire`` that reads headers, it need not be one of these.
    ``application`` names the writer where it is not a streaming query of this process.
    ``on_batch`` is called with the counts of each batch.

    ``fail_above`` and ``hold_above`` are shares of quarantined messages, as for ``ingest``. A batch above the first is
    written, and ``BatchCounts.exceeded`` says so. Above the second, BatchHeld is raised before anything is written: a
    streaming query stops, and its next run reads the batch again. A duplicate counts as accepted there.

    Raises UsageError and RegistryError for what cannot be written.
    """

    def __init__(
        self,
        registry: Registry,
        to: str,
        at: str,
        *,
        body: str = "value",
        position: Sequence[str] = (),
        application: str | None = None,
        keep_duplicates: bool = False,
        wire: str = NATIVE,
        received_at: str | None = None,
        headers: str | None = None,
        on_batch: Callable[[BatchCounts], None] | None = None,
        fail_above: ThresholdsLike = None,
        hold_above: ThresholdsLike = None,
    ) -> None:
        if to not in FORMATS:
            raise UsageError(f"there is no table format {to!r}", fix=f"to= one of: {', '.join(FORMATS)}")
        if wire != NATIVE and received_at is None:
            raise UsageError(f"some messages of {wire} have no time", fix="received_at='a column of timestamps'")
        self._to, self._place = to, TablePlace.of(at)
        self._spec = batch_frame.portable_spec(spec_of(registry, digests=False))
        self._check_names()
        self._failing, self._holding = thresholds_of(registry, fail_above, hold_above)
        self._known_urns = frozenset(registry.by_urn)
        self._messages = {urn: registry.by_urn[urn] for urn in self._spec.urns}
        frame_columns.check_position(
            position, table_layout.column_names(aliased=bool(self._spec.aliases)) | self._known_urns
        )
        self._given = _input(body, position, wire, received_at, headers)
        self._packed_headers = None if wire == NATIVE else headers
        self._application, self._keep_duplicates, self._on_batch = application, keep_duplicates, on_batch
        self._frequent: tuple[str, ...] = ()
        self._known: dict[str, StoredTable] = {}
        self._last: BatchKey | None = None
        self._direct: DirectTables | None = None
        self._logged = False

    def foreach_batch(self, frame: DataFrame, batch_id: int) -> None:
        """Write one micro-batch: ``df.writeStream.foreachBatch(tables.foreach_batch)``.

        The application is the id of the query, from its checkpoint, unless one was given.
        """
        self._write(frame, BatchKey(self._application or query_id(frame), batch_id))

    def write(self, frame: DataFrame, *, application: str | None = None, batch: int | None = None) -> BatchCounts:
        """Write a frame of messages as batch ``batch`` of ``application``, with ascending numbers; return its counts.

        A batch is written only once, however often this is called; it must have the same messages each time.
        """
        name = application or self._application
        if name is None or batch is None:
            lacking = "an application" if name is None else "the number of the batch"
            raise UsageError(
                f"write() needs {lacking}: by application and number, tables recognise a repeated job and"
                " distinguish it from another one",
                fix="write(df, application='nightly', batch=20261122), with a greater number for the next batch",
            )
        return self._write(frame, BatchKey(name, batch))

    def create_views(self, spark: SparkSession, schema: str | None = None) -> tuple[str, ...]:
        """Create or replace the permanent views of all tables; return their names in SQL.

        ``schema`` is their schema, by default that of the tables; for tables in a folder it is required. New columns of
        the registry are added to the tables first. Call it again after a change of the registry. Warns of an ``upcast``
        that SQL cannot express: its message has no view of all versions.
        """
        if schema is None and self._place.is_folder:
            raise UsageError(
                "the tables are in a folder, which cannot contain views", fix="schema='spark_catalog.default'"
            )
        place = self._place if schema is None else TablePlace.of(schema)
        if place.is_folder:
            raise UsageError(f"{schema!r} is a folder, not a schema", fix="schema='spark_catalog.default'")
        tables = TableSet(spark, FORMATS[self._to], self._place)
        tables.format.check_session(spark, self._place)
        structs = dict(zip(self._spec.urns, self._spec.columns, strict=True))
        return create_views(tables, {urn: (self._messages[urn], struct) for urn, struct in structs.items()}, place)

    def _write(self, frame: DataFrame, key: BatchKey) -> BatchCounts:
        if not (self._given.position or self._keep_duplicates):
            raise UsageError(
                "repeated messages are removed, and the first by position is kept, but no position is given",
                fix="position=['topic', 'partition', 'offset'], or other unique columns; or keep_duplicates=True",
            )
        frame_columns.kept(frame, self._given.body, self._given.position, ())
        if self._packed_headers is not None:
            message = transport_headers.with_message(frame, self._given.wire, self._given.body, self._packed_headers)
            frame = frame.withColumn(self._given.body, message)
        tables = TableSet(frame.sparkSession, FORMATS[self._to], self._place, self._known)
        tables.direct = self._direct_tables(frame)
        try:
            log = self._open(tables)
            earlier = None if self._follows(key) else log.earlier(key)
            counts = self._written(frame, key, tables, log, earlier)
        except BaseException as err:
            # Tables may not be as they were found, and the batch may be finished or not.
            self._known, self._last, self._direct = {}, None, None
            if isinstance(err, Exception) and (error := worker_setup_error(err)) is not None:
                raise error from err
            raise
        self._last = key
        self._frequent = tuple(urn for urn, _ in sorted(counts.tables.items(), key=lambda pair: -pair[1]))
        if self._on_batch is not None:
            self._on_batch(counts)
        return counts

    def _direct_tables(self, frame: DataFrame) -> DirectTables | None:
        if self._direct is None:
            self._direct = DirectTables.of(frame, FORMATS[self._to], self._place)
        return self._direct

    def _written(
        self, frame: DataFrame, key: BatchKey, tables: TableSet, log: BatchLog, earlier: BegunBatch | None
    ) -> BatchCounts:
        spec = self._spec if earlier is None else self._begun_spec(log, earlier)
        finished = earlier is not None and earlier.finished
        urns = () if finished else self._typed_urns(spec)
        make = BatchRun if tables.direct is None else SegmentRun
        run = make(tables, spec, self._given, key, frame, urns=urns, keep_duplicates=self._keep_duplicates)
        try:
            tally = run.tally()
            if earlier is not None:
                batch_log.check_same(earlier, tally.messages, tally.digest)
            if finished or not tally.messages:
                tables.create_new()  # a stream records its source at the log
                return BatchCounts(key.application, key.batch, repeated=finished)
            if earlier is None and (too_many := exceeded(self._holding, urn_counts(run.count_rows(tally)))):
                raise BatchHeld(too_many)
            run.search(tally)
            layouts = tables.check(run.layouts(tally, self._descriptions()))
            tables.prepare(layouts, filled=run.filled(tally))
            begun = earlier or self._begin(tables, log, key, tally, [layout.name for layout in layouts])
            rows = run.write(tally, begun)
            run.append(_counts_rows(key, rows), COUNTS, begun)
            compact_days(tables, DIGESTS, "day", tally.days)
            above = exceeded(self._failing, urn_counts(rows))
            return BatchCounts(key.application, key.batch, tuple(rows), exceeded=above)
        finally:
            run.close()

    def _follows(self, key: BatchKey) -> bool:
        """Return whether the batch comes after the last one that this object finished: the log need not be read."""
        return self._last is not None and self._last.application == key.application and self._last.batch < key.batch

    def _open(self, tables: TableSet) -> BatchLog:
        """Check the session and the place, and create the tables that do not belong to a URN."""
        layouts = [table_layout.batches_layout(self._keep_duplicates), table_layout.counts_layout()]
        if not self._keep_duplicates:
            layouts.append(table_layout.digests_layout())
        if all(layout.name in self._known for layout in layouts):
            return BatchLog(tables)
        tables.format.check_session(tables.spark, self._place)
        layouts = tables.check(layouts)
        self._check_place(tables)
        is_new = BATCHES not in tables.known
        tables.prepare(layouts, filled=[layout.name for layout in layouts] if is_new else ())
        return BatchLog(tables, is_new=is_new)

    def _check_place(self, tables: TableSet) -> None:
        """Raise UsageError if the tables at the place were written with other settings or another registry."""
        self._logged = False
        if BATCHES not in tables.known:
            return
        kept = tables.known[BATCHES].properties.get(table_layout.KEEP_DUPLICATES) == "true"
        if kept != self._keep_duplicates:
            raise UsageError(
                f"the tables in {self._place.at} were written with keep_duplicates={kept} so far",
                fix="do the same again, or use another schema or folder",
            )
        self._logged = self._spec.key in batch_log.check_place(tables, self._known_urns)

    def _begin(self, tables: TableSet, log: BatchLog, key: BatchKey, tally: Tally, names: list[str]) -> BegunBatch:
        """Write the batch to the log."""
        versions = tables.versions([*names, COUNTS, *(() if self._keep_duplicates else (DIGESTS,))])
        begun = BegunBatch(key, tally.messages, tally.digest, self._spec.key, versions)
        tables.append(log.begun(begun, None if self._logged else batch_log.packed(self._spec)), BATCHES, key)
        self._logged = True
        return begun

    def _begun_spec(self, log: BatchLog, earlier: BegunBatch) -> ValidationSpec:
        """Return the spec that a repeated batch began with."""
        if earlier.registry == self._spec.key:
            return self._spec
        text = log.schemas(earlier.registry)
        if text is None:
            raise InputError(
                f"{earlier.key} began with schemas that are no longer in {self._place.at}",
                fix="restore the rows of babelreg__batches that were removed",
            )
        return batch_frame.portable_spec(batch_log.unpacked(text))

    def _typed_urns(self, spec: ValidationSpec) -> tuple[str, ...]:
        """Return the URNs to type in the pass; others, of a large registry, are typed when their table is written."""
        if len(spec.urns) <= batch_frame.MOST_URNS:
            return spec.urns
        return tuple(urn for urn in self._frequent[: batch_frame.MOST_URNS] if urn in spec.schemas)

    def _descriptions(self) -> dict[str, str]:
        return {urn: comment(message) for urn, message in self._messages.items()}

    def _check_names(self) -> None:
        """Raise UsageError if two URNs have one table."""
        names: dict[str, str] = {}
        for urn in self._spec.urns:
            other = names.setdefault(table_name(urn), urn)
            if other != urn:
                raise UsageError(f"{urn} and {other} would share the table {table_name(urn)}", fix="rename one of them")


def _input(body: str, position: Sequence[str], wire: str, received_at: str | None, headers: str | None) -> BatchInput:
    """Return the columns of the caller's frame. Raises UsageError."""
    if wire == NATIVE and headers is not None and headers not in position:
        raise UsageError(f"headers={headers!r} is not a column of the position", fix="add it to position=[...]")
    if wire == NATIVE:
        return BatchInput(body, tuple(position), wire, headers=headers)
    return BatchInput(body, tuple(position), wire, received_at)


def _counts_rows(key: BatchKey, rows: Sequence[CountRow]) -> DriverRows:
    schema = "application string, batch long, urn string, outcome string, reason string, messages long"
    return DriverRows(schema, [(key.application, key.batch, *row) for row in rows])
