"""Gaps in the findings of a run: compatible verdicts without a certificate, and breaks that are not listed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from babelreg.breaking.check.verdicts import DirectionResult
from babelreg.containment.witness import MAX_KEYWORDS
from babelreg.plural import counted

_MOST_NAMED = 3


class PairGaps(NamedTuple):
    """Directions of one pair that are compatible without a certificate, and those whose breaks are not all listed."""

    uncertified: int
    cut: int

    @classmethod
    def of(cls, results: Sequence[DirectionResult]) -> PairGaps:
        return cls(
            sum(verdict.certified is False for _, verdict, _ in results),
            sum(len(witnesses) >= MAX_KEYWORDS for _, _, witnesses in results),
        )


class ReportGaps:
    """The gaps of all pairs of a run, which ``check`` fills in."""

    def __init__(self) -> None:
        self._by_urn: dict[str, PairGaps] = {}

    def add(self, urn: str, gaps: PairGaps) -> None:
        self._by_urn[urn] = gaps

    @property
    def summary(self) -> list[str]:
        """Sentences for the report; none where there is nothing to say."""
        sentences = []
        if number := sum(gaps.uncertified for gaps in self._by_urn.values()):
            sentences.append(f"{counted(number, 'verdict')} compatible without a certificate: see docs/proofs.md")
        if cut := [urn for urn, gaps in self._by_urn.items() if gaps.cut]:
            named = ", ".join(cut[:_MOST_NAMED]) + (", …" if len(cut) > _MOST_NAMED else "")
            sentences.append(f"only the first {MAX_KEYWORDS} breaks of a direction are listed: {named}")
        return sentences
