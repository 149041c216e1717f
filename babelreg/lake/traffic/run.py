"""Sketches of recorded messages through an engine: the same bytes however the input is split.

A task sketches some splits and returns the bytes of its sketch, which are merged on the driver one by one. So memory
depends on the sketches and not on the input.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from babelreg.analysis.infer.refusals import DataRefusals, RefusalCounts
from babelreg.analysis.sketch import sketch_file
from babelreg.analysis.sketch.recordings import add_messages
from babelreg.analysis.sketch.text_detection import Detectors
from babelreg.analysis.sketch.traffic_sketch import TrafficSketch
from babelreg.errors import InputError
from babelreg.lake.engine.engine import Engine
from babelreg.lake.traffic.detection import detectors
from babelreg.lake.traffic.splits import Split, recorded_sources, traffic_splits
from babelreg.wire.format import NATIVE
from babelreg.wire.mapping import Key

_UNMAPPED: Mapping[Key, str] = {}


@dataclass
class RecordedTraffic:
    """The sketch of recorded messages, and the errors of the sources that could not be read to their end.

    ``lakes`` are those among the sources.
    """

    traffic: TrafficSketch
    damaged: list[InputError] = field(default_factory=list)
    lakes: list[Path] = field(default_factory=list)


def read_traffic(
    engine: Engine,
    sources: Sequence[Path],
    refusals: DataRefusals | None = None,
    *,
    wire: str = NATIVE,
    urns: Mapping[Key, str] = _UNMAPPED,
) -> RecordedTraffic:
    """Return the sketch of all ``sources``: files and folders of messages, lakes, saved sketches, standard input.

    Messages, but not those of saved sketches, enter ``refusals``. Those of files and folders are in the format
    ``wire``, whose names ``urns`` maps. Raises UsageError for a source that is not there.
    """
    recorded = RecordedTraffic(TrafficSketch(detectors()))
    found = recorded_sources(engine, sources, "babelreg infer messages.jsonl")
    recorded.lakes += found.lakes
    recorded.damaged += found.damaged
    for path in found.sketches:
        try:
            recorded.traffic.merge(sketch_file.read(path, recorded.traffic.detectors))
        except InputError as err:
            recorded.damaged.append(err)
    splits = traffic_splits(engine, found, wire, urns)
    task = SketchTask(recorded.traffic.detectors, refusals)
    for result in engine.map(splits.groups, task, size=splits.size):
        recorded.traffic.merge(sketch_file.decode(result.sketch, recorded.traffic.detectors))
        recorded.damaged += result.damaged
        if refusals is not None and result.refusals is not None:
            refusals.counts.merge(result.refusals)
    recorded.damaged += _add(recorded.traffic, splits.unshared, refusals)
    return recorded


class SketchedSplits(NamedTuple):
    """Result of a task: the bytes of a sketch, the refused messages, and the errors of splits."""

    sketch: bytes
    refusals: RefusalCounts | None
    damaged: list[InputError]


@dataclass(frozen=True)
class SketchTask:
    """The sketch of some splits. It is sent to the workers, which keep its validators."""

    detectors: Detectors
    refusals: DataRefusals | None

    def __call__(self, splits: Sequence[Split]) -> SketchedSplits:
        traffic = TrafficSketch(self.detectors)
        refusals = self.refusals.restarted() if self.refusals is not None else None
        damaged = _add(traffic, splits, refusals)
        return SketchedSplits(sketch_file.encode(traffic), refusals.counts if refusals is not None else None, damaged)


def _add(traffic: TrafficSketch, splits: Iterable[Split], refusals: DataRefusals | None) -> list[InputError]:
    """Add the messages of ``splits``; return the errors of those that could not be read to their end."""
    damaged: list[InputError] = []
    for split in splits:
        try:
            if refusals is None:
                add_messages(traffic, split.messages())
            else:
                add_messages(traffic, split.messages(), refusals.add)
        except InputError as err:
            damaged.append(err)  # what was read of it counts, and the others are read
    return damaged
