"""The table of one URN: columns of the envelope and of the position around those of ``data``."""

from __future__ import annotations

from dataclasses import replace

from babelreg.typemap.spark.types import Array, Field, Json, Map, Scalar, SparkType, Struct

__all__ = ["DATA_JSON", "ENVELOPE", "as_variant", "table"]

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
    """All columns of the table whose ``data`` has the columns ``struct``; no ``data`` where nothing is declared."""
    data = (Field("data", struct),) if struct.fields else ()
    return Struct((*ENVELOPE, *data, DATA_JSON))


def as_variant(type_: SparkType) -> SparkType:
    """``type_`` with VARIANT wherever it is JSON text."""
    if isinstance(type_, Json):
        return Scalar.VARIANT
    if isinstance(type_, Array):
        return Array(as_variant(type_.element))
    if isinstance(type_, Map):
        return Map(as_variant(type_.value), type_.certain)
    if isinstance(type_, Struct):
        return Struct(tuple(replace(column, type=as_variant(column.type)) for column in type_.fields))
    return type_
