"""Repeated ``ingest`` of a growing folder, until it is stopped.

Files may be written while they are read. So a last line without a line feed and an incomplete frame wait until they are
complete, and a compressed file that changed since the last look waits until it no longer changes; so does a log whose
old bytes may be in it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from babelreg.errors import UsageError
from babelreg.lake.engine.engine import EngineChoice
from babelreg.lake.engine.local_engine import opened
from babelreg.lake.ingest.batch import Progress
from babelreg.lake.ingest.redrive import GRACE_SECONDS
from babelreg.lake.ingest.run import InputChanged, follower_of, ingest_files
from babelreg.lake.ingest.summary import Summary
from babelreg.lake.input.standard_input import is_stream
from babelreg.model import Registry
from babelreg.model.thresholds import ThresholdsLike
from babelreg.sources import input_folder
from babelreg.wire.format import NATIVE

WAITING = "waiting for more"
"""Description of the step between two batches."""


def watch(
    engine: EngineChoice,
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
    wire: str = NATIVE,
    received_at: int | None = None,
    fail_above: ThresholdsLike = None,
    hold_above: ThresholdsLike = None,
    publish: Collection[str] | None = (),
    progress: Progress = lambda step: None,
) -> None:
    """Ingest what is new below ``input`` every ``every_seconds`` until ``stop`` is set; a running batch is finished.

    ``registry`` is read again before each batch. ``told`` is called with its summary, also when other files are set
    aside than before, or copies appeared. The engine is started once. Raises what ``ingest`` raises: then that batch is
    not committed, and all earlier ones are. A batch above ``fail_above`` is committed, and the last one. Files that are
    rotated while they are read are read by the next turn. ``input`` is a folder, or one of its files. ``publish`` is as
    in ``ingest``; slow formats are published once a minute, and at the end.
    """
    if is_stream(Path(input)):
        raise UsageError(
            "standard input cannot be watched: its messages are committed when it ends",
            fix="remove --watch, or write it to a file in a folder and watch that",
        )
    follower = follower_of(Path(output), publish, progress)
    follower.catch_up()
    with opened(engine) as engine:
        previous: dict[str, input_folder.FileState] = {}
        ingested: dict[str, input_folder.FileState] = {}
        set_aside: Mapping[str, str] = {}
        while not stop.is_set():
            current = input_folder.state(Path(input), previous)
            known = set(previous.values())  # rotation renames files every time
            settled = {name: file for name, file in current.items() if not file.compression or file in known}
            if settled != ingested:
                try:
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
                        unsettled=tuple(current.keys() - settled.keys()),
                    )
                except InputChanged:
                    progress(WAITING)
                    stop.wait(every_seconds)
                    continue
                if summary.batch is not None or summary.copies or summary.set_aside != set_aside:
                    told(summary)
                follower.follow(last=False)
                if summary.exceeded:
                    break
                set_aside = summary.set_aside
                ingested = settled
            previous = current
            progress(WAITING)
            stop.wait(every_seconds)
    follower.follow()
