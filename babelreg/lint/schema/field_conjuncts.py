"""Conjuncts of a field: the subschemas that all apply to its value, through ``allOf`` and ``$ref``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelreg.lint.schema.field import SchemaField
from babelreg.schema import pointer
from babelreg.schema.conjuncts import Conjunct, ConjunctWalker

MAX_CONJUNCTS = 100_000
"""Limit of a rule for all fields together: thousands may refer to one schema with many conjuncts."""

_MAX_STEPS = 64


def conjuncts_of(field: SchemaField) -> list[Mapping[str, Any]]:
    """Return the conjuncts of ``field``; none if they cannot be resolved or are too many."""
    bundled, at = field.bundled, field.inside
    if not isinstance(bundled, dict):
        return []
    try:
        conjuncts, _ = ConjunctWalker(bundled, _MAX_STEPS).flat([Conjunct(pointer.find(bundled, at), at)], frozenset())
    except (KeyError, OverflowError):
        return []
    return [node.schema for node in conjuncts if isinstance(node.schema, dict)]
