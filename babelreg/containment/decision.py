"""Decision whether one schema contains another: a sequence of checks, the cheapest and most certain first.

Equality without annotations; a short search for a witness; a proof, which an independent checker replays; a longer
search; else unknown, with the reason. Budgets count steps, so the same input always gets the same verdict.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import tee
from typing import Any

from babelreg.containment.certificates.checker import CertificateRefused, CertificateTooLarge, check
from babelreg.containment.certificates.proof import prove
from babelreg.containment.comparison import DirectionVerdict
from babelreg.containment.compiled_schemas import CompiledSchemas
from babelreg.containment.fields import field_path
from babelreg.containment.search.guided import documents_reaching
from babelreg.containment.search.node import interleaved
from babelreg.containment.search.values import CandidateSearch
from babelreg.containment.second_validator import ValidatorLost
from babelreg.containment.undecided import Undecided, undecided
from babelreg.containment.validator import Refusal
from babelreg.containment.witness import Witness, WitnessSearch
from babelreg.schema.pointer import Pointer, text
from babelreg.schema.subschemas import with_subschemas
from babelreg.schema.values import identical, is_number

SHORT = 60
LONG = 1500
EVERY_KEYWORD = 600
GUIDED = 600
GUIDED_PER_PLACE = 12
_LONGEST = {"email": 320}
"""RFC 5321, 4.5.3.1: 64 octets before the @, 255 after it. One of the two validators asserts it."""


class Containment:
    """One containment question: whether ``outer`` allows every document of ``inner``. Both are names in ``schemas``.

    ``written`` names the schema that ``outer`` is a view of; pointers in results refer to it. After :meth:`verdict`,
    ``certificate`` is that of a compatible verdict, where there is one.
    """

    def __init__(self, schemas: CompiledSchemas, inner: str, outer: str, written: str) -> None:
        self.schemas = schemas
        self.inner = inner
        self.outer = outer
        self.written = schemas.validators[written]
        self.witness: Witness | None = None
        self.certificate: dict[str, Any] | None = None
        self.search = WitnessSearch(schemas.case, inner, outer, schemas.validators[inner], schemas.validators[outer])

    def verdict(self) -> DirectionVerdict:
        """Return compatible, breaking with a witness, or unknown with the reason."""
        if self._is_trivial():
            return DirectionVerdict("compatible")
        try:
            return self._decide()
        except ValidatorLost as lost:
            return DirectionVerdict("unknown", reason=f"the second validator {lost}")
        except CertificateRefused as refused:
            reason = f"the checker of certificates refuses our own proof ({refused}); please report this as a bug"
            return DirectionVerdict("unknown", reason=reason)

    @cached_property
    def _likeliest(self) -> tuple[Iterator[Any], Iterator[Any]]:
        """Documents of the inner schema, the likeliest to be refused first; again for a search of all witnesses."""
        inner, outer = self.schemas.searched(self.inner, self.outer)
        first, again = tee(CandidateSearch().documents(inner.node, outer.node))
        return first, again

    def _guided(self, refused: Collection[Pointer] = ()) -> Iterator[Any]:
        """Yield documents that reach the differences, a few for each place in turn; not for values that are refused."""
        inner, outer = self.schemas.searched(self.inner, self.outer)
        for side in (inner, outer):
            side.compile_again()
        search = CandidateSearch()
        return interleaved(
            documents_reaching(search, (inner.node,), (outer.node,), difference.place)
            for difference in self.schemas.differences
            if not any(map(difference.is_of, refused))
        )

    @property
    def _guided_budget(self) -> int:
        """How many documents that reach differences to try: more where the schemas differ at more places."""
        return max(GUIDED, GUIDED_PER_PLACE * len(self.schemas.differences))

    @property
    def views(self) -> tuple[Any, Any]:
        """The inner and the outer schema without annotations, of which a certificate speaks."""
        return self.schemas.bare[self.inner], self.schemas.bare[self.outer]

    def certify(self) -> bool:
        """Search for a proof and have it replayed; return True if it is certified, in ``certificate``.

        Raises CertificateRefused for a proof of ours that does not hold.
        """
        self.certificate = self._certificate(*self.views)
        return self.certificate is not None

    def _certificate(self, inner: Any, outer: Any) -> dict[str, Any] | None:
        proof = prove(inner, outer, self.schemas.case.dialect.name, formats=self.schemas.case.formats)
        if proof is None or not proof.complete:
            return None
        certificate = {**proof.content(), "inner": inner, "outer": outer}
        try:
            check(certificate)
        except CertificateTooLarge:
            return None
        return certificate

    def every_witness(self) -> list[Witness]:
        """Return one witness for each refusing keyword that a search finds, in a fixed order.

        To be called after :meth:`verdict` returned breaking; its witness is the result where no other is found.
        """
        witnesses = self.search.each_keyword(self._likeliest[1], EVERY_KEYWORD)
        # Where many places differ, a document that reaches a deep one is not among the first candidates.
        guided = self._guided({witness.refusal.instance for witness in witnesses})
        witnesses = self.search.each_keyword(guided, self._guided_budget)
        if self.witness and not witnesses:
            witnesses = self.search.each_keyword(iter([self.witness.document]), 1) or [self.witness]
        written = [replace(witness, refusal=self._as_written(witness)) for witness in witnesses]
        return list({witness.point: witness for witness in reversed(written)}.values())[::-1]

    def _is_trivial(self) -> bool:
        """Return True where both are equal, outer allows everything, or inner nothing."""
        inner, outer = self.views
        return identical(inner, outer) or outer is True or outer == {} or inner is False

    def _decide(self) -> DirectionVerdict:
        if witness := self.search.first(self._likeliest[0], SHORT):
            return self._breaking(witness)
        if self.certify():
            return DirectionVerdict("compatible", certified=True)
        if self._holds_by_lengths():
            return DirectionVerdict("compatible", certified=False)
        guided = self.search.first(self._guided(), self._guided_budget)
        witness = guided or self.search.first(self._likeliest[0], LONG)
        return self._breaking(witness) if witness else self._undecided()

    def _breaking(self, witness: Witness) -> DirectionVerdict:
        self.witness = witness
        refusal = self._as_written(witness)
        return DirectionVerdict("breaking", witness.document, text(refusal.pointer), refusal.message)

    def _as_written(self, witness: Witness) -> Refusal:
        """Return the refusal by the schema as written: a view moves definitions and opens closed objects."""
        in_view = witness.refusal
        refusals = [*self.written.refusals(witness.document), *self.written.causes(witness.document)]
        at_value = [refusal for refusal in refusals if refusal.instance == in_view.instance]
        same = [refusal for refusal in at_value if refusal.point == in_view.point]
        similar = [r for r in at_value if (r.keyword, r.missing) == (in_view.keyword, in_view.missing)]
        return next(iter(same + similar + at_value + refusals), in_view)

    def _holds_by_lengths(self) -> bool:
        """Return True if a proof rests on lengths of formats, which one of the two validators asserts."""
        inner, outer = self.views
        bounded = _with_lengths(inner) if self.schemas.case.formats else inner
        return not identical(bounded, inner) and self._certificate(bounded, outer) is not None

    def _undecided(self) -> DirectionVerdict:
        disputed = f"; the two validators disagree on {self.search.disputed} of them" if self.search.disputed else ""
        tried = SHORT + self._guided_budget + LONG
        reason = f"no difference was found in up to {tried:,} documents{disputed}, and no proof"
        first = next(iter(self._undecided_keywords()), None)
        if first is None:
            return DirectionVerdict("unknown", reason=reason)
        where = f"'{field_path(first.place)}'" if first.place else "the data"
        return DirectionVerdict(
            "unknown",
            pointer=text((*first.new, first.keyword)),
            against=text((*first.old, first.keyword)),
            reason=f"{first.keyword} of {where} cannot be decided: {reason}",
        )

    def _undecided_keywords(self) -> list[Undecided]:
        """Return the keywords that cannot be decided; where each can by itself, all that differ."""
        named = undecided(self.schemas, backward=self.inner.startswith("old"))
        every = (Undecided(keyword, d.place, d.old, d.new) for d in self.schemas.differences for keyword in d.keywords)
        return named or list(every)


def _with_lengths(schema: Any) -> Any:
    """Return a schema with the length that an asserted format implies beside it."""
    if not isinstance(schema, dict):
        return schema
    copy = with_subschemas(schema, _with_lengths)
    longest = _LONGEST.get(schema["format"]) if isinstance(schema.get("format"), str) else None
    if longest is not None and not (is_number(schema.get("maxLength")) and schema["maxLength"] <= longest):
        copy["maxLength"] = longest
    return copy
