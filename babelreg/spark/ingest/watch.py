"""Repeated ``ingest`` of a growing folder, until it is stopped.

Files may be written while they are read. So a last line without a line feed and an incomplete frame wait until they are
complete, and a compressed file that changed since the last look waits until it no longer changes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.model import Registry
from babelreg.model.thresholds import ThresholdsLike
from babelreg.spark.engine.engine import opened
from babelreg.spark.ingest import input_discovery
from babelreg.spark.ingest.batch import Progress
from babelreg.spark.ingest.redrive import GRACE_SECONDS
from babelreg.spark.ingest.run import ingest_files
from babelreg.spark.ingest.summary import Summary
from babelreg.spark.sources.message_source import BABELQUEUE

if TYPE_CHECKING:
    from babelreg.spark.engine.engine import EngineChoice

__all__ = ["WAITING", "watch"]

WAITING = "waiting for more"
"""Description of the step between two batches."""


def watch(
    spark: EngineChoice,
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
    wire: str = BABELQUEUE,
    received_at: int | None = None,
    fail_above: ThresholdsLike = None,
    hold_above: ThresholdsLike = None,
    progress: Progress = lambda step: None,
) -> None:
    """Ingest what is new below ``input`` every ``every_seconds`` until ``stop`` is set; a running batch is finished.

    ``registry`` is read again before each batch. ``told`` is called with its summary, also when other files are set
    aside than before. The engine is started once. Raises what ``ingest`` raises: then that batch is not committed, and
    all earlier ones are. A batch above ``fail_above`` is committed, and the last one.
    """
    with opened(spark) as engine:
        previous: dict[str, input_discovery.FileState] = {}
        ingested: dict[str, input_discovery.FileState] = {}
        set_aside: Mapping[str, str] = {}
        while not stop.is_set():
            current = input_discovery.state(Path(input), previous)
            settled = {
                name: file for name, file in current.items() if not file.compression or previous.get(name) == file
            }
            if settled != ingested:
                summary = ingest_files(
                    engine,
                    registry(),
                    input,
                    output,
                    tuple(settled),
                    keep_duplicates=keep_duplicates,
                    compacting=compacting,
                    grace_seconds=grace_seconds,
                    wire=wire,
                    received_at=received_at,
                    fail_above=fail_above,
                    hold_above=hold_above,
                    progress=progress,
                    growing=True,
                )
                if summary.batch is not None or summary.set_aside != set_aside:
                    told(summary)
                if summary.exceeded:
                    return
                set_aside = summary.set_aside
                ingested = settled
            previous = current
            progress(WAITING)
            stop.wait(every_seconds)
