"""Headers of Kafka records beside their values, as the wire formats read them."""

from __future__ import annotations

from typing import Any

import pytest

from babelreg.spark.platform.stream.kafka_source import packed
from babelreg.wire.message_headers import has_headers, unpack

pytestmark = pytest.mark.spark

ROWS: list[tuple[list[tuple[str, bytes | None]] | None, bytes | None]] = [
    ([("ce_id", b"1"), ('a"b\\', b"\xff" * 200), ("gone", None), ("", b"")], b'{"x":1}'),
    ([], b"plain"),
    (None, b"plain"),
    ([("x", b"y")], None),
    ([("x", b"y")], b""),
]


def test_headers_and_values_are_packed_as_recordings_hold_them(spark: Any) -> None:
    from pyspark.sql import functions as F

    schema = "headers array<struct<key string, value binary>>, value binary"
    frame = spark.createDataFrame(ROWS, schema).select(packed(F.col("headers"), F.col("value")).alias("value"))
    found = [None if row["value"] is None else bytes(row["value"]) for row in frame.collect()]
    for (headers, value), raw in zip(ROWS, found, strict=True):
        if not headers or value is None:
            assert raw == value
        else:
            assert raw is not None
            assert has_headers(raw)
            assert unpack(raw) == (headers, value)
