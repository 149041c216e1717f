"""Migration of examples to a changed schema: invalid values are replaced, added or removed."""

from __future__ import annotations

import copy
from typing import Any

from babelreg.containment.fields import schemas_at
from babelreg.containment.search.node import SearchDocument
from babelreg.containment.search.values import CandidateSearch
from babelreg.containment.validator import Refusal, SchemaValidator
from babelreg.contract import views
from babelreg.schema import pointer as pointers
from babelreg.schema.dialects import identify
from babelreg.schema.keywords import ADDITIONAL_PROPERTIES
from babelreg.schema.pointer import Pointer

_MOST_STEPS = 60


class ExampleAdapter:
    """Producer view of ``schema``, to validate and adapt examples. Raises SchemaError for an unusable schema."""

    def __init__(self, schema: Any, *, strict: bool) -> None:
        dialect = identify(schema)
        view = views.both(schema, "strict" if strict else "tolerant", dialect).producer
        self._validator = SchemaValidator(view, dialect, formats=True)
        self._document = SearchDocument(view, dialect, formats=True)
        self._search = CandidateSearch()

    def accepts(self, example: Any) -> bool:
        """Return True if a producer may send ``example``."""
        return self._validator.accepts(example)

    def adapted(self, example: Any) -> Any | None:
        """Return ``example`` with refused values replaced, added or removed; None where that does not make it valid."""
        current = copy.deepcopy(example)
        for _ in range(_MOST_STEPS):
            refusals = self._validator.refusals(current)
            if not refusals:
                return current
            try:
                current = self._step(current, refusals[0])
            except (LookupError, TypeError):
                return None
        return None

    def plainest(self) -> Any | None:
        """Return the simplest document that a producer may send; None where none is found."""
        documents = self._search.simplest((self._document.node,), 0)
        return next(filter(self.accepts, documents), None)

    def _step(self, current: Any, refusal: Refusal) -> Any:
        if refusal.missing is not None:
            where = (*refusal.instance, refusal.missing)
            return _with(current, where, self._value(where))
        if refusal.keyword in ADDITIONAL_PROPERTIES:
            return self._declared_only(current, refusal)
        return _with(current, refusal.instance, self._value(refusal.instance))

    def _value(self, instance: Pointer) -> Any:
        """Return the simplest value for a place."""
        nodes = schemas_at(self._document.root, instance)
        values = self._search.simplest(tuple(nodes[:1]), 1) if nodes else ()
        for value in values:
            return value
        raise LookupError(instance)

    def _declared_only(self, current: Any, refusal: Refusal) -> Any:
        value = pointers.find(current, refusal.instance)
        declared = {
            name: inner for name, inner in value.items() if schemas_at(self._document.root, (*refusal.instance, name))
        }
        if declared == value:
            raise LookupError(refusal.instance)
        return _with(current, refusal.instance, declared)


def _with(document: Any, pointer: Pointer, value: Any) -> Any:
    if not pointer:
        return value
    pointers.find(document, pointer[:-1])[pointer[-1]] = value
    return document
