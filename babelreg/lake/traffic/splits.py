"""Splits of recorded traffic: files and folders of messages, lakes and standard input, grouped for parallel tasks."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from babelreg.analysis.sketch import sketch_file
from babelreg.errors import InputError
from babelreg.lake.engine.engine import Engine
from babelreg.lake.engine.local_engine import LocalEngine
from babelreg.lake.storage import output_folder
from babelreg.lake.traffic.foreign_splits import ForeignSplit, foreign_splits
from babelreg.lake.traffic.lake_splits import LakeSplit, lake_splits
from babelreg.sources.message_input import input_paths, is_stdin
from babelreg.sources.recording_splits import RecordingSplit, recording_splits
from babelreg.wire.format import NATIVE
from babelreg.wire.mapping import Key

Split: TypeAlias = RecordingSplit | ForeignSplit | LakeSplit

_PARALLEL_BYTES = 32 * 1024 * 1024
"""Input below which a second process costs more than it gains (see ``local_engine``)."""

_TASKS_PER_PROCESS = 4


@dataclass
class RecordedSources:
    """Sources by their kind. ``damaged`` are the errors of those that cannot be read."""

    lakes: list[Path] = field(default_factory=list)
    sketches: list[Path] = field(default_factory=list)
    recordings: list[Path] = field(default_factory=list)
    damaged: list[InputError] = field(default_factory=list)


@dataclass(frozen=True)
class TrafficSplits:
    """Splits of recorded messages: ``groups`` for tasks of ``size`` bytes together, and ``unshared`` for this process.

    The latter are pipes, and everything where a second process would not pay.
    """

    groups: Sequence[tuple[Split, ...]]
    unshared: Sequence[Split]
    size: int


def recorded_sources(engine: Engine, sources: Sequence[Path], example: str) -> RecordedSources:
    """Return ``sources`` by their kind. Raises UsageError, with ``example``, for one that is not there."""
    lakes = [path for path in sources if not is_stdin(path) and output_folder.is_written(path)]
    if lakes:
        engine.check_installed()
    found = RecordedSources(lakes)
    others = [path for path in sources if path not in lakes]
    for path in input_paths(others, example, folders=True) if others or not lakes else []:
        try:
            (found.sketches if _is_sketch(path) else found.recordings).append(path)
        except InputError as err:
            found.damaged.append(err)
    return found


def traffic_splits(engine: Engine, sources: RecordedSources, wire: str, urns: Mapping[Key, str]) -> TrafficSplits:
    """Return the splits of lakes and recordings, whose messages are in the format ``wire``; ``urns`` maps its names.

    Raises UsageError, InputError.
    """
    parallel = _PARALLEL_BYTES if isinstance(engine, LocalEngine) else 0
    tasks = engine.parallelism()
    splits: list[Split] = [split for lake in sources.lakes for split in lake_splits(lake)]
    if wire == NATIVE:
        splits += recording_splits(sources.recordings, tasks)
    else:
        splits += foreign_splits(sources.recordings, tasks, wire, urns)
    size = sum(split.size for split in splits)
    unshared = splits if size < parallel else [split for split in splits if split.is_pipe]
    shared = [split for split in splits if split not in unshared]
    return TrafficSplits(list(_grouped(shared, tasks * _TASKS_PER_PROCESS)), unshared, size)


def _grouped(splits: Sequence[Split], count: int) -> Iterator[tuple[Split, ...]]:
    """Yield ``splits`` in order, at most about ``count`` groups of equal size."""
    size = -(-sum(split.size for split in splits) // count)
    group: list[Split] = []
    for split in splits:
        group.append(split)
        if sum(each.size for each in group) >= size:
            yield tuple(group)
            group = []
    if group:
        yield tuple(group)


def _is_sketch(path: Path) -> bool:
    """Return True for a saved sketch. Raises InputError."""
    try:
        if is_stdin(path) or not stat.S_ISREG(path.stat().st_mode):
            return False  # a pipe is read once
        with path.open("rb") as file:
            return sketch_file.is_sketch(file.peek(64))
    except OSError as err:
        raise InputError(f"cannot read {path}: {err.strerror}", fix="name a file that can be read") from err
