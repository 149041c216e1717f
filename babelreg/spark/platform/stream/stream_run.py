"""One run of a stream: the checks before it, the streaming query, its batches, and its end."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from babelreg.model import Registry
from babelreg.spark.platform.formats.table_names import COUNTS, TablePlace
from babelreg.spark.platform.stream import (
    file_source,
    kafka_admin,
    kafka_source,
    source_claims,
    stream_errors,
)
from babelreg.spark.platform.stream.checkpoint import Checkpoint, StreamRecord
from babelreg.spark.platform.stream.kafka_admin import LostRange
from babelreg.spark.platform.stream.place import KafkaPlace, SourcePlace
from babelreg.spark.platform.stream.source_claims import SourceClaim
from babelreg.spark.platform.stream.stream_batch import StreamBatch, lag_of
from babelreg.spark.platform.stream.stream_settings import StreamSettings
from babelreg.spark.platform.tables.batch_totals import BatchTotals, batch_totals
from babelreg.spark.platform.tables.tables import FORMATS, Tables
from babelreg.wire.format import NATIVE
from babelreg.wire.formats import find

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from babelreg.spark.platform.tables.batch_counts import BatchCounts

_POLL_SECONDS = 1
_SESSION = {
    "spark.sql.session.timeZone": "UTC",
    # The messages of so many rows are in a worker's memory at once, and each may have megabytes.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
}

_CATALOG = "spark.sql.catalog."
_PARTITIONS = ("spark.sql.shuffle.partitions", "spark.databricks.delta.snapshotPartitions")
"""Numbers of tasks, 200 and 50 by default, which take longer to start than batches of a stream do."""


class Observer:
    """Receives what a run does; this one ignores it. Methods are called in threads of Spark, too."""

    WAITING = "waiting for more"
    wants_totals = False
    """True for an observer that ``begin`` is to give totals: the tables are read for that."""

    def begin(self, totals: BatchTotals | None) -> None:
        """Called before the first batch, with the counts of all batches that the tables have of this stream."""

    def poll(self) -> None:
        """Called about once a second while the stream runs."""

    def batch(self, batch: StreamBatch) -> None:
        """Called with each finished batch."""

    def warning(self, text: str) -> None:
        """Called with what a person should know."""

    def step(self, text: str) -> None:
        """Called with what happens now."""


def _isolated(session: SparkSession) -> SparkSession:
    """Return a session on the same Spark with the settings of a stream; what the user set stays."""
    isolated = session.newSession()
    given = session.sparkContext.getConf()
    for key, value in session.conf.getAll.items():
        if key.startswith(_CATALOG):
            isolated.conf.set(key, value)
    for key, value in _SESSION.items():
        isolated.conf.set(key, value)
    for key in _PARTITIONS:
        if not given.contains(key):
            isolated.conf.set(key, str(session.sparkContext.defaultParallelism))
    return isolated


class _Stopped(Exception):
    """Ends a query before a batch that it has begun to plan."""


class StreamRun:
    """A run of the stream ``settings``. ``stop`` ends it after the batch at work."""

    def __init__(
        self,
        session: SparkSession,
        registry: Registry,
        settings: StreamSettings,
        stop: threading.Event,
        observer: Observer,
    ) -> None:
        self._session = _isolated(session)
        self._settings, self._stop, self._observer = settings, stop, observer
        self._source: SourcePlace = settings.source
        self._checkpoint = Checkpoint(self._session, settings.checkpoint)
        self._tables = self._tables_of(registry)
        self._topics: Mapping[str, str] = {}
        self._claimed = False
        self._at_work: int | None = None
        self._failure: BaseException | None = None
        self._counts: dict[int, BatchCounts] = {}
        self._lost: list[LostRange] = []
        self._told = -1

    def run(self) -> None:
        """Run the query to its end. Raises what failed, of babelreg or of Spark."""
        self._prepare()
        query = self._start()
        try:
            while not query.awaitTermination(_POLL_SECONDS):
                self._tell(query)
                self._observer.poll()
                if self._stop.is_set() and self._is_idle(query):
                    break
        except Exception:
            self._tell(query)
            if isinstance(self._failure, _Stopped):
                return
            if self._failure is not None:
                raise self._failure from None
            raise
        finally:
            query.stop()
        self._tell(query)

    def _prepare(self) -> None:
        """Check jars, topics, checkpoint and tables before anything is read."""
        settings, source = self._settings, self._source
        self._observer.step("checking the source and the checkpoint")
        if isinstance(source, KafkaPlace):
            self._topics = kafka_admin.topic_ids(self._session, source, settings.options)
        else:
            file_source.check(source)
        if self._checkpoint.application() is None and not settings.again:
            identity, topics = source.identity, self._topics
            source_claims.check(self._session, settings.to, settings.tables_at, identity, topics, settings.checkpoint)
        record = StreamRecord(source.identity, settings.to, settings.at, settings.wire, self._topics)
        self._checkpoint.claim(record)
        self._observer.begin(self._stored_totals() if self._observer.wants_totals else None)
        if isinstance(source, KafkaPlace):
            self._check_lost(source)

    def _stored_totals(self) -> BatchTotals:
        format_, application = FORMATS[self._settings.to], self._checkpoint.application()
        counts = format_.address(TablePlace.of(self._settings.tables_at), COUNTS)
        if application is None or format_.stored(self._session, counts) is None:
            return BatchTotals()
        return batch_totals(self._session, counts, application)

    def _check_lost(self, source: KafkaPlace) -> None:
        earliest = kafka_admin.earliest_offsets(self._session, source, self._settings.options)
        lost = kafka_admin.lost_ranges(self._checkpoint.next_offsets(), earliest)
        if lost and self._settings.stop_when_lost:
            raise stream_errors.lost_error(lost, source)
        self._lost = lost
        for item in lost:
            self._observer.warning(f"deleted before they were read: {item}")

    def _start(self) -> StreamingQuery:
        settings = self._settings
        writer = self._frame().writeStream.foreachBatch(self._write).option("checkpointLocation", settings.checkpoint)
        if settings.every_seconds is None:
            writer = writer.trigger(availableNow=True)
        else:
            writer = writer.trigger(processingTime=f"{round(settings.every_seconds * 1000)} milliseconds")
        self._observer.step(f"reading {self._source}")
        return writer.start()

    def _frame(self) -> DataFrame:
        settings, source = self._settings, self._source
        if isinstance(source, KafkaPlace):
            return kafka_source.read(
                self._session,
                source,
                starting=settings.starting,
                stop_when_lost=settings.stop_when_lost,
                with_headers=find(settings.wire).reads_headers,
                options={"maxOffsetsPerTrigger": str(settings.max_messages), **settings.options},
            )
        bound = (
            ("maxFilesPerTrigger", str(settings.max_files))
            if settings.max_files
            else ("maxBytesPerTrigger", str(1 << 30))
        )
        return file_source.read(self._session, source, {bound[0]: bound[1], **settings.options})

    def _messages(self, frame: DataFrame) -> DataFrame:
        settings, source = self._settings, self._source
        if isinstance(source, KafkaPlace):
            return frame
        return file_source.messages(frame, source, settings.options, settings.wire)

    def _tables_of(self, registry: Registry) -> Tables:
        settings = self._settings
        of_kafka = isinstance(self._source, KafkaPlace)
        return Tables(
            registry,
            settings.to,
            settings.tables_at,
            position=kafka_source.POSITION if of_kafka else file_source.POSITION,
            keep_duplicates=settings.keep_duplicates,
            wire=settings.wire,
            received_at=kafka_source.RECEIVED_AT if of_kafka else file_source.RECEIVED_AT,
            headers=kafka_source.HEADERS if of_kafka and settings.wire == NATIVE else None,
            on_batch=self._counted,
            fail_above=settings.fail_above,
            hold_above=settings.hold_above,
        )

    def _write(self, frame: DataFrame, number: int) -> None:
        """Write one batch. Called by Spark, in a thread of its own."""
        try:
            if self._stop.is_set():
                raise _Stopped
            self._at_work = number
            self._observer.step(f"writing batch {number}")
            self._tables.foreach_batch(self._messages(frame), number)
        except BaseException as err:
            self._failure = err
            raise

    def _counted(self, counts: BatchCounts) -> None:
        self._counts[counts.batch] = counts
        if counts.exceeded:
            self._stop.set()
        if not self._claimed:
            settings, identity = self._settings, self._source.identity
            claim = SourceClaim(identity, counts.application, settings.checkpoint, self._topics)
            source_claims.write(self._session, settings.to, settings.tables_at, claim)
            self._claimed = True

    def _is_idle(self, query: StreamingQuery) -> bool:
        """Return whether no batch is at work: the last one that was written is in the checkpoint."""
        return self._at_work is None or self._told >= self._at_work

    def _tell(self, query: StreamingQuery) -> None:
        """Report the batches that finished since the last call."""
        for progress in query.recentProgress:
            # PySpark turns offsets into text that is not JSON.
            item: Mapping[str, Any] = json.loads(progress.json)
            number = int(item["batchId"])
            if number <= self._told or number not in self._counts:
                continue
            self._told = number
            seconds = float(item["batchDuration"]) / 1000
            self._observer.batch(StreamBatch(self._counts.pop(number), seconds, lag_of(item), tuple(self._lost)))
            self._lost = []
            if self._settings.every_seconds is not None:
                self._observer.step(Observer.WAITING)
