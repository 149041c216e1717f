"""A Spark session that writes Delta and Iceberg, and tables read back by engines that are not Spark."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

EXTENSIONS = "io.delta.sql.DeltaSparkSessionExtension,org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"


def submit_arguments() -> str:
    """PYSPARK_SUBMIT_ARGS of such a session; the jars are fetched if they are not there."""
    path = Path(__file__).parents[2] / "shared" / "jars.py"
    spec = importlib.util.spec_from_file_location("jars", path)
    assert spec is not None
    assert spec.loader is not None
    jars = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(jars)
    listed = ",".join(map(str, jars.paths("delta", "iceberg", "kafka", "s3")))
    settings = {"spark.sql.extensions": EXTENSIONS, "spark.databricks.delta.snapshotPartitions": "1"}
    return " ".join(
        [f"--jars {listed}", *(f"--conf {key}={value}" for key, value in settings.items()), "pyspark-shell"]
    )


def configure(spark: Any, warehouse: Path) -> Any:
    """A session of its own with the catalogs ``spark_catalog`` (Delta) and ``ice`` (Iceberg, in a folder)."""
    spark.conf.set("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    own = spark.newSession()
    own.conf.set("spark.sql.shuffle.partitions", "2")
    own.conf.set("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    own.conf.set("spark.sql.catalog.ice", "org.apache.iceberg.spark.SparkCatalog")
    own.conf.set("spark.sql.catalog.ice.type", "hadoop")
    own.conf.set("spark.sql.catalog.ice.warehouse", str(warehouse))
    return own


WRITERS = [
    pytest.param("delta", "directly", id="directly-delta"),
    pytest.param("iceberg", "by Spark", id="by Spark-iceberg"),
    pytest.param("delta", "by Spark", id="by Spark-delta", marks=pytest.mark.long),
]
"""Values of ``to`` and of the fixture ``written``, for tests of what happens to rows before a format has them.

Spark's tables of Delta are compared with those of babelreg in ``tests/spark/platform/tables/test_segment_run.py``.
"""


class Lakehouse:
    """A place for tables of one format: ``at`` as ``Tables`` takes it."""

    def __init__(self, spark: Any, to: str, folder: Path, name: str) -> None:
        self.spark, self.to, self.folder = spark, to, folder / name
        self.at = str(self.folder) if to == "delta" else f"ice.{name}"
        if to == "iceberg":
            spark.sql(f"CREATE NAMESPACE IF NOT EXISTS ice.{name}")

    @classmethod
    def in_folder(cls, to: str, folder: Path) -> Lakehouse:
        """A place to read alone: the folder that has the tables."""
        place = cls.__new__(cls)
        place.to, place.folder = to, folder
        return place

    def table(self, name: str) -> str:
        """A table in SQL."""
        return f"delta.`{self.at}/{name}`" if self.to == "delta" else f"{self.at}.{name}"

    def exists(self, name: str) -> bool:
        return (self.folder / name).is_dir()

    def read(self, name: str, columns: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """The rows of a table, read without Spark."""
        rows: list[dict[str, Any]] = self.arrow(name, columns).to_pylist()
        return rows

    def arrow(self, name: str, columns: Sequence[str] | None = None) -> Any:
        """A table, read without Spark."""
        path = self.folder / name
        if self.to == "delta":
            from deltalake import DeltaTable

            return DeltaTable(path).to_pyarrow_table(columns=columns)
        from pyiceberg.table import StaticTable

        hint = (path / "metadata" / "version-hint.text").read_text().strip()
        static = StaticTable.from_metadata(str(path / "metadata" / f"v{hint}.metadata.json"))
        fields = tuple(columns) if columns else ("*",)
        return static.scan(selected_fields=fields).to_arrow()


def envelope(urn: str, identity: str | None, data: Any, created_at: int = 1_780_000_000_000, **changed: Any) -> bytes:
    """A message."""
    meta = {"id": identity, "queue": "q", "lang": "go", "schema_version": 1, "created_at": created_at}
    body = {"job": urn, "trace_id": "t", "data": data, "meta": meta, "attempts": 0, **changed}
    return json.dumps({**body, "meta": meta}).encode()
