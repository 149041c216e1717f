"""A schema taken apart: the subschemas that all hold for its value, its own and those of ``allOf`` and ``$ref``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelreg.lint.schema.field import SchemaField
from babelreg.schema import pointer
from babelreg.schema.conjuncts import Conjunct, ConjunctWalker

__all__ = ["MOST_PARTS", "parts_of"]

MOST_PARTS = 100_000
"""Of all fields together, as many as a rule should look at: thousands may refer to one schema of many parts."""

_MOST_STEPS = 64


def parts_of(field: SchemaField) -> list[Mapping[str, Any]]:
    """The parts of ``field``; none where they cannot be told or are too many."""
    bundled, at = field.bundled, field.inside
    if not isinstance(bundled, dict):
        return []
    try:
        conjuncts, _ = ConjunctWalker(bundled, _MOST_STEPS).flat([Conjunct(pointer.find(bundled, at), at)], frozenset())
    except (KeyError, OverflowError):
        return []
    return [node.schema for node in conjuncts if isinstance(node.schema, dict)]
