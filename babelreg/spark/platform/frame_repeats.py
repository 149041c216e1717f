"""Repeated messages of a frame, by the rule of a lake: ``meta.id`` names a message, and the first by position is kept.

The same id with the same URN and data is a duplicate, and its row is removed; the same id with other content is a
conflict, and refused. Only accepted messages count. A frame has no earlier batches: ``Tables`` remembers ids.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from babelreg.errors import UsageError
from babelreg.lake.ingest.quarantine import CONFLICT as ID_CONFLICT
from babelreg.lake.ingest.quarantine import TAKEN
from babelreg.lake.tasks.column_functions import MaskedBodies
from babelreg.lake.tasks.segment_format import INTERNAL
from babelreg.spark.platform.frame_columns import quoted
from babelreg.spark.platform.worker_function import arrow_function
from babelreg.wire.format import NATIVE

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

CONFLICT = f"{INTERNAL}conflict"
"""The column that says whether the id of a row's message is taken."""

AMBIGUOUS = "two messages with one meta.id have the same position, so the first cannot be determined"

_KEY, _OTHERS, _CONTENT, _FIRST, _IS_TIE, _N = (
    f"{INTERNAL}{name}" for name in ("key", "others", "content", "first", "is_tie", "n")
)


def check_frame(df: DataFrame, position: Sequence[str]) -> None:
    """Raise UsageError for a frame in which no first message can be told."""
    if not position:
        raise UsageError(
            "deduplicate=True keeps the first message by position, but no position is given",
            fix='list the columns that identify its source, such as position=["topic", "partition", "offset"]',
        )
    if df.isStreaming:
        raise UsageError(
            "a stream has no first message by position: its rows cannot be sorted",
            fix="write it with Tables(...).foreach_batch, which finds repeated ids of all batches",
        )


def without_duplicates(validated: DataFrame, result: Column, position: Sequence[str]) -> DataFrame:
    """Return the frame without duplicates, with the column ``CONFLICT``. ``result`` is the struct of the verdict.

    Reading the frame fails in Spark where the position is not unique.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    identity = result.getField("envelope").getField("message_id")
    accepted = result.getField("urn").isNotNull() & result.getField("reason").isNull()
    place = F.struct(*(F.col(quoted(name)) for name in position))
    content = F.concat(result.getField("urn"), F.lit("\0"), result.getField("data_json"))
    keyed = validated.withColumn(_KEY, F.when(accepted, identity)).withColumns(
        {
            # All other messages, each by itself: in one group they would be sorted by one task.
            _OTHERS: F.when(F.col(_KEY).isNull(), F.xxhash64(place)),
            _CONTENT: F.when(F.col(_KEY).isNotNull(), F.sha2(content, 256)),
        }
    )
    same_id = Window.partitionBy(_KEY, _OTHERS).orderBy(*(F.col(quoted(name)) for name in position))
    ranked = keyed.withColumns(
        {
            _N: F.row_number().over(same_id),
            _FIRST: F.first(_CONTENT).over(same_id),
            _IS_TIE: F.lag(place).over(same_id).eqNullSafe(place),
        }
    )
    repeated = F.col(_KEY).isNotNull() & (F.col(_N) > 1)
    names = ", ".join(position)
    refusal = F.raise_error(F.lit(f"{AMBIGUOUS}; use columns that distinguish messages: position=[{names}, ...]"))
    is_duplicate = F.when(repeated & F.col(_IS_TIE), refusal.cast("boolean")).otherwise(
        repeated & (F.col(_CONTENT) == F.col(_FIRST))
    )
    kept = ranked.where(~is_duplicate)
    return kept.withColumn(CONFLICT, repeated).drop(_KEY, _OTHERS, _CONTENT, _FIRST, _IS_TIE, _N)


def conflict_members(result: Column, body: Column, wire: str) -> dict[str, Column]:
    """Return the members of the verdict about a message whose id is taken. ``body`` is its column of the frame."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import BinaryType

    in_conflict = F.when(F.col(CONFLICT), body.cast("binary"))
    if wire != NATIVE:
        in_conflict = arrow_function("babelreg_mask", MaskedBodies(wire), BinaryType())(in_conflict)
    envelope = result.getField("envelope")
    for name, type_ in (("created_at", "timestamp"), ("queue", "string"), ("attempts", "long")):
        envelope = envelope.withField(name, F.lit(None).cast(type_))
    texts = {"reason": ID_CONFLICT, "pointer": "/meta/id", "detail": TAKEN}
    return {
        "urn": result.getField("urn"),
        "envelope": envelope,
        "data_json": F.lit(None).cast("string"),
        **{name: F.lit(text) for name, text in texts.items()},
        "body": in_conflict,
    }
