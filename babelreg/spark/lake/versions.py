"""All versions of a message as one table: older rows are carried over as they are read.

``versions`` gives a DataFrame, ``version_batches`` the same rows as Arrow, without Spark. Both run ``contract.upcast``,
so that a row means in a query what the message meant to a consumer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelreg.contract.upcast import compiled
from babelreg.errors import RegistryError, UsageError
from babelreg.model import Registry
from babelreg.spark.lake import current_files
from babelreg.spark.lake.parquet import address
from babelreg.spark.lake.upcast_rows import STORED, Plan
from babelreg.typemap import spark as typemap

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["plan", "version_batches", "versions"]

_ROWS = 10_000
"""How many rows are carried over at once."""


def versions(spark: SparkSession, registry: Registry, output: str | Path, urn: str) -> DataFrame:
    """The rows of ``urn`` and of every message that it supersedes, with the columns of ``urn``.

    Two columns are added: ``upcast_from``, the URN a row was carried over from, and ``upcast_error``, why its ``data``
    is null. ``urn`` is as the message was sent. The rows are those of the files that ``output`` has now.

    Raises UsageError for a URN that the registry does not declare, RegistryError, UpcastError, SchemaError, InputError.
    """
    from pyspark.sql import functions as F
    from pyspark.sql.types import StructType

    asked = plan(registry, urn)
    asked.upcaster()  # what is wrong with it is told here, not on a worker
    found = current_files.all_files(output)
    struct = typemap.table(typemap.columns(asked.schema))
    added = [F.lit(None).cast("string").alias("upcast_from"), F.lit(None).cast("string").alias("upcast_error")]
    own = _read(spark, StructType.fromJson(typemap.as_json(struct)), found.get(urn, ()))
    newest = own.select("*", *added)
    older = [path for old in asked.steps for path in found.get(old, ())]
    if not older:
        return newest
    stored = StructType([own.schema[name] for name in STORED])
    return newest.unionByName(_read(spark, stored, older).mapInArrow(_carrying(asked), newest.schema))


def version_batches(registry: Registry, output: str | Path, urn: str) -> Iterator[pa.RecordBatch]:
    """:func:`versions` as Arrow: the rows of ``urn``, then the older ones, the newest version first."""
    from pyarrow import dataset

    asked = plan(registry, urn)
    upcaster, found = asked.upcaster(), current_files.all_files(output)
    for version in (urn, *asked.steps):
        if paths := found.get(version):
            rows = dataset.dataset(paths, schema=upcaster.schema, format="parquet")
            columns = upcaster.schema.names if version == urn else list(STORED)
            for batch in rows.to_batches(columns=columns, batch_size=_ROWS):
                yield batch if version == urn else upcaster.carried(batch)


def plan(registry: Registry, urn: str) -> Plan:
    """How older versions of ``urn`` become it. Raises UsageError, RegistryError, UpcastError."""
    if registry.defects:
        raise RegistryError("the registry has defects", registry.defects, fix="mend them; `babelreg lint` shows all")
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
    return Plan(urn, registry.schemas[urn], strict, steps)


def _read(spark: SparkSession, schema: Any, paths: Iterable[str]) -> DataFrame:
    found = [address(Path(path)) for path in paths]
    reader = spark.read.schema(schema).option("__globPaths__", "false")
    return reader.parquet(*found) if found else spark.createDataFrame([], schema)


def _carrying(asked: Plan) -> Any:
    """The function for ``mapInArrow``: rows of older versions in, rows of the newer one out."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        upcaster = asked.upcaster()
        for batch in batches:
            yield upcaster.carried(batch)

    return run
