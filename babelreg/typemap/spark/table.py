"""The table of one URN: columns of the envelope and of the position around those of ``data``."""

from __future__ import annotations

from dataclasses import replace

from babelreg.typemap.spark.types import Array, Field, Json, Map, Scalar, SparkType, Struct

__all__ = ["DATA", "DATA_JSON", "ENVELOPE", "table", "with_json_as"]

DATA = "data"

ENVELOPE = (
    Field("urn", Scalar.STRING, "The URN of the message."),
    Field("message_id", Scalar.STRING, "meta.id: the same in every delivery of the message."),
    Field("trace_id", Scalar.STRING, "The same in all messages that one action caused."),
    Field("created_at", Scalar.TIMESTAMP, "meta.created_at: when the message was made."),
    Field("lang", Scalar.STRING, "meta.lang: the language of the producer."),
    Field("queue", Scalar.STRING, "meta.queue: where it was sent."),
    Field("attempts", Scalar.BIGINT, "How often it was tried before it was recorded."),
    Field("source_file", Scalar.STRING, "The file it was read from, below the input folder."),
    Field("source_offset", Scalar.BIGINT, "Where it begins in that file, in bytes."),
)

DATA_JSON = Field("data_json", Scalar.STRING, "All of data as JSON, also what has no column.")


def table(struct: Struct) -> Struct:
    """All columns of the table whose ``data`` has the columns ``struct``, as parquet holds them.

    There is no column ``data`` where nothing is declared. What Spark could hold as VARIANT is JSON text.
    """
    data = (Field(DATA, with_json_as(struct, Json())),) if struct.fields else ()
    return Struct((*ENVELOPE, *data, DATA_JSON))


def with_json_as(type_: SparkType, kind: SparkType) -> SparkType:
    """``type_`` with ``kind`` wherever it is JSON text or VARIANT."""
    if isinstance(type_, Json) or type_ is Scalar.VARIANT:
        return kind
    if isinstance(type_, Array):
        return Array(with_json_as(type_.element, kind))
    if isinstance(type_, Map):
        return Map(with_json_as(type_.value, kind), type_.certain)
    if isinstance(type_, Struct):
        fields = tuple(replace(column, type=with_json_as(column.type, kind)) for column in type_.fields)
        return Struct(fields, type_.left_out)
    return type_
