"""Entry of the proof: whether one schema is a subschema of another, with the rules of every JSON type."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from babelreg.breaking.containment.proof.arrays import arrays_imply, arrays_unsatisfiable
from babelreg.breaking.containment.proof.conjuncts import BoundSchema, has_embedded_resources, without_unknown_keywords
from babelreg.breaking.containment.proof.inclusion import OutOfSteps, Proof, TypeRules
from babelreg.breaking.containment.proof.objects import objects_imply, objects_unsatisfiable
from babelreg.breaking.containment.proof.scalars import (
    always,
    enumerates_strings,
    never,
    numbers_imply,
    numbers_unsatisfiable,
    strings_imply,
    strings_unsatisfiable,
)
from babelreg.schema.dialects import Dialect
from babelreg.schema.local_references import LocalReferences

__all__ = ["is_subschema"]

STEPS = 80_000
_RULES: Mapping[str, TypeRules] = {
    "null": TypeRules(always, never),
    "boolean": TypeRules(always, never),
    "number": TypeRules(numbers_imply, numbers_unsatisfiable),
    "string": TypeRules(strings_imply, strings_unsatisfiable, enumerates_strings),
    "array": TypeRules(arrays_imply, arrays_unsatisfiable),
    "object": TypeRules(objects_imply, objects_unsatisfiable),
}


def is_subschema(
    inner: Any,
    outer: Any,
    dialect: Dialect,
    *,
    formats: bool = False,
    steps: int = STEPS,
    opaque: Set[str] = frozenset(),
) -> bool:
    """Return True if surely every document that ``inner`` allows is allowed by ``outer``. False means undecided.

    Neither may be a schema that ``obstacle`` refuses: one that is its own negation has no meaning. Of the patterns
    ``opaque`` nothing is known but that each equals itself.
    """
    if has_embedded_resources(inner, dialect) or has_embedded_resources(outer, dialect):
        return False  # references are resolved differently within them
    proof = Proof(_RULES, dialect, formats=formats, steps=steps, opaque=opaque)
    left, right = (without_unknown_keywords(schema, dialect) for schema in (inner, outer))
    try:
        return proof.implies((BoundSchema(left, LocalReferences(left)),), BoundSchema(right, LocalReferences(right)))
    except (OutOfSteps, RecursionError):
        return False
