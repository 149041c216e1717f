"""Search for witnesses: documents that prove a change breaking, as one side allows and the other refuses them.

A witness counts only if two independent validators agree on it; then it is made as small as possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from babelreg.containment.fields import lists_every_name
from babelreg.containment.search.shrink import shrunk
from babelreg.containment.second_validator import SchemaCase, ValidatorLost
from babelreg.containment.validator import Refusal, SchemaValidator
from babelreg.schema.keywords import PROPERTY_KEYWORDS
from babelreg.schema.pointer import Pointer

_MAX_DISPUTED = 16
_STEPS_WITH_BOTH = 150
MAX_KEYWORDS = 60
"""Refusing keywords of a direction for which a witness is sought."""
_FOR_OTHERS = PROPERTY_KEYWORDS - {"properties"}


Point = tuple[Pointer, str | None, bool]
"""The keyword of a witness: its pointer, what is missing, and ``unlisted``."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A document and the keyword that refuses it.

    ``unlisted``: the keyword is one for properties that outer does not list, and inner does not list this one either.
    """

    document: Any
    refusal: Refusal
    unlisted: bool = False

    @property
    def point(self) -> Point:
        """Identify the keyword, and ``unlisted``, independently of the document."""
        return *self.refusal.point, self.unlisted


@dataclass
class WitnessSearch:
    """Search for witnesses that ``inner`` allows and ``outer`` refuses; both name a schema of ``case``.

    ``disputed`` counts the documents on which the two validators do not agree. ``by_keyword`` has the witnesses that
    :meth:`each_keyword` found, None for a keyword of which there is none. One that was hidden, by a wrong type or as a
    pattern of names is by a listed property that matches it, is looked at again in a document where it is not. A
    keyword for unlisted properties has two: a property that only outer does not list may have been removed, which says
    nothing of the others.
    """

    case: SchemaCase
    inner: str
    outer: str
    inner_validator: SchemaValidator
    outer_validator: SchemaValidator
    disputed: int = 0
    by_keyword: dict[Point, Witness | None] = field(default_factory=dict)
    _hidden: set[Point] = field(default_factory=set)

    def shows(self, document: Any) -> bool:
        """Return True if inner allows and outer refuses ``document``, by the first validator."""
        return self.inner_validator.accepts(document) and self.outer_validator.refuses(document)

    def first(self, candidates: Iterator[Any], budget: int) -> Witness | None:
        """Return the first witness among the next ``budget`` candidates.

        Raises ValidatorLost where the second validator gives no answer.
        """
        for document in islice(candidates, budget):
            if self.disputed >= _MAX_DISPUTED:
                return None
            if self.shows(document):
                witness = self.confirmed(document, self.shows)
                if witness is not None:
                    return witness
        return None

    def confirmed(self, document: Any, shows: Callable[[Any], bool]) -> Witness | None:
        """Return ``document``, made small while it ``shows``; None where the second validator disagrees."""
        small = shrunk(document, shows)
        agreed = self.case.refuted(self.inner, self.outer, [small, document])
        if not agreed[0]:
            self.disputed += 1
            if not agreed[1]:
                return None
            small = shrunk(document, lambda d: shows(d) and self._agreed(d), _STEPS_WITH_BOTH)
        refusals = self.outer_validator.refusals(small)
        return Witness(small, refusals[0]) if refusals else None

    def _agreed(self, document: Any) -> bool:
        return self.case.refuted(self.inner, self.outer, [document])[0]

    def each_keyword(self, candidates: Iterator[Any], budget: int) -> list[Witness]:
        """Return one witness for each keyword of outer that refuses one of the next ``budget`` candidates.

        Witnesses of earlier calls come first. Each is made small until, where possible, no other keyword refuses it.
        """
        for document in islice(candidates, budget):
            if len(self.by_keyword) >= MAX_KEYWORDS or not self.shows(document):
                continue
            causes = self.outer_validator.causes(document)[:MAX_KEYWORDS]
            for refusal in causes:
                point = self._point(refusal)
                if point not in self.by_keyword or (point in self._hidden and not _is_hidden(refusal, causes)):
                    self._hidden.discard(point)
                    self.by_keyword[point] = self._for_keyword(document, point)
        return [witness for witness in self.by_keyword.values() if witness]

    def _point(self, refusal: Refusal) -> Point:
        listed = not _is_for_others(refusal) or lists_every_name(self.inner_validator.schema, refusal.instance)
        return *refusal.point, not listed

    def _for_keyword(self, document: Any, point: Point) -> Witness | None:
        def shows(smaller: Any) -> bool:
            return self.shows(smaller) and any(self._point(r) == point for r in self.outer_validator.causes(smaller))

        try:
            witness = self.confirmed(document, shows)
        except ValidatorLost:
            return None
        if witness is None:
            return None
        causes = self.outer_validator.causes(witness.document)
        own = next(cause for cause in causes if self._point(cause) == point)
        if _is_hidden(own, causes):
            self._hidden.add(point)
            return None
        return Witness(witness.document, own, unlisted=point[-1])


def _is_hidden(refusal: Refusal, causes: Sequence[Refusal]) -> bool:
    """Return True where the value has a wrong type, or is refused as a listed property: this keyword adds nothing."""
    others = [cause for cause in causes if cause.instance == refusal.instance and cause.pointer != refusal.pointer]
    by_type = refusal.keyword != "type" and any(cause.keyword == "type" for cause in others)
    return by_type or (_is_for_others(refusal) and not all(map(_is_for_others, others)))


def _is_for_others(refusal: Refusal) -> bool:
    return not _FOR_OTHERS.isdisjoint(refusal.pointer)
