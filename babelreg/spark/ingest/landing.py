"""The landing: every message of a batch, judged and typed, as Arrow in staging until the tables are made of it.

A task writes one file, however many URNs it meets: segments, each the rows of one place (the number of a URN in the
judge's list, REFUSED for the quarantine) as an Arrow record batch without its schema, which the place tells. What a
task wrote counts when it says so: a second attempt writes files of its own. Beside it stand the ids of the accepted
messages (see ``identities``).
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelreg.spark.ingest.task_map import spread
from babelreg.spark.sources import MessageSource
from babelreg.spark.tasks.counting import MessageCounter
from babelreg.spark.tasks.landing_files import Landing, Segment
from babelreg.spark.tasks.validation_spec import ValidationSpec

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["progress_folder", "write"]

_Told = tuple[list[tuple[int, Segment]], list[Path], int]
"""Segments by place, files of ids, the number of messages."""


def progress_folder(work: Path) -> Path:
    """Return where the tasks of a batch with the staging folder ``work`` count what they have read."""
    return work / "progress"


def write(session: SparkSession, source: MessageSource, judge: ValidationSpec, folder: Path) -> Landing:
    """Judge every message of ``source`` and land it below ``folder``."""
    folder.mkdir()
    shares = source.shares(session.sparkContext.defaultParallelism)
    told = spread(session, shares, partial(_landed, source, judge, folder))
    found: dict[int, list[Segment]] = {}
    for segments, _, _ in told:
        for place, one in segments:
            found.setdefault(place, []).append(one)
    ordered = {place: tuple(sorted(some, key=lambda one: (one.file, one.offset))) for place, some in found.items()}
    ids = tuple(path for _, paths, _ in told for path in paths)
    return Landing(ordered, ids, sum(messages for _, _, messages in told))


def _landed(source: MessageSource, judge: ValidationSpec, folder: Path, share: Any) -> _Told:
    """What a task does with a share of ``source``."""
    from babelreg.contract.parse import deep
    from babelreg.spark.tasks.task_writer import Tray

    with _uncollected(), deep(), Tray(judge, folder) as tray, MessageCounter(progress_folder(folder.parent)) as counter:
        for piece in source.pieces(share):
            tray.add(piece)
            counter.add(piece)
    return tray.segments, tray.ids, tray.messages


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the search for cycles, of which there are none: it walks over all that is held, again and again."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
