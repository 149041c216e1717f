"""Counts of messages as labelled values, the same in the metrics of a run and in those of a stream."""

from __future__ import annotations

from collections.abc import Mapping

from babelreg.lake.operations.exposition import LabelledValues


def by_label(label: str, counts: Mapping[str, int]) -> LabelledValues:
    """Return one value for each key of ``counts``."""
    return [({label: key}, count) for key, count in sorted(counts.items())]


def by_result(
    accepted: Mapping[str, int], duplicates: Mapping[str, int], refused: Mapping[str, Mapping[str, int]]
) -> LabelledValues:
    """Return the messages of each URN by what became of them; ``refused`` are counts by URN and reason."""
    quarantined = {urn: sum(reasons.values()) for urn, reasons in refused.items()}
    results = {"accepted": accepted, "duplicate": duplicates, "quarantined": quarantined}
    return [
        ({"urn": urn, "result": result}, count)
        for result, urns in results.items()
        for urn, count in sorted(urns.items())
    ]


def refused_by_reason(refused: Mapping[str, Mapping[str, int]]) -> LabelledValues:
    """Return the quarantined messages by URN and reason."""
    return [
        ({"urn": urn, "reason": reason}, count)
        for urn, reasons in sorted(refused.items())
        for reason, count in sorted(reasons.items())
    ]
