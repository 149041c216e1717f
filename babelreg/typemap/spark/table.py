"""Table of one URN: columns of the envelope, of ``data`` and of the position in the input."""

from __future__ import annotations

from dataclasses import replace

from babelreg.typemap.spark.types import Array, Json, Map, Scalar, SparkType, Struct, StructField

ENVELOPE = (
    StructField("urn", Scalar.STRING, "The URN of the message."),
    StructField("message_id", Scalar.STRING, "meta.id: the same in every delivery of the message."),
    StructField("trace_id", Scalar.STRING, "The same in all messages that one action caused."),
    StructField("created_at", Scalar.TIMESTAMP, "meta.created_at: when the message was made."),
    StructField("lang", Scalar.STRING, "meta.lang: the language of the producer."),
    StructField("queue", Scalar.STRING, "meta.queue: where it was sent."),
    StructField("attempts", Scalar.BIGINT, "How often it was tried before it was recorded."),
    StructField("source_file", Scalar.STRING, "The file it was read from, below the input folder."),
    StructField("source_offset", Scalar.BIGINT, "Where it begins in that file, in bytes."),
)

DATA_JSON = StructField("data_json", Scalar.STRING, "All of data as JSON, also what has no column.")

SENT_URN = StructField("sent_urn", Scalar.STRING, "The name it was sent under, the URN or an alias; null: the URN.")
"""Last column of the table of a message with aliases. Rows that are older than the aliases have null."""


def table(struct: Struct, *, aliased: bool = False) -> Struct:
    """Return all columns of the table whose ``data`` has the columns ``struct``; no ``data`` for an empty one.

    ``aliased`` says that its message has aliases.
    """
    data = (StructField("data", struct),) if struct.fields else ()
    return Struct((*ENVELOPE, *data, DATA_JSON, *((SENT_URN,) if aliased else ())))


def as_variant(type_: SparkType) -> SparkType:
    """Return ``type_`` with VARIANT in place of JSON text."""
    if isinstance(type_, Json):
        return Scalar.VARIANT
    if isinstance(type_, Array):
        return Array(as_variant(type_.element))
    if isinstance(type_, Map):
        return Map(as_variant(type_.value), type_.certain)
    if isinstance(type_, Struct):
        return Struct(tuple(replace(column, type=as_variant(column.type)) for column in type_.fields))
    return type_
