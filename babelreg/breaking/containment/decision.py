"""Decision whether one schema contains another: a sequence of checks, the cheapest and most certain first.

Equality without annotations; a short search for a witness; our own proof, which an independent checker replays, then
the prover of jsonschema-rs; a longer search, also within the difference that the prover computes; else unknown, with
the reason. Budgets count steps, so the same input always gets the same verdict.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import cached_property
from itertools import chain
from typing import Any

from babelreg.breaking.containment.candidate_documents import CandidateDocuments
from babelreg.breaking.containment.certificates.checker import CertificateRefused, CertificateTooLarge, check
from babelreg.breaking.containment.certificates.proof import Proof, prove
from babelreg.breaking.containment.compiled_schemas import CompiledSchemas
from babelreg.breaking.containment.enumerations import enumerated_documents, large_enums, replaced_enum
from babelreg.breaking.containment.fields import field_path
from babelreg.breaking.containment.format_assertions import formats_preserved
from babelreg.breaking.containment.prover import ECMA, PYTHON, PYTHON_READER, ProverLost
from babelreg.breaking.containment.undecided import Undecided, undecided
from babelreg.breaking.containment.validator import Refusal
from babelreg.breaking.containment.witness import Witness, WitnessSearch
from babelreg.model.comparison import DirectionVerdict
from babelreg.schema.pointer import text
from babelreg.schema.subschemas import mappings
from babelreg.schema.values import identical

__all__ = ["Containment"]

SHORT = 60
FROM_DIFFERENCE = 300
LONG = 1500
EVERY_KEYWORD = 600


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
        self._prover_lost = ""
        self.candidates = CandidateDocuments(schemas, inner, outer)
        self.search = WitnessSearch(schemas.case, inner, outer, schemas.validators[inner], schemas.validators[outer])

    def verdict(self) -> DirectionVerdict:
        """Return compatible, breaking with a witness, or unknown with the reason."""
        if self._is_trivial():
            return DirectionVerdict("compatible")
        try:
            return self._decide()
        except ProverLost as lost:
            return DirectionVerdict("unknown", reason=f"the second validator {lost}")
        except CertificateRefused as refused:
            reason = f"the checker of certificates refuses our own proof ({refused}); please report this as a bug"
            return DirectionVerdict("unknown", reason=reason)

    @property
    def views(self) -> tuple[Any, Any]:
        """The inner and the outer schema without annotations, of which a certificate speaks."""
        return self.schemas.bare(self.inner), self.schemas.bare(self.outer)

    def certify(self) -> bool:
        """Search for a proof and have it replayed; return True if it is certified, in ``certificate``.

        Raises CertificateRefused for a proof of ours that does not hold.
        """
        if self._proof is None or not self._proof.complete:
            return False
        inner, outer = self.views
        certificate = {**self._proof.content(), "inner": inner, "outer": outer}
        try:
            check(certificate)
        except CertificateTooLarge:
            return False
        self.certificate = certificate
        return True

    def every_witness(self) -> list[Witness]:
        """Return one witness for each refusing keyword that a search finds, in a fixed order.

        To be called after :meth:`verdict` returned breaking; its witness is the result where no other is found.
        """
        candidates = chain(self.candidates.likeliest.generated[:], self.candidates.likeliest)
        witnesses = self.search.each_keyword(candidates, EVERY_KEYWORD)
        # Where many places differ, a document that reaches a deep one is not among the first candidates.
        guided = self.candidates.guided({witness.refusal.instance for witness in witnesses})
        witnesses = self.search.each_keyword(guided, self.candidates.guided_budget)
        if self.witness and not witnesses:
            witnesses = self.search.each_keyword(iter([self.witness.document]), 1) or [self.witness]
        written = [Witness(witness.document, self._as_written(witness)) for witness in witnesses]
        return list({witness.refusal.point: witness for witness in reversed(written)}.values())[::-1]

    def _is_trivial(self) -> bool:
        """Return True where both are equal, outer allows everything, or inner nothing."""
        inner, outer = self.views
        return identical(inner, outer) or outer is True or outer == {} or inner is False

    def _decide(self) -> DirectionVerdict:
        if witness := self.search.first(self.candidates.likeliest, SHORT):
            return self._breaking(witness)
        if self.certify():
            return DirectionVerdict("compatible", certified=True)
        proof = self._proved()
        if proof is None or self._every_enumerated():
            return DirectionVerdict("compatible", certified=False)
        witness = (
            self.search.first(self.candidates.guided(), self.candidates.guided_budget)
            or self.search.first(self._within_difference(), FROM_DIFFERENCE)
            or self.search.first(self.candidates.likeliest, LONG)
        )
        return self._breaking(witness) if witness else self._undecided(proof)

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

    def _every_enumerated(self) -> bool:
        """Return True if inner enumerates its documents and outer accepts them all, by both validators."""
        documents = enumerated_documents(self.schemas.named[self.inner], self.schemas.dialect)
        if documents is None:
            return False
        inner, outer = self.search.inner_validator, self.search.outer_validator
        if any(inner.accepts(document) and not outer.accepts(document) for document in documents):
            return False
        return not any(self.schemas.case.refuted(self.inner, self.outer, documents))

    def _proved(self) -> str | None:
        """Return None where containment is proved without a certificate, else why not, as the end of a sentence about
        the prover.

        Engines differ in how they read patterns, so the proof must hold for both.
        """
        if self._enum_replaced:
            return "does not compare long enumerations of which neither contains the other"
        answer = self._prover_answer(ECMA)
        if not (answer is None and self._formats_preserved()) and not self._own_proof(ECMA):
            return answer or "finds no other difference, but a format differs, or is where it cannot be compared"
        if not self._has_patterns():
            return None
        for engine in (PYTHON, PYTHON_READER):
            if (self._prover_answer(engine) is None and self._formats_preserved()) or self._own_proof(engine):
                return None
        return "finds no difference, but Python's `re` reads a pattern in another way, for which there is no proof"

    @cached_property
    def _proof(self) -> Proof | None:
        return prove(*self.views, self.schemas.dialect.name, formats=self.schemas.formats)

    @cached_property
    def _large_enums(self) -> list[list[frozenset[Hashable]]]:
        """Return the long enumerations of inner and of outer; an empty list unless both have one."""
        both = [large_enums(self.schemas.named[name]) for name in (self.inner, self.outer)]
        return both if all(both) else []

    @cached_property
    def _enum_replaced(self) -> bool:
        """Return True where a long enumeration lost values: the prover compares them pairwise, without a result."""
        return bool(self._large_enums) and replaced_enum(*self._large_enums)

    def _formats_preserved(self) -> bool:
        """Return True if a proof that treats formats as annotations is valid with asserted formats, too."""
        inner, outer = self.schemas.named[self.inner], self.schemas.named[self.outer]
        return not self.schemas.formats or formats_preserved(inner, outer, self.schemas.dialect)

    def _has_patterns(self) -> bool:
        keywords = ("pattern", "patternProperties")
        schemas = (self.schemas.named[name] for name in (self.inner, self.outer))
        return any(not mapping.keys().isdisjoint(keywords) for schema in schemas for mapping in mappings(schema))

    def _prover_answer(self, engine: str) -> str | None:
        """Return None where the prover says yes with the patterns of ``engine``, else its answer."""
        if self._prover_lost:  # the same question with other patterns would end in the same way
            return self._prover_lost
        try:
            answer = self.schemas.case.covers(self.inner, self.outer, engine)
        except ProverLost as lost:
            self._prover_lost = str(lost)
            return self._prover_lost
        if answer in ("yes", "same"):
            return None
        return "says that there is one" if answer == "no" else "could not decide"

    def _own_proof(self, engine: str) -> bool:
        """Return True if a proof of ours holds with the patterns of ``engine``, though not with those of all."""
        # A format is an assertion that only the same format implies.
        return self._proof is not None and self._proof.holds(engine)

    def _within_difference(self) -> Iterator[Any]:
        # The prover compares long enumerations pairwise, without a result, and does not answer again once it is lost.
        return iter(()) if self._enum_replaced or self._prover_lost else self.candidates.within_difference()

    def _undecided(self, proof: str) -> DirectionVerdict:
        disputed = f"; the two validators disagree on {self.search.disputed} of them" if self.search.disputed else ""
        tried = SHORT + self.candidates.guided_budget + FROM_DIFFERENCE + LONG
        reason = f"no difference was found in up to {tried:,} documents{disputed}; the prover {proof}"
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
        schemas = {**self.schemas.named, **self.schemas.written}
        if not self.candidates.differences:
            return []
        named = undecided(
            schemas["old"],
            schemas["new"],
            self.candidates.differences,
            self.schemas.dialect,
            backward=self.inner.startswith("old"),
            formats=self.schemas.formats,
            prover=self.schemas.prover,
            covers=not self._prover_lost,
        )
        every = (
            Undecided(keyword, d.place, d.old, d.new) for d in self.candidates.differences for keyword in d.keywords
        )
        return named or list(every)
