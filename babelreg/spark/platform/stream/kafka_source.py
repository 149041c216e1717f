"""Messages of Kafka topics by Spark's own source: a row a record, with its position and its ``bq-`` headers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from babelreg.spark.platform.stream.place import KafkaPlace
from babelreg.spark.platform.transport_headers import packed

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

POSITION = ("kafka_topic", "kafka_partition", "kafka_offset", "kafka_timestamp", "kafka_headers")
"""Columns that say where a message came from."""

HEADERS = "kafka_headers"
RECEIVED_AT = "kafka_timestamp"
"""The time of messages that have none themselves."""

_DEFAULTS = {
    "includeHeaders": "true",
    # Records of a transaction that was rolled back are not messages.
    "kafka.isolation.level": "read_committed",
}


def read(
    session: SparkSession,
    place: KafkaPlace,
    *,
    starting: str,
    stop_when_lost: bool,
    options: Mapping[str, str],
    with_headers: bool = False,
) -> DataFrame:
    """Return the stream of ``place``: ``value`` and the columns of ``POSITION``.

    ``with_headers``: the value of a record that has headers comes with them, as ``wire.message_headers`` packs both.
    """
    from pyspark.sql import functions as F

    reader = session.readStream.format("kafka").options(
        **{
            **_DEFAULTS,
            "kafka.bootstrap.servers": ",".join(place.servers),
            "subscribe": ",".join(place.topics),
            "startingOffsets": starting,
            "failOnDataLoss": str(stop_when_lost).lower(),
            **options,
        }
    )
    return reader.load().select(
        packed(F.col("headers"), F.col("value")).alias("value") if with_headers else F.col("value"),
        F.col("topic").alias("kafka_topic"),
        F.col("partition").alias("kafka_partition"),
        F.col("offset").alias("kafka_offset"),
        F.col("timestamp").alias("kafka_timestamp"),
        _texts(F.filter("headers", lambda header: header["key"].startswith("bq-"))).alias("kafka_headers"),
    )


def _texts(headers: Column) -> Column:
    """Return headers with their values as text, bytes that are not UTF-8 replaced."""
    from pyspark.sql import functions as F

    return F.transform(
        headers,
        lambda header: F.struct(
            header["key"].alias("key"), F.make_valid_utf8(header["value"].cast("string")).alias("value")
        ),
    )
