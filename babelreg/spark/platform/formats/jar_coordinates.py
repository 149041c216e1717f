"""Jars of each table format by line of Spark, and the errors that name them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from babelreg.errors import UsageError

COORDINATES: Mapping[str, Mapping[str, str]] = {
    "Delta Lake": {line: f"io.delta:delta-spark_{line}_2.13:4.4.0" for line in ("4.0", "4.1", "4.2")},
    "Apache Iceberg": {line: f"org.apache.iceberg:iceberg-spark-runtime-{line}_2.13:1.12.0" for line in ("4.0", "4.1")},
}
"""The Maven coordinates by format and by the first two numbers of Spark's version."""


def check_spark(title: str, version: str) -> str:
    """Return the coordinates for a version of Spark. Raises UsageError for one without jars."""
    lines = COORDINATES[title]
    line = ".".join(version.split(".")[:2])
    if line not in lines:
        raise UsageError(
            f"{title} publishes no jar for Spark {version}, only for Spark {', '.join(lines)}",
            fix="pip install 'babelreg[platform]', which brings Spark 4.1",
        )
    return lines[line]


def missing_jars(title: str, version: str, settings: Mapping[str, str]) -> UsageError:
    """Return the error for a session that lacks the jars or settings of a format."""
    options = {"spark.jars.packages": check_spark(title, version), **settings}
    confs = [f"--conf {shlex.quote(f'{key}={value}')}" for key, value in options.items()]
    return UsageError(
        f"this Spark session cannot write tables of {title}: its jar or its settings are missing",
        fix=f"start the session with {' '.join(confs)}",
    )
