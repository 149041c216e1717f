"""Jars and settings that a Spark session needs for a stream, and what to say where some are missing.

The Python package of Spark has neither Kafka's source, nor S3A, nor a table format. ``--packages`` lets Spark fetch
them from Maven Central; a cluster or an image has them already, or gets them by ``--jars``.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelreg.errors import UsageError
from babelreg.spark.platform.formats.jar_coordinates import COORDINATES
from babelreg.spark.platform.stream.place import WAREHOUSE_CATALOG, KafkaPlace, SourcePlace, is_folder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from babelreg.spark.platform.stream.stream_settings import StreamSettings

_KAFKA = {"4.0": "4.0.0", "4.1": "4.1.1", "4.2": "4.2.0"}
"""Versions of Kafka's source by line of Spark: the newest whose dependencies Maven Central has, too."""

_AWS_SDK = "2.29.52"
_AWS_MODULES = ("s3", "s3-transfer-manager", "sts", "apache-client", "netty-nio-client")
"""What S3A calls of ``software.amazon.awssdk:bundle``, which is excluded: 15 MB instead of 641."""

_EXCLUDED = "software.amazon.awssdk:bundle"
_DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}


@dataclass(frozen=True, slots=True)
class SparkJars:
    """Jars for one purpose: present where ``class_name`` can be loaded, else to be had by ``coordinates``."""

    title: str
    class_name: str
    coordinates: tuple[str, ...]


def needed(source: SourcePlace, to: str, places: Iterable[str], spark_version: str, hadoop: str) -> list[SparkJars]:
    """Return the jars that a stream needs beside Spark's own. ``places`` are addresses that it reads and writes."""
    line = ".".join(spark_version.split(".")[:2])
    jars: list[SparkJars] = []
    if isinstance(source, KafkaPlace):
        version = _KAFKA.get(line, spark_version)
        coordinates = f"org.apache.spark:spark-sql-kafka-0-10_2.13:{version}"
        jars.append(SparkJars("Kafka's source", "org.apache.spark.sql.kafka010.KafkaSourceProvider", (coordinates,)))
    if any(place.startswith("s3a://") for place in (str(source), *places)):
        modules = tuple(f"software.amazon.awssdk:{module}:{_AWS_SDK}" for module in _AWS_MODULES)
        hadoop_aws = f"org.apache.hadoop:hadoop-aws:{hadoop}"
        jars.append(SparkJars("S3", "org.apache.hadoop.fs.s3a.S3AFileSystem", (hadoop_aws, *modules)))
    title, class_name = {
        "delta": ("Delta Lake", "io.delta.sql.DeltaSparkSessionExtension"),
        "iceberg": ("Apache Iceberg", "org.apache.iceberg.spark.SparkCatalog"),
    }[to]
    lines = COORDINATES[title]
    if line not in lines:
        raise UsageError(
            f"{title} publishes no jar for Spark {spark_version}, only for Spark {', '.join(lines)}",
            fix="pip install 'babelreg[platform]', which brings Spark 4.1",
        )
    return [*jars, SparkJars(title, class_name, (lines[line],))]


def needed_here(settings: StreamSettings) -> list[SparkJars]:
    """Return the jars that a stream needs beside those of the installed Spark, which need not run."""
    import pyspark

    home = os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent
    (name,) = (path.stem for path in Path(home, "jars").glob("hadoop-client-api-*.jar"))
    places = (settings.at, settings.checkpoint)
    hadoop = name.rpartition("-")[2]
    return needed(settings.source, settings.to, places, pyspark.__version__, hadoop)


def packages(jars: Iterable[SparkJars]) -> dict[str, str]:
    """Return the settings with which Spark fetches ``jars`` when it starts."""
    coordinates = [name for item in jars for name in item.coordinates]
    result = {"spark.jars.packages": ",".join(coordinates)}
    return result | ({"spark.jars.excludes": _EXCLUDED} if any("hadoop-aws" in name for name in coordinates) else {})


def settings(to: str, at: str) -> dict[str, str]:
    """Return the settings of the table format, for a session that is started for the stream."""
    if to == "delta":
        return dict(_DELTA)
    return {} if not is_folder(at) else _warehouse(at)


def check(session: SparkSession, jars: Iterable[SparkJars]) -> None:
    """Raise UsageError if ``session`` lacks some of ``jars``."""
    jvm: Any = session._jvm
    missing = [item for item in jars if not jvm.org.apache.spark.util.Utils.classIsLoadable(item.class_name)]
    if missing:
        options = " ".join(f"--conf {shlex.quote(f'{key}={value}')}" for key, value in packages(missing).items())
        raise UsageError(
            f"this Spark has no jars for {' and '.join(item.title for item in missing)}",
            fix=f"add --packages, which lets Spark fetch them from Maven Central; for spark-submit: {options}",
        )


def _warehouse(at: str) -> dict[str, str]:
    name = f"spark.sql.catalog.{WAREHOUSE_CATALOG}"
    return {name: "org.apache.iceberg.spark.SparkCatalog", f"{name}.type": "hadoop", f"{name}.warehouse": at}
