"""Whether every document of one schema is allowed by another: the order of work, cheapest and surest first.

Equal after dropping annotations; a short search for a witness; the prover, and our own where that cannot tell; a
longer search, also through what the prover says the difference is; else unknown, with the reason. Budgets count steps,
so the same input always gets the same verdict. Source: breaking-facts, "Recommended design".
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

from babelreg.breaking.containment.fields import field_path
from babelreg.breaking.containment.format_assertions import formats_preserved
from babelreg.breaking.containment.preconditions import obstacle
from babelreg.breaking.containment.proof.enums import enumerated_documents, large_enums, replaced_enum
from babelreg.breaking.containment.proof.facts import mentions
from babelreg.breaking.containment.prover import (
    ECMA,
    PYTHON,
    PYTHON_READER,
    Prover,
    ProverCase,
    ProverLost,
)
from babelreg.breaking.containment.schema_diff import Difference, differences
from babelreg.breaking.containment.search.guided import documents_reaching
from babelreg.breaking.containment.search.node import Side, interleaved
from babelreg.breaking.containment.search.values import Search
from babelreg.breaking.containment.validator import Refusal, SchemaValidator
from babelreg.breaking.containment.witness import Witness, WitnessSearch
from babelreg.errors import SchemaError
from babelreg.model.comparison import DirectionVerdict
from babelreg.schema.dialects import Dialect
from babelreg.schema.pointer import text
from babelreg.schema.simplify import without_annotations
from babelreg.schema.values import identical

__all__ = ["CompiledSchemas", "Containment"]

SHORT = 60
GUIDED = 600
FROM_DIFFERENCE = 300
LONG = 1500
EVERY_KEYWORD = 600
_MOST_NAMED = 3


@dataclass
class CompiledSchemas:
    """The schemas of one comparison by name, compiled once each. Raises SchemaError on one that cannot be used.

    Where they are views, bare of annotations, ``written`` has the schemas that they are views of.
    """

    named: dict[str, Any]
    dialect: Dialect
    formats: bool
    prover: Prover
    written: dict[str, Any] = field(default_factory=dict)
    case: ProverCase = field(init=False)
    validators: dict[str, SchemaValidator] = field(init=False)

    def __post_init__(self) -> None:
        every = {**self.written, **self.named}
        for name, schema in every.items():
            problem = obstacle(schema)
            if problem:
                raise SchemaError(f"the {name} view {problem}")
        self.case = ProverCase(self.named, self.dialect, formats=self.formats, prover=self.prover)
        self.validators = {name: self._compiled(name, schema) for name, schema in every.items()}

    def bare(self, name: str) -> Any:
        """The schema of that name without what refuses nothing."""
        schema = self.named[name]
        return schema if self.written else without_annotations(schema, formats=self.formats)

    def _compiled(self, name: str, schema: Any) -> SchemaValidator:
        try:
            return SchemaValidator(schema, self.dialect, formats=self.formats)
        except SchemaError as err:
            raise SchemaError(f"the {name} view: {err.message}") from err


class _Candidates(Iterator[Any]):
    """Documents to be looked at; those that were are ``met``."""

    def __init__(self, source: Iterator[Any]) -> None:
        self._source = source
        self.met: list[Any] = []

    def __next__(self) -> Any:
        self.met.append(next(self._source))
        return self.met[-1]


class Containment:
    """The question whether ``inner`` lies within ``outer``, both names in ``schemas``.

    ``written`` names the schema that ``outer`` is a view of: pointers lead into that.
    """

    def __init__(self, schemas: CompiledSchemas, inner: str, outer: str, written: str) -> None:
        self.schemas = schemas
        self.inner = inner
        self.outer = outer
        self.written = schemas.validators[written]
        self.witness: Witness | None = None
        self.search = WitnessSearch(schemas.case, inner, outer, schemas.validators[inner], schemas.validators[outer])

    def verdict(self) -> DirectionVerdict:
        """Compatible, breaking with a witness, or unknown with the reason."""
        if self._evident():
            return DirectionVerdict("compatible")
        try:
            return self._searched()
        except ProverLost as lost:
            return DirectionVerdict("unknown", reason=f"the second validator {lost}")

    def every_witness(self) -> list[Witness]:
        """One witness for each keyword of the refusing schema that a search meets, in a fixed order.

        Ask after :meth:`verdict` said breaking; its witness is there where the search met no other.
        """
        found = self.search.each_keyword(chain(self._candidates.met[:], self._candidates), EVERY_KEYWORD)
        if self.witness and not found:
            one = [self.witness.document]
            found = self.search.each_keyword(chain(one, self._guided()), GUIDED) or [self.witness]
        written = [Witness(witness.document, self._as_written(witness)) for witness in found]
        return list({witness.refusal.point: witness for witness in reversed(written)}.values())[::-1]

    def _evident(self) -> bool:
        """True where nothing is left to ask: both are the same, or outer allows everything, or inner nothing."""
        inner, outer = self.schemas.bare(self.inner), self.schemas.bare(self.outer)
        return identical(inner, outer) or outer is True or outer == {} or inner is False

    def _searched(self) -> DirectionVerdict:
        witness = self.search.first(self._candidates, SHORT)
        if witness:
            return self._breaking(witness)
        proof = self._proved()
        if proof is None or self._every_enumerated():
            return DirectionVerdict("compatible")
        witness = (
            self.search.first(self._guided(), GUIDED)
            or self.search.first(self._from_difference(), FROM_DIFFERENCE)
            or self.search.first(self._candidates, LONG)
        )
        return self._breaking(witness) if witness else self._undecided(proof)

    def _breaking(self, witness: Witness) -> DirectionVerdict:
        self.witness = witness
        refusal = self._as_written(witness)
        return DirectionVerdict("breaking", witness.document, text(refusal.pointer), refusal.message)

    def _as_written(self, witness: Witness) -> Refusal:
        """The refusal as the schema itself makes it: a view moves definitions, and opens what is closed."""
        seen = witness.refusal
        said = [*self.written.refusals(witness.document), *self.written.causes(witness.document)]
        same = [r for r in said if r.point == seen.point and r.instance == seen.instance]
        alike = [r for r in said if (r.keyword, r.missing, r.instance) == (seen.keyword, seen.missing, seen.instance)]
        near = [r for r in said if r.instance == seen.instance]
        return next(iter(same + alike + near + said), seen)

    def _every_enumerated(self) -> bool:
        """True if inner allows only documents that it lists, and outer takes them all; both validators say so."""
        documents = enumerated_documents(self.schemas.named[self.inner], self.schemas.dialect)
        if documents is None:
            return False
        if any(self.search.within.takes(each) and not self.search.beyond.takes(each) for each in documents):
            return False
        return not any(self.schemas.case.refuted(self.inner, self.outer, documents))

    def _proved(self) -> str | None:
        """None when a prover is sure and may be; else what was said, as the end of a sentence about the prover.

        Engines read patterns in different ways, so there are two proofs.
        """
        if self._large_enums and self._apart_by_each():
            return None
        if self._enum_replaced:
            return "does not compare long enumerations of which one is not within the other"
        said = self._asked(ECMA)
        if not (said is None and self._formats_stand()) and not self._apart(ECMA):
            return said or "finds no other difference, but a format differs, or stands where it cannot be compared"
        if not self._has_patterns():
            return None
        for engine in (PYTHON, PYTHON_READER):
            if (self._asked(engine) is None and self._formats_stand()) or self._apart(engine):
                return None
        return "finds no difference, but Python's `re` reads a pattern in another way, for which there is no proof"

    @cached_property
    def _large_enums(self) -> list[list[frozenset[Hashable]]]:
        """The long enumerations of inner and of outer; none where not both have one."""
        every = [large_enums(self.schemas.named[name]) for name in (self.inner, self.outer)]
        return every if all(every) else []

    @cached_property
    def _enum_replaced(self) -> bool:
        """True where a long enumeration lost values, which the prover compares pair by pair, and then says nothing."""
        return bool(self._large_enums) and replaced_enum(*self._large_enums)

    def _apart_by_each(self) -> bool:
        """True when our own proof finds inner within outer, however patterns are read."""
        if not self._apart(ECMA):
            return False
        return not self._has_patterns() or any(map(self._apart, (PYTHON, PYTHON_READER)))

    def _formats_stand(self) -> bool:
        """True when a proof that takes formats for annotations holds here all the same."""
        inner, outer = self.schemas.named[self.inner], self.schemas.named[self.outer]
        return not self.schemas.formats or formats_preserved(inner, outer, self.schemas.dialect)

    def _has_patterns(self) -> bool:
        keywords = ("pattern", "patternProperties")
        return any(mentions(self.schemas.named[name], keywords) for name in (self.inner, self.outer))

    def _asked(self, engine: str) -> str | None:
        """None when the prover says yes to the patterns as ``engine`` reads them, else what it says."""
        try:
            said = self.schemas.case.covers(self.inner, self.outer, engine)
        except ProverLost as lost:
            return str(lost)
        if said in ("yes", "same"):
            return None
        return "says that there is one" if said == "no" else "could not decide"

    def _apart(self, engine: str) -> bool:
        """True when our own proof, keyword by keyword, finds inner within outer."""
        # It reads a format as what it is: a demand on texts that is met only where the same one is made.
        try:
            return self.schemas.case.within(self.inner, self.outer, engine)
        except ProverLost:
            return False

    def _undecided(self, proof: str) -> DirectionVerdict:
        disputed = f"; the two validators disagree on {self.search.disputed} of them" if self.search.disputed else ""
        tried = SHORT + GUIDED + FROM_DIFFERENCE + LONG
        reason = f"no document up to {tried} candidates shows a difference{disputed}; the prover {proof}"
        places = list(dict.fromkeys(field_path(each.place) for each in self._differences if each.place))
        if places:
            more = f" and {len(places) - _MOST_NAMED} more" if len(places) > _MOST_NAMED else ""
            named = ", ".join(f"'{place}'" for place in places[:_MOST_NAMED])
            reason += f"; what differs is {named}{more}"
        first = next(iter(self._differences), None)
        return DirectionVerdict("unknown", pointer=text(first.new) if first else None, reason=reason)

    @cached_property
    def _differences(self) -> list[Difference]:
        """Where the two schemas differ as they are written; none where they are not both at hand."""
        every = {**self.schemas.written, **self.schemas.named}
        return differences(every["old"], every["new"]) if {"old", "new"} <= every.keys() else []

    def _guided(self) -> Iterator[Any]:
        """Documents that reach what differs, a few for each place at a time."""
        inner, outer = (
            Side(self.schemas.named[name], self.schemas.dialect, formats=self.schemas.formats)
            for name in (self.inner, self.outer)
        )
        search = Search()
        each = [documents_reaching(search, (inner.node,), (outer.node,), found.place) for found in self._differences]
        return interleaved(each)

    @cached_property
    def _candidates(self) -> _Candidates:
        inner, outer = (
            Side(self.schemas.named[name], self.schemas.dialect, formats=self.schemas.formats)
            for name in (self.inner, self.outer)
        )
        return _Candidates(Search().documents(inner.node, outer.node))

    def _from_difference(self) -> Iterator[Any]:
        if self._enum_replaced:
            return
        try:
            difference = self.schemas.case.difference(self.inner, self.outer)
        except ProverLost:
            return
        if obstacle(difference) is None:
            side = Side(difference, self.schemas.dialect, formats=self.schemas.formats)
            yield from Search().documents(side.node, None)
