"""Proof rules for objects: the schema of each property, required properties, and their number.

Property names fall into classes by the schemas that apply to them: each name that either side lists is a class of its
own, all others are classified by the patterns that they match. A combination of patterns that no name matches is
skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from babelreg.breaking.containment.proof.conjuncts import BoundSchema, Facts, at_least, count
from babelreg.breaking.containment.proof.inclusion import Proof
from babelreg.breaking.containment.proof.pattern_automata import matches, no_string_left

__all__ = ["objects_imply", "objects_unsatisfiable"]

_MAX_PATTERNS = 6


def objects_imply(proof: Proof, facts: Facts, outer: BoundSchema) -> bool:
    """Decide ``Proof.implies`` for objects."""
    schema = outer.schema
    required = _required(facts)
    if not required.issuperset(schema.get("required") or ()):
        return False
    if not _count_implied(facts, required, schema):
        return False
    if _max_properties(facts) == 0:
        return True
    with proof.deeper():
        properties_implied = (
            _property_names_implied(proof, facts, outer)
            and _dependent_required_implied(proof, facts, required, outer)
            and _properties_imply(proof, facts, outer)
        )
    return properties_implied and _dependent_schemas_implied(proof, facts, outer)


def objects_unsatisfiable(proof: Proof, facts: Facts) -> bool:
    """Decide ``Proof.unsatisfiable`` for objects."""
    required = _required(facts)
    most = _max_properties(facts)
    if most is not None and most < max(len(required), _min_properties(facts, required)):
        return True
    with proof.deeper():
        return any(
            applied is not None and proof.unsatisfiable(applied)
            for applied in (_property_facts(facts, name) for name in sorted(required))
        )


def _required(facts: Facts) -> frozenset[str]:
    listed = (node.schema.get("required") for node in facts)
    return frozenset(name for names in listed if isinstance(names, list) for name in names)


def _min_properties(facts: Facts, required: frozenset[str]) -> int:
    return max([len(required), *(count(node.schema.get("minProperties")) or 0 for node in facts)])


def _max_properties(facts: Facts) -> int | None:
    return min((most for node in facts if (most := count(node.schema.get("maxProperties"))) is not None), default=None)


def _count_implied(facts: Facts, required: frozenset[str], schema: dict[str, Any]) -> bool:
    if not at_least(schema, "minProperties", _min_properties(facts, required)):
        return False
    if "maxProperties" not in schema:
        return True
    wanted = count(schema["maxProperties"])
    given = [most for node in facts if (most := count(node.schema.get("maxProperties"))) is not None]
    given += [
        len(node.schema.get("properties", {}))
        for node in facts
        if node.schema.get("additionalProperties") is False and not node.schema.get("patternProperties")
    ]
    return wanted is not None and any(most <= wanted for most in given)


def _property_names_implied(proof: Proof, facts: Facts, outer: BoundSchema) -> bool:
    if "propertyNames" not in outer.schema:
        return True
    wanted = outer.at(outer.schema["propertyNames"])
    text = outer.at({"type": "string"})
    given = [node.at(node.schema["propertyNames"]) for node in facts if "propertyNames" in node.schema]
    if proof.implies((text, *given), wanted):
        return True
    closed = [node for node in facts if _is_closed(node)]
    return any(
        all(proof.implies((text, outer.at({"enum": [name]})), wanted) for name in node.schema.get("properties", {}))
        for node in closed
    )


def _is_closed(node: BoundSchema) -> bool:
    return node.schema.get("additionalProperties") is False and not node.schema.get("patternProperties")


def _dependent_required_implied(proof: Proof, facts: Facts, required: frozenset[str], outer: BoundSchema) -> bool:
    # A name may be in both keywords; then both apply.
    rules = [*(outer.schema.get("dependentRequired") or {}).items()]
    rules += [(k, v) for k, v in (outer.schema.get("dependencies") or {}).items() if isinstance(v, list)]
    for name, names in rules:
        given = set(required)
        for node in facts:
            given |= set((node.schema.get("dependentRequired") or {}).get(name, ()))
        if not given.issuperset(names) and not _property_unsatisfiable(proof, facts, name):
            return False
    return True


def _property_unsatisfiable(proof: Proof, facts: Facts, name: str) -> bool:
    applied = _property_facts(facts, name)
    return applied is not None and proof.unsatisfiable(applied)


def _dependent_schemas_implied(proof: Proof, facts: Facts, outer: BoundSchema) -> bool:
    rules = [*(outer.schema.get("dependentSchemas") or {}).items()]
    rules += [(k, v) for k, v in (outer.schema.get("dependencies") or {}).items() if not isinstance(v, list)]
    for name, schema in rules:
        with proof.deeper():
            if _property_unsatisfiable(proof, facts, name):
                continue
        present = outer.at({"type": "object", "required": [name]})
        if not proof.implies((*facts, present), outer.at(schema)):
            return False
    return True


def _properties_imply(proof: Proof, facts: Facts, outer: BoundSchema) -> bool:
    if not outer.schema.keys() & {"properties", "patternProperties", "additionalProperties"}:
        return True
    names = {name for node in (*facts, outer) for name in node.schema.get("properties") or {}}
    for name in sorted(names):
        inner, wanted = _property_facts(facts, name), _property_facts((outer,), name)
        if inner is None or wanted is None or not _all_implied(proof, inner, wanted):
            return False
    patterns = sorted({p for node in (*facts, outer) for p in node.schema.get("patternProperties") or {}})
    if len(patterns) > _MAX_PATTERNS:
        return False
    return all(
        _all_implied(proof, _facts_by_patterns(facts, matched), _facts_by_patterns((outer,), matched))
        for matched in _pattern_combinations(patterns, names)
    )


def _all_implied(proof: Proof, inner: Facts, wanted: Facts) -> bool:
    return all(proof.implies(inner, schema) for schema in wanted) or proof.unsatisfiable(inner)


def _property_facts(facts: Facts, name: str) -> Facts | None:
    """Return the schemas that apply to the property ``name``; None where a pattern cannot be read."""
    applied: list[BoundSchema] = []
    for node in facts:
        listed, patterns = node.schema.get("properties") or {}, node.schema.get("patternProperties") or {}
        schemas = [listed[name]] if name in listed else []
        for pattern, schema in patterns.items():
            matched = matches(pattern, name)
            if matched is None:
                return None
            schemas += [schema] if matched else []
        applied += map(node.at, schemas or [node.schema.get("additionalProperties", True)])
    return tuple(applied)


def _facts_by_patterns(facts: Facts, matched: frozenset[str]) -> Facts:
    """Return the schemas that apply to a property that is not listed and matches exactly the patterns ``matched``."""
    applied: list[BoundSchema] = []
    for node in facts:
        patterns = node.schema.get("patternProperties") or {}
        schemas = [schema for pattern, schema in patterns.items() if pattern in matched]
        applied += map(node.at, schemas or [node.schema.get("additionalProperties", True)])
    return tuple(applied)


def _pattern_combinations(patterns: list[str], names: set[str]) -> Iterator[frozenset[str]]:
    """Yield every subset of ``patterns`` that a name outside ``names`` may match while it matches no other."""
    listed = sorted(names)
    for chosen in product((True, False), repeat=len(patterns)):
        matched = [pattern for pattern, yes in zip(patterns, chosen, strict=True) if yes]
        others = [pattern for pattern, yes in zip(patterns, chosen, strict=True) if not yes]
        if len(patterns) < 2 or not no_string_left(matched, others, but=listed):
            yield frozenset(matched)
