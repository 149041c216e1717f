"""BabelQueue's transport headers, as Kafka has them beside a message.

They repeat members of the envelope. Two of them count for a reader (the Kafka binding, 6.5 and 6.7): ``bq-attempts`` is
the delivery counter, in place of the body's, and a message whose ``bq-schema-version`` is neither blank nor 1 must not
be decoded. The first header of a name counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from babelreg.lake.tasks.segment_format import TABLE

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

ATTEMPTS, SCHEMA_VERSION = "bq-attempts", "bq-schema-version"
_SUPPORTED = "1"
_BLANK = r"\A[ \t\n\x0b\f\r]*\z"
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


def _first(headers: Column, name: str) -> Column:
    from pyspark.sql import functions as F

    return F.get(F.filter(headers, lambda header: header["key"] == name), F.lit(0))["value"].cast("string")
