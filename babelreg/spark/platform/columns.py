"""Validation as a function of columns: a column of messages in, a column of structs out.

::

    struct<urn, envelope: struct<message_id, trace_id, created_at timestamp, lang, queue, attempts bigint>,
           data_json, reason, pointer, detail, body>

With aliases in the registry, the last member is ``sent_urn``: the name under which an accepted message was sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from babelreg.errors import UsageError
from babelreg.lake.ingest.schema_check import spec_of
from babelreg.lake.tasks.validation_spec import ValidationSpec
from babelreg.model import Registry
from babelreg.spark.platform.worker_function import arrow_function
from babelreg.suggest import closest
from babelreg.typemap import spark as typemap
from babelreg.wire import formats
from babelreg.wire.format import NATIVE

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.types import StructType

ENVELOPE: dict[str, typemap.SparkType] = {
    "message_id": typemap.Scalar.STRING,
    "trace_id": typemap.Scalar.STRING,
    "created_at": typemap.Scalar.TIMESTAMP,
    "lang": typemap.Scalar.STRING,
    "queue": typemap.Scalar.STRING,
    "attempts": typemap.Scalar.BIGINT,
}
"""Members of the envelope, in order."""

MEMBERS: dict[str, typemap.SparkType] = {
    "urn": typemap.Scalar.STRING,
    "envelope": typemap.Struct(tuple(typemap.StructField(name, type_) for name, type_ in ENVELOPE.items())),
    **dict.fromkeys(("data_json", "reason", "pointer", "detail"), typemap.Scalar.STRING),
    "body": typemap.Scalar.BINARY,
}
"""Members of the struct, in order, that it always has."""


def members_of(spec: ValidationSpec) -> dict[str, typemap.SparkType]:
    """Return the members of the struct of a message that is validated against ``spec``, in order."""
    return {**MEMBERS, **({typemap.SENT_URN.name: typemap.Scalar.STRING} if spec.aliases else {})}


def validate(registry: Registry, wire: str = NATIVE) -> Callable[..., Column]:
    """Return a function from a column of messages, string or binary, to one of structs.

    ``data_json`` is set where the message was accepted; ``reason``, ``pointer``, ``detail`` and ``body``, its bytes,
    where it was refused. The struct of a null body, as a Kafka tombstone has, is null.

    Messages of a foreign ``wire`` format are made envelopes first. The function then takes two more columns: the time
    of receipt, a timestamp, and a string that names the message's position, unique in all that is read.

    Raises RegistryError, UsageError for a registry or a wire format that cannot be used.
    """
    return validated_column(registry, (), wire)


def validated_column(registry: Registry, urns: Iterable[str], wire: str) -> Callable[..., Column]:
    """Return :func:`validate`, whose structs also have a member for each of ``urns``: a list of its typed data.

    The list has one element in the rows of the URN, and is null elsewhere (see ``tasks.validated_batches``). URNs
    without columns are left out.
    """
    from babelreg.lake.tasks.column_functions import ValidatedMessages

    formats.find(wire)
    spec = spec_of(registry, digests=False)
    wanted = known_urns(registry, urns)
    structs = {urn: spec.columns[spec.urns.index(urn)] for urn in wanted}
    lists = {urn: typemap.Array(struct) for urn, struct in structs.items() if struct.fields}
    function = ValidatedMessages(spec, tuple(lists), wire)
    return arrow_function("babelreg_validate", function, bare_type({**members_of(spec), **lists}))


def typed_data(registry: Registry, urn: str) -> Callable[..., Column]:
    """Return a function from a column of ``data_json`` of ``urn`` to one of structs, the columns of its data.

    Raises UsageError for a URN that the registry does not declare, and for one whose data has no columns.
    """
    from babelreg.lake.tasks.column_functions import TypedData

    known_urns(registry, [urn])
    struct = typemap.columns(registry.schemas[urn])
    if not struct.fields:
        raise UsageError(
            f"{urn} has no columns in the registry {registry.root}",
            fix="use a message with properties, or data_json",
        )
    type_ = bare_type({column.name: column.type for column in struct.fields})
    return arrow_function("babelreg_typed", TypedData(urn, struct), type_)


def known_urns(registry: Registry, urns: Iterable[str]) -> tuple[str, ...]:
    """Return ``urns``. Raise UsageError for one that has no schema in the registry."""
    wanted = (urns,) if isinstance(urns, str) else tuple(urns)
    for urn in wanted:
        if urn not in registry.schemas:
            declared = "has no schema for" if urn in registry.by_urn else "declares no message"
            near = closest(urn, registry.schemas)
            fix = f"did you mean {near}?" if near else f"name one of: {', '.join(registry.schemas)}"
            raise UsageError(f"the registry {registry.root} {declared} {urn}", fix=fix)
    return wanted


def bare_type(types: dict[str, typemap.SparkType] | dict[str, Any]) -> StructType:
    """Return a struct of these members without comments: Spark compares the types of Arrow data with their comments."""
    from pyspark.sql.types import StructType

    fields = tuple(typemap.StructField(name, type_) for name, type_ in types.items())
    return StructType.fromJson(_without_metadata(typemap.as_json(typemap.Struct(fields))))


def _without_metadata(type_: Any) -> Any:
    if isinstance(type_, dict):
        return {key: {} if key == "metadata" else _without_metadata(value) for key, value in type_.items()}
    return [_without_metadata(item) for item in type_] if isinstance(type_, list) else type_
