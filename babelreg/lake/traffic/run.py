"""Sketches of recorded messages through an engine: the same bytes however the input is split.

A task sketches some splits and returns the bytes of its sketch, which are merged on the driver one by one. So memory
depends on the sketches and not on the input.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from babelreg.analysis.infer.refusals import DataRefusals, RefusalCounts
from babelreg.analysis.sketch import sketch_file
from babelreg.analysis.sketch.recordings import add_messages
from babelreg.analysis.sketch.text_detection import Detectors
from babelreg.analysis.sketch.traffic_sketch import TrafficSketch
from babelreg.analysis.sketch.window import Window
from babelreg.contract.envelope import Envelope
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

    ``lakes`` are those among the sources. ``outside`` is the number of messages outside of the window.
    """

    traffic: TrafficSketch
    damaged: list[InputError] = field(default_factory=list)
    lakes: list[Path] = field(default_factory=list)
    outside: int = 0


def read_traffic(
    engine: Engine,
    sources: Sequence[Path],
    refusals: DataRefusals | None = None,
    *,
    wire: str = NATIVE,
    urns: Mapping[Key, str] = _UNMAPPED,
    window: Window | None = None,
    example: str = "babelreg infer messages.jsonl",
) -> RecordedTraffic:
    """Return the sketch of all ``sources``: files and folders of messages, lakes, saved sketches, standard input.

    Messages, but not those of saved sketches, enter ``refusals``. Those of files and folders are in the format
    ``wire``, whose names ``urns`` maps. With ``window`` only those count that were created in it; a saved sketch that
    has others, too, is damaged. Raises UsageError, with ``example``, for a source that is not there.
    """
    recorded = RecordedTraffic(TrafficSketch(detectors()))
    found = recorded_sources(engine, sources, example)
    recorded.lakes += found.lakes
    recorded.damaged += found.damaged
    for path in found.sketches:
        try:
            sketch = sketch_file.read(path, recorded.traffic.detectors)
            _check_within(path, sketch, window)
            recorded.traffic.merge(sketch)
        except InputError as err:
            recorded.damaged.append(err)
    splits = traffic_splits(engine, found, wire, urns)
    task = SketchTask(recorded.traffic.detectors, refusals, window)
    for result in engine.map(splits.groups, task, size=splits.size):
        recorded.traffic.merge(sketch_file.decode(result.sketch, recorded.traffic.detectors))
        recorded.damaged += result.damaged
        recorded.outside += result.outside
        if refusals is not None and result.refusals is not None:
            refusals.counts.merge(result.refusals)
    damaged, outside = _add(recorded.traffic, splits.unshared, refusals, window)
    recorded.damaged += damaged
    recorded.outside += outside
    return recorded


class SketchedSplits(NamedTuple):
    """Result of a task: the bytes of a sketch, the refused messages, the errors of splits, and those left out."""

    sketch: bytes
    refusals: RefusalCounts | None
    damaged: list[InputError]
    outside: int


@dataclass(frozen=True)
class SketchTask:
    """The sketch of some splits. It is sent to the workers, which keep its validators."""

    detectors: Detectors
    refusals: DataRefusals | None
    window: Window | None = None

    def __call__(self, splits: Sequence[Split]) -> SketchedSplits:
        traffic = TrafficSketch(self.detectors)
        refusals = self.refusals.restarted() if self.refusals is not None else None
        damaged, outside = _add(traffic, splits, refusals, self.window)
        counts = refusals.counts if refusals is not None else None
        return SketchedSplits(sketch_file.encode(traffic), counts, damaged, outside)


def _add(
    traffic: TrafficSketch, splits: Iterable[Split], refusals: DataRefusals | None, window: Window | None
) -> tuple[list[InputError], int]:
    """Add the messages of ``splits``.

    Return the errors of those that could not be read to their end, and the number of messages outside of ``window``.
    """
    damaged: list[InputError] = []
    outside = 0
    judge = refusals.add if refusals is not None else _unjudged
    for split in splits:
        try:
            outside += add_messages(traffic, split.messages(), judge, window)
        except InputError as err:
            damaged.append(err)  # what was read of it counts, and the others are read
    return damaged, outside


def _unjudged(envelope: Envelope) -> None:
    return None


def _check_within(path: Path, sketch: TrafficSketch, window: Window | None) -> None:
    """Raise InputError for a sketch with messages outside of ``window``: it cannot be cut."""
    spans = [(each.first_ms, each.last_ms) for each in (sketch.messages or {}).values()]
    times = [time for span in spans for time in span if time is not None]
    if window is not None and not all(map(window.holds, times)):
        first, last = (datetime.fromtimestamp(pick(times) / 1000, UTC).date() for pick in (min, max))
        message = f"{path} is a sketch of messages from {first} to {last}, which cannot be cut to the window"
        raise InputError(message, fix="save a sketch of that window alone, or remove --window")
