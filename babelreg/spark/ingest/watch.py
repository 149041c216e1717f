"""``ingest`` again and again: a folder that grows, until somebody says stop.

Somebody may be writing while we read. So a last line without a line feed and a frame that is not whole wait until they
are, and so does a packed file that changed since the last look: what it holds is known only when it is whole.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.model import Registry
from babelreg.spark.ingest import input_discovery
from babelreg.spark.ingest.batch import Progress
from babelreg.spark.ingest.redrive import GRACE_SECONDS
from babelreg.spark.ingest.run import ingest_files
from babelreg.spark.ingest.summary import Summary

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["WAITING", "watch"]

WAITING = "waiting for more"
"""The step between two batches."""


def watch(
    spark: SparkSession | Callable[[], SparkSession],
    registry: Callable[[], Registry],
    input: str | Path,
    output: str | Path,
    *,
    stop: threading.Event,
    told: Callable[[Summary], None],
    every_seconds: float = 5,
    keep_duplicates: bool = False,
    compacting: bool = True,
    grace_seconds: int = GRACE_SECONDS,
    progress: Progress = lambda step: None,
) -> None:
    """Ingest what is new below ``input`` every ``every_seconds``, until ``stop`` is set; a batch at work is finished.

    ``registry`` is read anew for each batch, ``told`` called with its summary, also when other files
    are set aside than before. The session is started once. Raises what
    ``ingest`` raises: then nothing of that batch counts, and all before it does.
    """
    session = cache(spark) if callable(spark) else spark
    before: dict[str, input_discovery.State] = {}
    judged: dict[str, input_discovery.State] = {}
    set_aside: Mapping[str, str] = {}
    while not stop.is_set():
        now = input_discovery.state(Path(input), before)
        settled = {name: one for name, one in now.items() if not one.compression or before.get(name) == one}
        if settled != judged:
            summary = ingest_files(
                session,
                registry(),
                input,
                output,
                tuple(settled),
                keep_duplicates=keep_duplicates,
                compacting=compacting,
                grace_seconds=grace_seconds,
                progress=progress,
                growing=True,
            )
            if summary.batch is not None or summary.set_aside != set_aside:
                told(summary)
            set_aside = summary.set_aside
            judged = settled
        before = now
        progress(WAITING)
        stop.wait(every_seconds)
