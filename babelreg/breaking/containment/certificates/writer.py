"""Certificates from derivations: equal steps are written once, subschemas are named by their order in both views."""

from __future__ import annotations

from typing import Any

from babelreg.breaking.containment.certificates.content import VERSION
from babelreg.breaking.containment.certificates.core_schemas import DRAFTS, View
from babelreg.breaking.containment.certificates.table_search import table_of
from babelreg.breaking.containment.proof.conjuncts import BoundSchema
from babelreg.breaking.containment.proof.derivation import PatternLemma, Step
from babelreg.schema.dialects import Dialect

__all__ = ["NotExpressibleError", "certificate_of"]


class NotExpressibleError(Exception):
    """A derivation that rests on a pattern of which the checker has no table, or on what it does not read."""


def certificate_of(
    inner: Any, outer: Any, derivations: dict[str, Step], dialect: Dialect, *, formats: bool
) -> dict[str, Any]:
    """Return the certificate, a JSON value, that ``outer`` contains ``inner``; without the two views themselves.

    ``derivations`` are by the name of a reading of patterns. Raises NotExpressibleError.
    """
    draft = DRAFTS.index(dialect.name)
    views = (View(side, draft, formats=formats) for side in (inner, outer))
    writer = _CertificateWriter([schema for view in views for schema, _ in view.pairs])
    readings = {name: writer.number(derivation) for name, derivation in derivations.items()}
    return {
        "version": VERSION,
        "dialect": dialect.name,
        "formats": formats,
        "readings": readings,
        "steps": writer.steps,
        "tables": writer.tables,
    }


class _CertificateWriter:
    def __init__(self, views: list[Any]) -> None:
        self.steps: list[list[Any]] = []
        self.tables: list[dict[str, Any]] = []
        self._named = {id(schema): number for number, schema in enumerate(views)}
        self._numbers: dict[int, int] = {}
        self._written: dict[tuple[Any, ...], int] = {}
        self._tables: dict[PatternLemma, int] = {}

    def number(self, step: Step) -> int:
        """Return the number of a step, which is written after those of its premises."""
        number = self._numbers.get(id(step))
        if number is None:
            rule, args, premises = step
            below = [self.number(premise) for premise in premises]
            named = [self._argument(argument) for argument in args] if args else []
            if rule == "types" and self._holds_of_all_types(named, below):
                number = below[0]
            else:
                number = self._written.setdefault((rule, tuple(named), tuple(below)), len(self.steps))
            if number == len(self.steps):
                self.steps.append([rule, named, below])
            self._numbers[id(step)] = number
        return number

    def _holds_of_all_types(self, types: list[str], below: list[int]) -> bool:
        """Return True if the same step serves for each type, of a rule that serves for all of them at once."""
        rule = self.steps[below[0]][0] if len(set(below)) == 1 else None
        return rule == "same" or (rule == "values" and not {"null", "boolean"}.issuperset(types))

    def _argument(self, argument: Any) -> Any:
        if isinstance(argument, BoundSchema):
            schema = argument.schema if argument.origin is None else argument.origin
            if id(schema) not in self._named:
                raise NotExpressibleError
            return self._named[id(schema)]
        if isinstance(argument, PatternLemma):
            if argument not in self._tables:
                self._tables[argument] = len(self.tables)
                self.tables.append(self._table(argument))
            return self._tables[argument]
        return argument

    def _table(self, lemma: PatternLemma) -> dict[str, Any]:
        table = table_of(lemma)
        if table is None:
            raise NotExpressibleError
        return table
