"""Headers of messages, as Kafka has them beside a message: those of events, and BabelQueue's transport headers.

Formats that read headers get them packed with the message. BabelQueue's repeat members of the envelope. Two of them
count for a reader (the Kafka binding, 6.5 and 6.7): ``bq-attempts`` is the delivery counter, not the body's, and
a message whose ``bq-schema-version`` is neither blank nor 1 must not be decoded. The first header of a name counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from babelreg.errors import UsageError
from babelreg.lake.tasks.segment_format import TABLE
from babelreg.spark.platform.frame_columns import quoted
from babelreg.wire.formats import find

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

ATTEMPTS, SCHEMA_VERSION = "bq-attempts", "bq-schema-version"
_SUPPORTED = "1"
_BLANK = r"\A[ \t\n\x0b\f\r]*\z"
_TYPE = "array<struct<key:string,value:binary>>"
REASON, DETAIL = "unsupported_schema_version", f"the header {SCHEMA_VERSION} is not {_SUPPORTED}"


def attempts(headers: Column) -> Column:
    """Return the count of ``bq-attempts``, null where there is none that is an integer."""
    from pyspark.sql import functions as F

    return F.btrim(_first(headers, ATTEMPTS)).try_cast("bigint")


def is_refused(headers: Column) -> Column:
    """Return whether ``bq-schema-version`` forbids to decode the message."""
    from pyspark.sql import functions as F

    version = _first(headers, SCHEMA_VERSION)
    return F.coalesce((version != F.lit(_SUPPORTED)) & ~F.regexp_like(version, F.lit(_BLANK)), F.lit(False))


def applied(frame: DataFrame, name: str, raw: str) -> DataFrame:
    """Return the frame of a batch (see ``batch_frame``) as the headers in the column ``name`` say it is.

    ``raw`` is the column of the messages that ``is_refused`` is true of. Headers stay in the rows of refused messages
    alone: those of the others repeat what the columns of the envelope say.
    """
    from pyspark.sql import functions as F

    headers, present = F.col(f"`{name}`"), F.col(TABLE).isNotNull() | F.col("reason").isNotNull()
    refused = present & is_refused(headers)
    accepted = F.col("reason").isNull() & ~refused
    return frame.withColumns(
        {
            "reason": F.when(refused, F.lit(REASON)).otherwise(F.col("reason")),
            "pointer": F.when(refused, F.lit("")).otherwise(F.col("pointer")),
            "detail": F.when(refused, F.lit(DETAIL)).otherwise(F.col("detail")),
            "data_json": F.when(~refused, F.col("data_json")),
            "body": F.when(refused, F.col(raw)).otherwise(F.col("body")),
            "attempts": F.when(accepted, F.coalesce(attempts(headers), F.col("attempts"))),
            name: F.when(~accepted, headers),
        }
    )


def packed(headers: Column, value: Column) -> Column:
    """Return what ``wire.message_headers.pack`` makes of headers and value; the value alone where there are none.

    A tombstone stays null. Binary values of headers are in base64, which their reader takes for any value.
    """
    from pyspark.sql import functions as F

    def entry(header: Column) -> Column:
        name = F.to_json(F.array(header["key"]))  # ["NAME"]
        text = F.regexp_replace(F.base64(header["value"]), r"\s", "")
        encoded = F.coalesce(F.concat(F.lit('{"base64":"'), text, F.lit('"}')), F.lit("null"))
        return F.concat(F.substring(name, 1, F.length(name) - 1), F.lit(","), encoded, F.lit("]"))

    entries = F.concat_ws(",", F.transform(headers, entry))
    block = F.encode(F.concat(F.lit("["), entries, F.lit("]")), "UTF-8")
    length = F.unhex(F.lpad(F.hex(F.octet_length(block)), 8, "0"))
    return F.when(F.size(headers) > 0, F.concat(length, block, value)).otherwise(value)


def with_message(df: DataFrame, wire: str, body: str, headers: str | None) -> Column:
    """Return the column of messages of the format ``wire``: ``body``, with its headers where they are named.

    Raises UsageError for a format that has none, and for a column that has no headers.
    """
    from pyspark.sql import functions as F

    message = F.col(quoted(body))
    if headers is None:
        return message
    if not find(wire).reads_headers:
        raise UsageError(f"messages of {wire} are read without headers", fix="remove headers")
    types = {field.name: field.dataType.simpleString() for field in df.schema.fields}
    if headers not in types:
        raise UsageError(f"the frame has no column '{headers}'", fix="read Kafka with the option includeHeaders=true")
    if types[headers] != _TYPE:
        raise UsageError(
            f"the column '{headers}' is {types[headers]}, not {_TYPE}", fix="cast it to the type of Kafka's source"
        )
    return packed(F.col(quoted(headers)), message.cast("binary"))


def _first(headers: Column, name: str) -> Column:
    from pyspark.sql import functions as F

    return F.get(F.filter(headers, lambda header: header["key"] == name), F.lit(0))["value"].cast("string")
