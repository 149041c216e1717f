"""Frames of messages with their position, and their rows as plain values."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

__all__ = ["POSITION", "collected", "frame", "plain"]

POSITION = ["topic", "offset"]
_COLUMNS = "value binary, topic string, offset bigint"


def frame(spark: Any, bodies: Iterable[bytes | None]) -> Any:
    rows = [(None if body is None else bytearray(body), "orders", number) for number, body in enumerate(bodies)]
    return spark.createDataFrame(rows, _COLUMNS)


def plain(value: Any) -> Any:
    """Values of Spark as those of pyarrow's ``to_pylist``."""
    if hasattr(value, "asDict"):
        return {name: plain(member) for name, member in value.asDict().items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, bytearray):
        return bytes(value)
    return value.astimezone(UTC) if isinstance(value, datetime) else value


def collected(rows: Any) -> list[dict[str, Any]]:
    """The rows by offset."""
    return sorted(map(plain, rows.collect()), key=lambda row: row["offset"])
