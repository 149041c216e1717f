"""The frame of a batch: messages validated once and kept, from which all tables are written.

Columns are top-level, because Spark's cache prunes no members of structs::

    <position...>, MESSAGE, DIGEST    where the message came from, its number, the hash of its body and position
    TABLE                             the number of its URN, null where the registry does not declare it
    message_id, ..., data_json        of accepted messages; also sent_urn, where the registry has aliases
    urn, reason, pointer, detail      of refused ones, and the envelope as far as it could be read
    body                              of refused ones; of all, where duplicates are searched for
    <URN> [...]                       typed data of up to 50 URNs, a list of one struct (see ``validated_batches``)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from babelreg.lake.tasks.column_functions import TypedData
from babelreg.lake.tasks.numbered_messages import NumberedMessages
from babelreg.lake.tasks.segment_format import DIGEST, INTERNAL, MESSAGE, TABLE, SegmentColumns
from babelreg.lake.tasks.validation_spec import ValidationSpec
from babelreg.spark.platform import transport_headers
from babelreg.spark.platform.columns import bare_type, members_of
from babelreg.spark.platform.formats.table_layout import portable
from babelreg.spark.platform.frame_columns import quoted
from babelreg.spark.platform.worker_function import arrow_function
from babelreg.typemap import spark as typemap
from babelreg.wire.format import NATIVE

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

MOST_URNS = 50
"""URNs that get a column in one pass: each costs four bytes a message."""

ENVELOPE = ("message_id", "trace_id", "created_at", "lang", "queue", "attempts")

_STRUCT, _FORBIDDEN = f"{INTERNAL}validated", f"{INTERNAL}forbidden"


@dataclass(frozen=True, slots=True)
class BatchInput:
    """Columns of the caller's frame: the one of messages, and those that say where a message is from.

    ``headers`` is the one of these, if any, that has BabelQueue's transport headers.
    """

    body: str
    position: tuple[str, ...]
    wire: str
    received_at: str | None = None
    headers: str | None = None


def sent_name(spec: ValidationSpec) -> tuple[str, ...]:
    """Return the column of the names under which messages are sent, if there are aliases."""
    return (typemap.SENT_URN.name,) if spec.aliases else ()


def portable_spec(spec: ValidationSpec) -> ValidationSpec:
    """Return ``spec`` with JSON text in place of VARIANT."""
    columns = tuple(_portable(struct) for struct in spec.columns)
    if columns == spec.columns:
        return spec
    return replace(spec, columns=columns, key=sha256(f"portable {spec.key}".encode()).hexdigest())


def validated(
    frame: DataFrame, given: BatchInput, spec: ValidationSpec, urns: Iterable[str], *, bodies: bool
) -> DataFrame:
    """Return the frame of the batch, with typed data of ``urns``; with ``bodies`` also those of accepted messages."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import IntegerType, StructType

    lists = {urn: typemap.Array(struct) for urn, struct in _structs(spec, urns).items()}
    # Bodies of foreign messages have secrets, which the function masks; others need not pass through it.
    masks, passes = bodies and given.wire != NATIVE, bodies and given.wire == NATIVE
    function = NumberedMessages(spec, tuple(lists), given.wire, masks)
    type_ = StructType([*bare_type({**members_of(spec), **lists}).fields]).add("table", IntegerType())
    position = [F.col(quoted(name)) for name in given.position]
    body = F.col(quoted(given.body)).cast("binary")
    arguments = [body, *_circumstances(given)]
    read = frame.select(
        *position,
        F.xxhash64(body, *position).alias(DIGEST),
        *((body.alias("body"),) if passes else ()),
        *((_forbidden(given, body).alias(_FORBIDDEN),) if given.headers else ()),
        arrow_function("babelreg_validate", function, type_)(*arguments).alias(_STRUCT),
    )
    struct = F.col(_STRUCT)
    members = ("urn", "data_json", "reason", "pointer", "detail", *(() if passes else ("body",)), *sent_name(spec))
    result = read.select(
        *position,
        F.monotonically_increasing_id().alias(MESSAGE),
        DIGEST,
        struct.getField("table").alias(TABLE),
        *(struct.getField(name).alias(name) for name in members),
        *(("body",) if passes else ()),
        *(struct.getField("envelope").getField(name).alias(name) for name in ENVELOPE),
        *(struct.getField(urn).alias(urn) for urn in lists),
        *((_FORBIDDEN,) if given.headers else ()),
    )
    return transport_headers.applied(result, given.headers, _FORBIDDEN).drop(_FORBIDDEN) if given.headers else result


def unread(frame: DataFrame, given: BatchInput, columns: SegmentColumns) -> DataFrame:
    """Return the messages as ``columns`` says, for the pass that makes segments."""
    from pyspark.sql import functions as F

    position = [F.col(quoted(name)) for name in given.position]
    body = F.col(quoted(given.body)).cast("binary")
    headers = None if given.headers is None else F.col(quoted(given.headers))
    selected = [
        body,
        F.xxhash64(body, *position),
        *((F.monotonically_increasing_id(),) if columns.numbered else ()),
        *_circumstances(given),
        *(() if headers is None else (transport_headers.attempts(headers), _forbidden(given, body))),
        *position,
    ]
    return frame.select(*(column.alias(str(number)) for number, column in enumerate(selected)))


def data_column(frame: DataFrame, urn: str, struct: typemap.Struct) -> Column:
    """Return the typed data of ``urn`` in the rows of its messages, made of ``data_json`` where it has no column."""
    from pyspark.sql import functions as F

    if urn in frame.columns:
        return F.get(F.col(quoted(urn)), F.lit(0))
    type_ = bare_type({column.name: column.type for column in struct.fields})
    return arrow_function("babelreg_typed", TypedData(urn, struct), type_)(F.col("data_json"))


def _circumstances(given: BatchInput) -> list[Column]:
    """Return the instant at which each foreign message was received, and a text that tells equal ones apart."""
    from pyspark.sql import functions as F

    if given.received_at is None:
        return []
    texts = [F.coalesce(F.col(quoted(name)).cast("string"), F.lit("")) for name in given.position]
    return [F.col(quoted(given.received_at)), F.concat_ws("/", *texts) if texts else F.lit("")]


def _forbidden(given: BatchInput, body: Column) -> Column:
    """Return the messages that must not be decoded."""
    from pyspark.sql import functions as F

    return F.when(transport_headers.is_refused(F.col(quoted(given.headers or ""))), body)


def _structs(spec: ValidationSpec, urns: Iterable[str]) -> Mapping[str, typemap.Struct]:
    """Return the columns of the data of ``urns``, without URNs that have none."""
    by_urn = dict(zip(spec.urns, spec.columns, strict=True))
    return {urn: by_urn[urn] for urn in urns if by_urn[urn].fields}


def _portable(struct: typemap.Struct) -> typemap.Struct:
    result = portable(struct)
    assert isinstance(result, typemap.Struct)
    return result
