"""All versions of a message as one table: older rows are upcast as they are read.

They run ``contract.upcast``, so that a row means in a query what the message means to a consumer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelreg.contract.upcast import compiled
from babelreg.errors import UsageError
from babelreg.lake.arrow.upcast_rows import UpcastPlan
from babelreg.lake.storage import current_files
from babelreg.lake.storage.parquet import dataset_of, footers
from babelreg.load.registry_error import RegistryError
from babelreg.model import Registry

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 10_000
"""Rows that are upcast at once."""


def version_batches(registry: Registry, output: str | Path, urn: str) -> Iterator[pa.RecordBatch]:
    """Yield the rows of ``urn``, then those of every message that it supersedes, the newest version first.

    Two columns are added: ``upcast_from``, the URN that a row was stored under, and ``upcast_error``, why its ``data``
    is null. The column ``urn`` is that of the message as it was sent. The rows are those of the current files of
    ``output``.

    Raises UsageError for a URN that the registry does not declare, RegistryError, UpcastError, SchemaError, InputError.
    """
    upcast_plan = plan(registry, urn)
    upcaster, files_by_urn = upcast_plan.upcaster(), current_files.all_files(output)
    for version in (urn, *upcast_plan.steps):
        if paths := files_by_urn.get(version):
            footers(paths)  # which verifies them
            rows = dataset_of(paths, upcaster.schema)
            columns = upcaster.schema.names if version == urn else list(upcast_plan.stored)
            for batch in rows.to_batches(columns=columns, batch_size=_ROWS):
                yield batch if version == urn else upcaster.upcast(batch)


def plan(registry: Registry, urn: str) -> UpcastPlan:
    """Return the operations that upcast older versions of ``urn``. Raises UsageError, RegistryError, UpcastError."""
    if registry.defects:
        raise RegistryError("the registry has defects", registry.defects, fix="fix them; `babelreg lint` lists them")
    message = registry.by_urn.get(urn)
    if message is None or message.schema is None:
        declared = "declares no message" if message is None else "has no schema for"
        known = ", ".join(registry.schemas) or "none"
        raise UsageError(f"the registry {declared} {urn}", fix=f"name one of: {known}")
    steps: dict[str, tuple[Mapping[str, Any], ...]] = {}
    so_far: tuple[Mapping[str, Any], ...] = ()
    while message is not None and message.supersedes and message.supersedes not in (urn, *steps):
        so_far = (*message.upcast, *so_far)
        compiled(so_far)
        steps[message.supersedes] = so_far
        message = registry.by_urn.get(message.supersedes)
    strict = registry.compatibility(registry.by_urn[urn].context).reader == "strict"
    versions = (registry.by_urn.get(each) for each in (urn, *steps))
    aliased = any(each is not None and each.aliases for each in versions)
    return UpcastPlan(urn, registry.schemas[urn], strict, steps, aliased)
