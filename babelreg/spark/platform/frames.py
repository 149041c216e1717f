"""Validation of frames: every message accepted or refused beside the columns that its row had before.

::

    messages (value, topic, offset, ...)
      validate_frame  ->  the same columns, urn, envelope, data_json, reason, pointer, detail, body [, <URN> ...]
        typed         ->  the accepted messages of one URN, with the columns of its table
        quarantine    ->  the refused messages, with their bytes

A row whose body is null, as a Kafka tombstone has, is not a message: it is in neither, and its ``urn``, ``data_json``
and ``reason`` are null.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from babelreg.errors import UsageError
from babelreg.lake.tasks.segment_format import INTERNAL
from babelreg.model import Registry
from babelreg.spark.platform import frame_columns, frame_repeats, transport_headers
from babelreg.spark.platform.columns import ENVELOPE, MEMBERS, known_urns, typed_data, validated_column
from babelreg.spark.platform.frame_columns import SOURCE, quoted
from babelreg.spark.platform.frame_display import shown
from babelreg.spark.platform.worker_function import check_workers
from babelreg.typemap import spark as typemap
from babelreg.typemap.spark import SENT_URN
from babelreg.wire.format import NATIVE

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_STRUCT = f"{INTERNAL}validated"
_QUARANTINE = {
    "reason": "Why the message was refused.",
    "pointer": "The place of the defect, an RFC 6901 pointer into the message.",
    "detail": "The defect in a sentence without values of the message.",
    "urn": "The URN of the message, where it could be read.",
    "message_id": "meta.id, where it could be read.",
    "trace_id": "trace_id, where it could be read.",
    "lang": "meta.lang, where it could be read.",
    "body": "The message, byte for byte.",
}
"""Columns of the quarantine with their comments, in the order of the lake's."""


def validate_frame(
    df: DataFrame,
    registry: Registry,
    body: str = "value",
    position: Sequence[str] = (),
    *,
    urns: str | Iterable[str] = (),
    wire: str = NATIVE,
    received_at: str | datetime | None = None,
    headers: str | None = None,
    deduplicate: bool = False,
) -> DataFrame:
    """Return ``df``, a batch or a stream, with the verdict about the message in each row.

    ``body`` is the column of messages, string or binary. All other columns are kept; those named in ``position`` say
    where a message came from, and are in what ``typed`` and ``quarantine`` return. Added are the members of
    :func:`~babelreg.spark.platform.columns.validate`, and for each of ``urns`` a column of that name: a struct, the
    typed data in the rows of that URN, null in all others. It is made in the same pass, so :func:`typed` need not read
    the data again.

    Messages of a foreign ``wire`` format are made envelopes first; ``received_at``, a column or a time, stands in where
    a message has no time. Ids that such a message lacks are made of its bytes and its ``position``. ``headers`` is the
    column of Kafka's headers, for a format that reads them, such as CloudEvents; a refused message has them in its
    ``body`` (see ``wire.message_headers``).

    ``deduplicate`` removes repeated messages by the rule of a lake (see ``frame_repeats``): of one id, the message that
    comes first by ``position`` is kept, rows with the same content are removed, and others are refused as
    ``id_conflict``. The position must tell messages apart.

    The first call in a session runs an empty task, to report workers that cannot run these functions. Raises
    UsageError, RegistryError.
    """
    from pyspark.sql import functions as F

    urns = known_urns(registry, urns)
    names = [*MEMBERS, *((SENT_URN.name,) if registry.aliases else ())]
    added = [*names, *urns]
    kept = frame_columns.kept(df, body, position, added)
    function = validated_column(registry, urns, wire)
    message = transport_headers.with_message(df, wire, body, headers)
    arguments = [message]
    if wire != NATIVE:
        arguments += [_received_at(df, wire, received_at), _occurrence(position)]
    elif received_at is not None:
        raise UsageError("received_at is for messages of a foreign wire format", fix="remove it, or set the wire")
    if deduplicate:
        frame_repeats.check_frame(df, position)
    check_workers(df.sparkSession)
    validated = df.select("*", function(*arguments).alias(_STRUCT))
    result = F.col(_STRUCT)
    values = {name: result.getField(name) for name in names}
    typed_urns = [urn for urn in urns if typemap.columns(registry.schemas[urn]).fields]
    data = {urn: F.get(result.getField(urn), F.lit(0)) for urn in typed_urns}
    if deduplicate:
        validated = frame_repeats.without_duplicates(validated, result, position)
        taken = F.col(frame_repeats.CONFLICT)
        refused = frame_repeats.conflict_members(result, message, wire)
        values = {name: F.when(taken, refused.get(name, value)).otherwise(value) for name, value in values.items()}
        data = {urn: F.when(~taken, value) for urn, value in data.items()}
    members = [value.alias(name, metadata=frame_columns.mark(name, position)) for name, value in values.items()]
    typed_data_columns = [value.alias(urn) for urn, value in data.items()]
    frame = validated.select(*(F.col(quoted(name)) for name in kept), *members, *typed_data_columns)
    return shown(frame, registry, position)


def typed(validated: DataFrame, urn: str, registry: Registry) -> DataFrame:
    """Return the accepted messages of ``urn``, with the columns of its table.

    These are ``urn`` and the envelope's columns, those of the position, ``data`` (a struct; none for a message that
    declares no properties), ``data_json`` and, where the message has aliases, ``sent_urn``; with the comments and the
    metadata ``sensitive`` of the registry.
    ``validated`` is what :func:`validate_frame` returned, filtered or stored in between. ``data`` is that of the column
    ``urn`` where it has one; otherwise it is made of ``data_json``.

    Raises UsageError for another frame, and for a URN that the registry does not declare.
    """
    from pyspark.sql import functions as F
    from pyspark.sql.types import StructType

    known_urns(registry, [urn])
    position = frame_columns.position_of(validated)
    struct = typemap.columns(registry.schemas[urn])
    columns = [F.col("urn"), *(F.col("envelope").getField(name) for name in ENVELOPE), F.col("data_json")]
    fields = [field for field in typemap.table(typemap.Struct()).fields if field.name not in SOURCE]
    *envelope, data_json = [
        column.alias(field.name, metadata={"comment": field.comment})
        for column, field in zip(columns, fields, strict=True)
    ]
    data: list[Column] = []
    if struct.fields:
        made = F.col(quoted(urn)) if urn in validated.columns else typed_data(registry, urn)(F.col("data_json"))
        data = [made.cast(StructType.fromJson(typemap.as_json(struct))).alias("data")]  # with comments
    rows = validated.where((F.col("urn") == urn) & F.col("reason").isNull())
    sent: list[Column] = []
    if registry.by_urn[urn].aliases and SENT_URN.name in validated.columns:
        sent = [F.col(SENT_URN.name).alias(SENT_URN.name, metadata={"comment": SENT_URN.comment})]
    return rows.select(*envelope, *(F.col(quoted(name)) for name in position), *data, data_json, *sent)


def quarantine(validated: DataFrame) -> DataFrame:
    """Return the refused messages with their bytes: the columns of the position, reason, pointer, detail and more.

    ``validated`` is what :func:`validate_frame` returned. Raises UsageError for another frame.
    """
    from pyspark.sql import functions as F

    position = frame_columns.position_of(validated)
    names = {
        **{name: F.col(name) for name in MEMBERS},
        **{name: F.col("envelope").getField(name) for name in ("message_id", "trace_id", "lang")},
    }
    columns = [names[name].alias(name, metadata={"comment": comment}) for name, comment in _QUARANTINE.items()]
    rows = validated.where(F.col("reason").isNotNull())
    return rows.select(*(F.col(quoted(name)) for name in position), *columns)


def _received_at(df: DataFrame, wire: str, received_at: str | datetime | None) -> Any:
    from pyspark.sql import functions as F

    if received_at is None:
        raise UsageError(
            f"some messages of {wire} have no time",
            fix="pass received_at: a column, such as Kafka's `timestamp`, or a datetime",
        )
    if isinstance(received_at, str):
        frame_columns.check_timestamp(df, received_at)
        return F.col(quoted(received_at))
    return F.lit(received_at)


def _occurrence(position: Sequence[str]) -> Any:
    from pyspark.sql import functions as F

    texts = [F.coalesce(F.col(quoted(name)).cast("string"), F.lit("")) for name in position]
    return F.concat_ws("/", *texts) if texts else F.lit("")
