"""The search for a document that proves a change breaking: one side allows it, the other refuses it.

A witness counts only when two independent validators agree on it; then it is shrunk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from babelreg.breaking.containment.prover import ProverCase, ProverLost
from babelreg.breaking.containment.search.shrink import shrunk
from babelreg.breaking.containment.validator import Refusal, SchemaValidator
from babelreg.schema.pointer import Pointer

__all__ = ["Witness", "WitnessSearch"]

_MOST_DISPUTED = 16
_STEPS_WITH_BOTH = 150
_MOST_KEYWORDS = 60


@dataclass(frozen=True, slots=True)
class Witness:
    """A document with the keyword that refuses it."""

    document: Any
    refusal: Refusal


@dataclass
class WitnessSearch:
    """The search for witnesses that ``inner`` allows and ``outer`` refuses; both name a schema of ``case``.

    ``disputed`` counts the documents on which the two validators did not agree.
    """

    case: ProverCase
    inner: str
    outer: str
    within: SchemaValidator
    beyond: SchemaValidator
    disputed: int = 0

    def shows(self, document: Any) -> bool:
        """True if the first validator sees ``document`` allowed by inner and refused by outer."""
        return self.within.takes(document) and self.beyond.refuses(document)

    def first(self, candidates: Iterator[Any], budget: int) -> Witness | None:
        """The first witness among the next ``budget`` candidates. Raises ProverLost when the second validator is."""
        for document in islice(candidates, budget):
            if self.disputed >= _MOST_DISPUTED:
                return None
            if self.shows(document):
                witness = self.confirmed(document, self.shows)
                if witness is not None:
                    return witness
        return None

    def confirmed(self, document: Any, shows: Callable[[Any], bool]) -> Witness | None:
        """``document`` made small while it ``shows``, where the second validator agrees; None where it does not."""
        small = shrunk(document, shows)
        agreed = self.case.refuted(self.inner, self.outer, [small, document])
        if not agreed[0]:
            self.disputed += 1
            if not agreed[1]:
                return None
            small = shrunk(document, lambda d: shows(d) and self._agreed(d), _STEPS_WITH_BOTH)
        refusals = self.beyond.refusals(small)
        return Witness(small, refusals[0]) if refusals else None

    def _agreed(self, document: Any) -> bool:
        return self.case.refuted(self.inner, self.outer, [document])[0]

    def each_keyword(self, candidates: Iterable[Any], budget: int) -> list[Witness]:
        """One witness for each keyword of outer that refuses a candidate, in the order they were found.

        Each is shrunk until, where possible, no other keyword refuses it.
        """
        found: dict[tuple[Pointer, str | None], Witness | None] = {}
        for document in islice(candidates, budget):
            if len(found) >= _MOST_KEYWORDS or not self.shows(document):
                continue
            for refusal in self.beyond.causes(document)[:_MOST_KEYWORDS]:
                if refusal.point not in found:
                    found[refusal.point] = self._for_keyword(document, refusal)
        return [witness for witness in found.values() if witness]

    def _for_keyword(self, document: Any, refusal: Refusal) -> Witness | None:
        def shows(smaller: Any) -> bool:
            return self.shows(smaller) and any(r.point == refusal.point for r in self.beyond.causes(smaller))

        try:
            witness = self.confirmed(document, shows)
        except ProverLost:
            return None
        if witness is None:
            return None
        said = self.beyond.causes(witness.document)
        own = next(r for r in said if r.point == refusal.point)
        if own.keyword != "type" and any(r.keyword == "type" and r.instance == own.instance for r in said):
            # What is wrong about this value is its type; that other keywords refuse it too tells nobody anything.
            return None
        return Witness(witness.document, own)
