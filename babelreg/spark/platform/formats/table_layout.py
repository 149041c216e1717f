"""Columns, comments and properties of each table, in Spark's own JSON of schemas; no pyspark is imported.

A table of a URN has the envelope, the caller's position columns, ``data`` typed and ``data_json``. Delta tables also
have ``created_day``, the UTC day of ``created_at``, by which they are partitioned: a generated column would depend on
the time zone of the session that writes. Iceberg derives its partition from ``created_at``.

A VARIANT column is JSON text here: few engines read the VARIANT of either format.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from babelreg.schema.field_path import child
from babelreg.spark.platform.formats.table_names import BATCHES, COUNTS, DIGESTS, QUARANTINE, table_name
from babelreg.typemap import spark as typemap
from babelreg.typemap.spark import Array, Json, Map, Scalar, SparkType, Struct

LAYOUT_VERSION = "1"
CREATED_DAY = "created_day"
TABLE_OF = "babelreg.table"
"""The property that says what a table holds: a URN, or the name of one of babelreg's own tables."""

JSON_COLUMNS = "babelreg.json"
"""The property that lists the columns of JSON text, which the table's own type does not tell from text."""
SENSITIVE_COLUMNS = "babelreg.sensitive"
"""The property that names the category of personal data of each marked column."""

KEEP_DUPLICATES = "babelreg.keep_duplicates"
"""The property of the log that says whether duplicates are kept at the place."""

_FROM_FILES = ("source_file", "source_offset")

_Field = dict[str, Any]


@dataclass(frozen=True)
class TableLayout:
    """A table as it is created. ``holds`` is the value of the property :data:`TABLE_OF`.

    ``fields`` are its columns as JSON; ``day_of`` is the timestamp column by whose day it is partitioned,
    ``partition`` the column by which it is partitioned as it is.
    """

    name: str
    holds: str
    comment: str
    fields: tuple[_Field, ...]
    day_of: str | None = None
    partition: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict)

    @property
    def schema(self) -> dict[str, Any]:
        """The columns as JSON of a ``StructType``."""
        return {"type": "struct", "fields": list(self.fields)}

    @property
    def all_properties(self) -> dict[str, str]:
        """The properties that the table is created with."""
        return {TABLE_OF: self.holds, "babelreg.layout": LAYOUT_VERSION, "comment": self.comment, **self.properties}


def portable(type_: SparkType) -> SparkType:
    """Return ``type_`` with JSON text in place of VARIANT."""
    if isinstance(type_, Array):
        return Array(portable(type_.element))
    if isinstance(type_, Map):
        return Map(portable(type_.value), type_.certain)
    if isinstance(type_, Struct):
        return Struct(tuple(replace(column, type=portable(column.type)) for column in type_.fields), type_.left_out)
    return Json("VARIANT is stored as JSON text") if type_ is Scalar.VARIANT else type_


def rows_layout(
    urn: str, description: str, columns: Struct, position: Sequence[_Field], *, aliased: bool = False
) -> TableLayout:
    """Return the table of ``urn``; ``columns`` are those of its data, ``position`` the caller's.

    ``aliased`` says that its message has aliases.
    """
    envelope = Struct(tuple(column for column in typemap.ENVELOPE if column.name not in _FROM_FILES))
    data = (typemap.StructField("data", columns),) if columns.fields else ()
    table = Struct((*data, typemap.DATA_JSON, *((typemap.SENT_URN,) if aliased else ())))
    fields = [*typemap.as_json(envelope)["fields"], *position, *typemap.as_json(table)["fields"]]
    sensitive = dict(_sensitive(columns, "data"))
    text = [path for path, type_ in typemap.leaves(columns, "data") if isinstance(type_, Json)]
    properties = {
        SENSITIVE_COLUMNS: json.dumps(sensitive, sort_keys=True),
        JSON_COLUMNS: json.dumps(sorted(text)),
    }
    return TableLayout(table_name(urn), urn, description, tuple(fields), day_of="created_at", properties=properties)


def column_names(*, aliased: bool = False) -> frozenset[str]:
    """Return the columns of the tables and of the quarantine, which no column of the position may be named like.

    ``aliased`` says that a message has aliases.
    """
    envelope = {column.name for column in typemap.ENVELOPE if column.name not in _FROM_FILES}
    refused = {column["name"] for column in quarantine_layout(()).fields}
    sent = {typemap.SENT_URN.name} if aliased else set()
    return frozenset(envelope | refused | sent | {CREATED_DAY, "data", typemap.DATA_JSON.name})


def quarantine_layout(position: Sequence[_Field]) -> TableLayout:
    """Return the table of refused messages."""
    texts = {
        "reason": "Why the message was refused.",
        "pointer": "Where in the message.",
        "detail": "The reason in words.",
        "urn": "The URN, as far as it could be read.",
        "message_id": "meta.id, as far as it could be read.",
        "trace_id": "As far as it could be read.",
        "lang": "meta.lang, as far as it could be read.",
    }
    fields = [
        *_batch_fields(),
        *position,
        *(_field(name, "string", comment) for name, comment in texts.items()),
        _field("body", "binary", "The message as it was received."),
    ]
    return TableLayout(QUARANTINE, QUARANTINE, "Messages that were refused, with a reason.", tuple(fields))


def counts_layout() -> TableLayout:
    """Return the table of counts: a batch with rows here is finished."""
    fields = [
        *_batch_fields(),
        _field("urn", "string", "The URN; null where it is unknown."),
        _field("outcome", "string", "accepted, duplicate, quarantined or empty (a message without a body)."),
        _field("reason", "string", "Why messages were quarantined."),
        _field("messages", "long", "How many."),
    ]
    return TableLayout(COUNTS, COUNTS, "Messages by batch and outcome; a batch in here is finished.", tuple(fields))


def batches_layout(keep_duplicates: bool) -> TableLayout:
    """Return the log of begun batches."""
    fields = [
        *_batch_fields(),
        _field("messages", "long", "How many messages the batch has."),
        _field("digest", "long", "Exclusive or of the hashes of its messages and positions."),
        _field("registry", "string", "Digest of the schemas that it is validated against."),
        _field("schemas", "string", "Those schemas, in the first batch that has them."),
        _field("versions", "string", "The version of each table of the batch when it began, as JSON."),
    ]
    kept = {KEEP_DUPLICATES: str(keep_duplicates).lower()}
    return TableLayout(BATCHES, BATCHES, "Batches, written when they begin.", tuple(fields), properties=kept)


def digests_layout() -> TableLayout:
    """Return the table of the ids and digests of accepted messages."""
    fields = [
        _field("day", "date", "The UTC day of created_at; 1970-01-01 for days before 2000 and after 2099."),
        _field("key", "binary", "The first 16 bytes of the SHA-256 of meta.id."),
        _field("content", "binary", "The first 16 bytes of the SHA-256 of URN and data."),
        *_batch_fields(),
    ]
    return TableLayout(DIGESTS, DIGESTS, "Ids of accepted messages.", tuple(fields), partition="day")


def _batch_fields() -> list[_Field]:
    return [
        _field("application", "string", "The application that wrote the batch."),
        _field("batch", "long", "The number of the batch in its application."),
    ]


def _field(name: str, type_: str, comment: str) -> _Field:
    return {"name": name, "type": type_, "nullable": True, "metadata": {"comment": comment}}


def _sensitive(type_: SparkType, path: str) -> Iterator[tuple[str, str]]:
    """Yield the category of personal data of each marked column, by path."""
    if isinstance(type_, Array):
        yield from _sensitive(type_.element, f"{path}[]")
    elif isinstance(type_, Map):
        yield from _sensitive(type_.value, f"{path}{{}}")
    elif isinstance(type_, Struct):
        for column in type_.fields:
            inner = child(path, column.name)
            if column.sensitive is not None:
                yield inner, column.sensitive
            yield from _sensitive(column.type, inner)
