"""Examples carried over to a changed schema: kept where still valid, mended where not."""

from __future__ import annotations

import copy
from typing import Any

from babelreg.breaking.containment.fields import schemas_at
from babelreg.breaking.containment.search.node import Side
from babelreg.breaking.containment.search.values import Search
from babelreg.breaking.containment.validator import Refusal, SchemaValidator
from babelreg.contract import views
from babelreg.schema import pointer as pointers
from babelreg.schema.dialects import identify
from babelreg.schema.keywords import ADDITIONAL_PROPERTIES
from babelreg.schema.pointer import Pointer

__all__ = ["ExampleAdapter"]

_MOST_STEPS = 60
_NOBODY = "ada@example.com"


class ExampleAdapter:
    """What a producer may send of ``schema``. Raises SchemaError where the schema cannot be used."""

    def __init__(self, schema: Any, *, strict: bool) -> None:
        dialect = identify(schema)
        view = views.both(schema, "strict" if strict else "tolerant", dialect).producer
        self._sieve = SchemaValidator(view, dialect, formats=True)
        self._side = Side(view, dialect, formats=True)
        self._search = Search()

    def takes(self, example: Any) -> bool:
        """True if a producer may send ``example``."""
        return self._sieve.takes(example)

    def adapted(self, example: Any) -> Any | None:
        """``example`` with the values that are refused replaced, added or left out; None where that does not do."""
        current = copy.deepcopy(example)
        for _ in range(_MOST_STEPS):
            refusals = self._sieve.refusals(current)
            if not refusals:
                return current
            try:
                current = self._step(current, refusals[0])
            except (LookupError, TypeError):
                return None
        return None

    def plainest(self) -> Any | None:
        """The simplest document a producer may send; None where none is found."""
        try:
            found = self._search.simplest((self._side.node,), 0)
        except LookupError:
            return None
        return found if self.takes(found) else None

    def _step(self, current: Any, refusal: Refusal) -> Any:
        if refusal.missing is not None:
            where = (*refusal.instance, refusal.missing)
            return _with(current, where, self._value(where))
        if refusal.keyword in ADDITIONAL_PROPERTIES:
            return self._declared_only(current, refusal)
        return _with(current, refusal.instance, self._value(refusal.instance))

    def _value(self, instance: Pointer) -> Any:
        """The simplest value of that place."""
        nodes = schemas_at(self._side.root, instance)
        if not nodes:
            raise LookupError(instance)
        value = self._search.simplest(tuple(nodes[:1]), 1)
        # The shortest address may be somebody's; an example stays in the registry and in the docs.
        nobodys = isinstance(value, str) and "@" in value and nodes[0].side.takes(nodes[0].pointer, _NOBODY)
        return _NOBODY if nobodys else value

    def _declared_only(self, current: Any, refusal: Refusal) -> Any:
        held = pointers.find(current, refusal.instance)
        kept = {name: value for name, value in held.items() if schemas_at(self._side.root, (*refusal.instance, name))}
        if kept == held:
            raise LookupError(refusal.instance)
        return _with(current, refusal.instance, kept)


def _with(document: Any, pointer: Pointer, value: Any) -> Any:
    if not pointer:
        return value
    pointers.find(document, pointer[:-1])[pointer[-1]] = value
    return document
