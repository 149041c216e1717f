"""Impact of a registry's change on recorded messages through an engine: the same counts however the input is split."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from babelreg.analysis.impact.impact_counts import ImpactCounts
from babelreg.analysis.impact.traffic_impact import TrafficImpact
from babelreg.errors import InputError, UsageError
from babelreg.lake.engine.engine import Engine
from babelreg.lake.traffic.splits import Split, recorded_sources, traffic_splits
from babelreg.wire.mapping import Key


@dataclass
class ImpactOfSources:
    """The counts of recorded messages, and the errors of the sources that could not be read to their end.

    ``lakes`` are those among the sources.
    """

    counts: ImpactCounts
    damaged: list[InputError] = field(default_factory=list)
    lakes: list[Path] = field(default_factory=list)


class SplitCounts(NamedTuple):
    """Result of a task: the counts of its messages, and the errors of splits."""

    counts: ImpactCounts
    damaged: list[InputError]


@dataclass(frozen=True)
class ImpactTask:
    """The counts of some splits. It is sent to the workers, which keep its validators."""

    impact: TrafficImpact

    def __call__(self, splits: Sequence[Split]) -> SplitCounts:
        self.impact.restart()
        damaged = _add(self.impact, splits)
        return SplitCounts(self.impact.counts, damaged)


def read_impact(
    engine: Engine, sources: Sequence[Path], impact: TrafficImpact, *, wire: str, urns: Mapping[Key, str]
) -> ImpactOfSources:
    """Return the counts of all messages of ``sources``: files, folders, lakes, standard input.

    Those of files and folders are in the format ``wire``, whose names ``urns`` maps. Raises UsageError for a source
    that is not there, or a sketch, which has no messages.
    """
    found = recorded_sources(engine, sources, "babelreg impact messages.jsonl")
    if found.sketches:
        fix = "pass the recordings that it was made from"
        raise UsageError(f"{found.sketches[0]} is a sketch, which contains no messages to validate", fix=fix)
    splits = traffic_splits(engine, found, wire, urns)
    recorded = ImpactOfSources(ImpactCounts(), found.damaged, found.lakes)
    for result in engine.map(splits.groups, ImpactTask(impact), size=splits.size):
        recorded.counts.merge(result.counts)
        recorded.damaged += result.damaged
    impact.restart()
    recorded.damaged += _add(impact, splits.unshared)
    recorded.counts.merge(impact.counts)
    return recorded


def _add(impact: TrafficImpact, splits: Iterable[Split]) -> list[InputError]:
    """Add the messages of ``splits``; return the errors of those that could not be read to their end."""
    damaged: list[InputError] = []
    for split in splits:
        try:
            impact.add(split.messages())
        except InputError as err:
            damaged.append(err)  # what was read of it counts, and the others are read
    return damaged
