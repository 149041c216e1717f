"""Goals of a proof, and what rules need beside facts. Part of the checker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from babelreg.containment.certificates import pattern_tables
from babelreg.containment.certificates.core_schemas import View
from babelreg.containment.certificates.facts import CertificateRefused, Fact, Facts
from babelreg.containment.certificates.single_values import permits_surely


class Goal(NamedTuple):
    """No value satisfies ``new`` and ``known`` facts, or none of the type ``name``.

    Without ``known`` facts it is a goal about a part of the value.
    """

    new: Sequence[Fact]
    known: Facts | None = None
    name: str | None = None


class Claim:
    """What rules need beside facts: the subschemas of both views by their number, and tables of patterns."""

    def __init__(self, views: Sequence[View], tables: list[Any]) -> None:
        self.draft = views[0].draft
        self.named = [(view, core) for view in views for _, core in view.pairs]
        self.tables = tables
        self._verified: set[int] = set()

    def fact(self, facts: Facts, number: int, keyword: str | None = None, *, holds: bool = True) -> Fact:
        """Return the fact about a subschema, or about one of its keywords, that is among the facts."""
        view, core = self.named[number]
        schema = core if keyword is None else view.part(core, keyword)
        fact = facts.found.get((id(schema), holds))
        if fact is None:
            raise CertificateRefused("the subschema is not among the facts")
        return fact

    def excludes(self, fact: Fact, value: Any) -> bool:
        """Return True if a value contradicts the fact."""
        return permits_surely(fact, value) is (not fact.holds)

    def table(self, number: int) -> Any:
        """Return a table of patterns, verified once."""
        table = self.tables[number]
        if number not in self._verified:
            try:
                pattern_tables.verify(table)
            except pattern_tables.TableRefused as refused:
                raise CertificateRefused(f"table {number}: {refused}") from refused
            self._verified.add(number)
        return table


Rule = Callable[[Claim, Facts, Any, Sequence[Any]], list[Goal]]
