"""A stream of messages into tables: Spark's source, babelreg's validation and tables, Spark's checkpoint.

::

    kafka | files  ->  value, position  ->  Tables.foreach_batch  ->  a table a URN, quarantine, counts
                            checkpoint: what was read, by batch; babelreg.json says of which stream

Spark writes to the checkpoint what a batch will read, before it runs, and that it has finished, after; tables know a
batch by query and number. So a run that is killed at any moment loses nothing and stores nothing twice.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from babelreg.errors import UsageError
from babelreg.model import Registry
from babelreg.spark.platform.stream import spark_jars, stream_errors
from babelreg.spark.platform.stream.stream_run import Observer, StreamRun
from babelreg.spark.platform.stream.stream_settings import StreamSettings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["stream"]


def stream(
    session: SparkSession,
    registry: Registry,
    settings: StreamSettings,
    *,
    observer: Observer | None = None,
    stop: threading.Event | None = None,
) -> None:
    """Read messages into tables, until all are read or ``stop`` is set; the batch at work is finished then.

    Raises UsageError, InputError, RegistryError, SparkFailure in words; the same call goes on where it ended.
    """
    if type(session).__module__.startswith("pyspark.sql.connect"):
        raise UsageError(
            "this is a session of Spark Connect, and `stream` reads its checkpoint in Spark's own process",
            fix="use spark-submit with the job.py of `babelreg gen spark`, or Tables(application=...).foreach_batch",
        )
    jvm: Any = session._jvm
    hadoop = str(jvm.org.apache.hadoop.util.VersionInfo.getVersion())
    places = (settings.at, settings.checkpoint)
    spark_jars.check(session, spark_jars.needed(settings.source, settings.to, places, session.version, hadoop))
    try:
        run = StreamRun(session, registry, settings, stop or threading.Event(), observer or Observer())
        run.run()
    except Exception as err:
        error = stream_errors.stream_error(err, settings.source, settings.checkpoint)
        if error is err:
            raise
        raise error from err
