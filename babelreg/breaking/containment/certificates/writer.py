"""Certificates from derivations: equal steps are written once, subschemas are named by side and pointer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from babelreg.breaking.containment.certificates.table_search import table_of
from babelreg.breaking.containment.proof.conjuncts import BoundSchema
from babelreg.breaking.containment.proof.derivation import PatternLemma, Step
from babelreg.schema.dialects import Dialect

__all__ = ["NotExpressibleError", "certificate_of"]

VERSION = 1


class NotExpressibleError(Exception):
    """A derivation that rests on a pattern of which the checker has no table."""


def certificate_of(
    inner: Any, outer: Any, derivations: dict[str, Step], dialect: Dialect, *, formats: bool
) -> dict[str, Any]:
    """Return the certificate, a JSON value, that ``outer`` contains ``inner``; without the two views themselves.

    ``derivations`` are by the name of a reading of patterns. Raises NotExpressibleError.
    """
    writer = _CertificateWriter(inner, outer)
    readings = {name: writer.number(derivation) for name, derivation in derivations.items()}
    return {
        "version": VERSION,
        "dialect": dialect.name,
        "formats": formats,
        "readings": readings,
        "nodes": writer.nodes,
        "steps": writer.steps,
        "tables": writer.tables,
    }


class _CertificateWriter:
    def __init__(self, inner: Any, outer: Any) -> None:
        self.nodes: list[list[str]] = []
        self.steps: list[list[Any]] = []
        self.tables: list[dict[str, Any]] = []
        self._views = {"inner": inner, "outer": outer}
        self._numbers: dict[int, int] = {}
        self._written: dict[tuple[Any, ...], int] = {}
        self._named: dict[tuple[Any, ...], int] = {}
        self._pointers: dict[int, list[str]] | None = None

    def number(self, step: Step) -> int:
        """Return the number of a step, which is written after those of its premises."""
        number = self._numbers.get(id(step))
        if number is None:
            rule, args, premises = step
            below = [self.number(premise) for premise in premises]
            named = [self._argument(argument) for argument in args] if args else []
            key = (rule, tuple(named), tuple(below))
            number = self._written.setdefault(key, len(self.steps))
            if number == len(self.steps):
                self.steps.append([rule, named, below])
            self._numbers[id(step)] = number
        return number

    def _argument(self, argument: Any) -> Any:
        if isinstance(argument, BoundSchema):
            schema = argument.schema if argument.origin is None else argument.origin
            return self._once(("node", id(schema)), self.nodes, lambda: self._pointer(schema))
        if isinstance(argument, PatternLemma):
            return self._once(("table", argument), self.tables, lambda: self._table(argument))
        return argument

    def _once(self, key: tuple[Any, ...], into: list[Any], make: Callable[[], Any]) -> int:
        if key not in self._named:
            into.append(make())
            self._named[key] = len(into) - 1
        return self._named[key]

    def _pointer(self, schema: Any) -> list[str]:
        if self._pointers is None:
            self._pointers = {}
            for side, view in self._views.items():
                _point(view, side, "", self._pointers)
        return self._pointers[id(schema)]

    def _table(self, lemma: PatternLemma) -> dict[str, Any]:
        table = table_of(lemma)
        if table is None:
            raise NotExpressibleError
        return table


def _point(value: Any, side: str, pointer: str, pointers: dict[int, list[str]]) -> None:
    """Add the side and the pointer of each mapping in ``value``."""
    if isinstance(value, dict):
        pointers[id(value)] = [side, pointer]
        for name, item in value.items():
            if isinstance(item, (dict, list)):
                _point(item, side, f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}", pointers)
    elif isinstance(value, list):
        for at, item in enumerate(value):
            _point(item, side, f"{pointer}/{at}", pointers)
