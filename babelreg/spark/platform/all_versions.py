"""All versions of a message as one DataFrame: older rows of a lake are upcast as they are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelreg.lake.arrow.upcast_rows import UpcastPlan
from babelreg.lake.storage import current_files
from babelreg.lake.storage.all_versions import plan
from babelreg.lake.storage.parquet import address
from babelreg.model import Registry
from babelreg.typemap import spark as typemap

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession


def versions(spark: SparkSession, registry: Registry, output: str | Path, urn: str) -> DataFrame:
    """Return the rows of ``urn`` and of every message that it supersedes, with the columns of ``urn``.

    They are those of ``babelreg.lake.version_batches``.

    Raises UsageError for a URN that the registry does not declare, RegistryError, UpcastError, SchemaError, InputError.
    """
    from pyspark.sql import functions as F
    from pyspark.sql.types import StructType

    upcast_plan = plan(registry, urn)
    upcast_plan.upcaster()  # raises here, not in a worker
    files_by_urn = current_files.all_files(output)
    struct = typemap.table(typemap.columns(upcast_plan.schema), aliased=upcast_plan.aliased)
    added = [F.lit(None).cast("string").alias("upcast_from"), F.lit(None).cast("string").alias("upcast_error")]
    rows = _read(spark, StructType.fromJson(typemap.as_json(struct)), files_by_urn.get(urn, ()))
    newest = rows.select("*", *added)
    older = [path for old in upcast_plan.steps for path in files_by_urn.get(old, ())]
    if not older:
        return newest
    stored = StructType([rows.schema[name] for name in upcast_plan.stored])
    return newest.unionByName(_read(spark, stored, older).mapInArrow(_upcast_function(upcast_plan), newest.schema))


def _read(spark: SparkSession, schema: Any, paths: Iterable[str]) -> DataFrame:
    urls = [address(Path(path)) for path in paths]
    reader = spark.read.schema(schema).option("__globPaths__", "false")
    return reader.parquet(*urls) if urls else spark.createDataFrame([], schema)


def _upcast_function(upcast_plan: UpcastPlan) -> Any:
    """Return the function for ``mapInArrow`` that upcasts rows."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        upcaster = upcast_plan.upcaster()
        for batch in batches:
            yield upcaster.upcast(batch)

    return run
