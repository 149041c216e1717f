"""Entry of the proof: whether one schema is a subschema of another, with the rules of every JSON type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from babelreg.breaking.containment.proof.applicators import (
    all_of_implied,
    any_of_implied,
    conditional_implied,
    not_implied,
    one_of_implied,
)
from babelreg.breaking.containment.proof.arrays import arrays_imply, arrays_unsatisfiable
from babelreg.breaking.containment.proof.conjuncts import (
    BoundSchema,
    NoReferences,
    has_embedded_resources,
    refers_elsewhere,
    without_unknown_keywords,
)
from babelreg.breaking.containment.proof.derivation import Step
from babelreg.breaking.containment.proof.inclusion import ApplicatorRule, OutOfSteps, Proof, TypeRules
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
from babelreg.schema.regex.python_to_ecma import ECMA
from babelreg.schema.subschemas import mappings

__all__ = ["Derived", "derive", "is_subschema"]

STEPS = 80_000
STEPS_OF_A_SCHEMA = 300
MOST_STEPS = 300_000
"""A step takes about five microseconds."""
_RULES: Mapping[str, TypeRules] = {
    "null": TypeRules(always, never),
    "boolean": TypeRules(always, never),
    "number": TypeRules(numbers_imply, numbers_unsatisfiable),
    "string": TypeRules(strings_imply, strings_unsatisfiable, enumerates_strings),
    "array": TypeRules(arrays_imply, arrays_unsatisfiable),
    "object": TypeRules(objects_imply, objects_unsatisfiable),
}
_APPLICATORS: Mapping[str, ApplicatorRule] = {
    "allOf": all_of_implied,
    "anyOf": any_of_implied,
    "oneOf": one_of_implied,
    "not": not_implied,
    "if": conditional_implied,
}


class Derived(NamedTuple):
    """A derivation, None where the search found none, and whether it may depend on what patterns match."""

    step: Step | None
    reads_patterns: bool = False


def is_subschema(inner: Any, outer: Any, dialect: Dialect, *, formats: bool = False, steps: int | None = None) -> bool:
    """Return True if surely every document that ``inner`` allows is allowed by ``outer``. False means undecided."""
    left, right = (without_unknown_keywords(schema, dialect) for schema in (inner, outer))
    return derive(left, right, dialect, formats=formats, steps=steps).step is not None


def derive(
    inner: Any,
    outer: Any,
    dialect: Dialect,
    *,
    formats: bool = False,
    steps: int | None = None,
    readings: tuple[str, str] = (ECMA, ECMA),
) -> Derived:
    """Derive that every document that ``inner`` allows is allowed by ``outer``.

    Neither may be a schema that ``obstacle`` refuses: one that is its own negation has no meaning. ``readings`` are
    those of the patterns in ``inner`` and in ``outer``. Neither has a keyword that the dialect ignores: see
    :func:`without_unknown_keywords`. The search takes ``steps`` at most; by default they grow with the schemas. Nodes
    in the derivation are parts of the two.
    """
    if refers_elsewhere(inner) or refers_elsewhere(outer):
        return Derived(None)
    if steps is None:
        steps = min(STEPS + STEPS_OF_A_SCHEMA * (_size(inner) + _size(outer)), MOST_STEPS)
    proof = Proof(_RULES, _APPLICATORS, dialect, formats=formats, steps=steps)
    left, right = (
        # References are resolved differently within embedded resources; none is then.
        BoundSchema(
            schema, (NoReferences if has_embedded_resources(schema, dialect) else LocalReferences)(schema), reading
        )
        for schema, reading in zip((inner, outer), readings, strict=True)
    )
    try:
        return Derived(proof.implies((left,), right), proof.reads_patterns)
    except (OutOfSteps, RecursionError):
        return Derived(None, proof.reads_patterns)


def _size(schema: Any) -> int:
    return sum(1 for _ in mappings(schema))
