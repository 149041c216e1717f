"""Objects: what holds for each property, which there must be, and how many.

The names an object may have are told apart by what applies to them: each name that either side lists is looked at by
itself, all others by the patterns that they match. A combination of patterns that no name can match is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any

from babelreg.breaking.containment.proof.facts import BoundSchema, Facts
from babelreg.breaking.containment.proof.scalars import count
from babelreg.breaking.containment.proof.strings import found, nothing_left

if TYPE_CHECKING:
    from babelreg.breaking.containment.proof.inclusion import Proof

__all__ = ["holds", "void"]

_MOST_PATTERNS = 6


def holds(proof: Proof, facts: Facts, outer: BoundSchema) -> bool:
    """``Proof.holds`` for objects."""
    schema = outer.schema
    required = _required(facts)
    if not required.issuperset(schema.get("required") or ()):
        return False
    if not _counted(facts, required, schema):
        return False
    if _most(facts) == 0:
        return True
    with proof.deeper():
        inside = (
            _names(proof, facts, outer)
            and _dependent(proof, facts, required, outer)
            and _properties(proof, facts, outer)
        )
    return inside and _dependent_schemas(proof, facts, outer)


def void(proof: Proof, facts: Facts) -> bool:
    """``Proof.void`` for objects."""
    required = _required(facts)
    most = _most(facts)
    if most is not None and most < max(len(required), _least(facts, required)):
        return True
    with proof.deeper():
        return any(
            applied is not None and proof.void(applied)
            for applied in (_applied(facts, name) for name in sorted(required))
        )


def _required(facts: Facts) -> frozenset[str]:
    listed = (node.schema.get("required") for node in facts)
    return frozenset(name for names in listed if isinstance(names, list) for name in names)


def _least(facts: Facts, required: frozenset[str]) -> int:
    return max([len(required), *(count(node.schema.get("minProperties")) or 0 for node in facts)])


def _most(facts: Facts) -> int | None:
    return min((most for node in facts if (most := count(node.schema.get("maxProperties"))) is not None), default=None)


def _counted(facts: Facts, required: frozenset[str], schema: dict[str, Any]) -> bool:
    if (count(schema.get("minProperties")) or 0) > _least(facts, required):
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


def _names(proof: Proof, facts: Facts, outer: BoundSchema) -> bool:
    if "propertyNames" not in outer.schema:
        return True
    wanted = outer.at(outer.schema["propertyNames"])
    text = outer.at({"type": "string"})
    given = [node.at(node.schema["propertyNames"]) for node in facts if "propertyNames" in node.schema]
    if proof.holds((text, *given), wanted):
        return True
    closed = [node for node in facts if _closed(node)]
    return any(
        all(proof.holds((text, outer.at({"enum": [name]})), wanted) for name in node.schema.get("properties", {}))
        for node in closed
    )


def _closed(node: BoundSchema) -> bool:
    return node.schema.get("additionalProperties") is False and not node.schema.get("patternProperties")


def _dependent(proof: Proof, facts: Facts, required: frozenset[str], outer: BoundSchema) -> bool:
    # Side by side: a name may be in both, and both hold.
    rules = [*(outer.schema.get("dependentRequired") or {}).items()]
    rules += [(k, v) for k, v in (outer.schema.get("dependencies") or {}).items() if isinstance(v, list)]
    for name, names in rules:
        given = set(required)
        for node in facts:
            given |= set((node.schema.get("dependentRequired") or {}).get(name, ()))
        if not given.issuperset(names) and not _impossible(proof, facts, name):
            return False
    return True


def _impossible(proof: Proof, facts: Facts, name: str) -> bool:
    applied = _applied(facts, name)
    return applied is not None and proof.void(applied)


def _dependent_schemas(proof: Proof, facts: Facts, outer: BoundSchema) -> bool:
    rules = [*(outer.schema.get("dependentSchemas") or {}).items()]
    rules += [(k, v) for k, v in (outer.schema.get("dependencies") or {}).items() if not isinstance(v, list)]
    for name, schema in rules:
        with proof.deeper():
            if _impossible(proof, facts, name):
                continue
        present = outer.at({"type": "object", "required": [name]})
        if not proof.holds((*facts, present), outer.at(schema)):
            return False
    return True


def _properties(proof: Proof, facts: Facts, outer: BoundSchema) -> bool:
    if not outer.schema.keys() & {"properties", "patternProperties", "additionalProperties"}:
        return True
    names = {name for node in (*facts, outer) for name in node.schema.get("properties") or {}}
    for name in sorted(names):
        inner, wanted = _applied(facts, name), _applied((outer,), name)
        if inner is None or wanted is None or not _all_hold(proof, inner, wanted):
            return False
    patterns = sorted({p for node in (*facts, outer) for p in node.schema.get("patternProperties") or {}})
    if len(patterns) > _MOST_PATTERNS:
        return False
    return all(
        _all_hold(proof, _by_patterns(facts, matched), _by_patterns((outer,), matched))
        for matched in _combinations(patterns, names)
    )


def _all_hold(proof: Proof, inner: Facts, wanted: Facts) -> bool:
    return all(proof.holds(inner, one) for one in wanted) or proof.void(inner)


def _applied(facts: Facts, name: str) -> Facts | None:
    """What applies to the property of that name; None where a pattern cannot be read."""
    applied: list[BoundSchema] = []
    for node in facts:
        listed, patterns = node.schema.get("properties") or {}, node.schema.get("patternProperties") or {}
        here = [listed[name]] if name in listed else []
        for pattern, schema in patterns.items():
            matches = found(pattern, name)
            if matches is None:
                return None
            here += [schema] if matches else []
        applied += map(node.at, here or [node.schema.get("additionalProperties", True)])
    return tuple(applied)


def _by_patterns(facts: Facts, matched: frozenset[str]) -> Facts:
    """What applies to a name that is not listed and matches just these patterns."""
    applied: list[BoundSchema] = []
    for node in facts:
        patterns = node.schema.get("patternProperties") or {}
        here = [schema for pattern, schema in patterns.items() if pattern in matched]
        applied += map(node.at, here or [node.schema.get("additionalProperties", True)])
    return tuple(applied)


def _combinations(patterns: list[str], names: set[str]) -> Iterator[frozenset[str]]:
    """Every set of patterns that one name may match while it matches no other and is none of ``names``."""
    listed = sorted(names)
    for taken in product((True, False), repeat=len(patterns)):
        matched = [pattern for pattern, yes in zip(patterns, taken, strict=True) if yes]
        others = [pattern for pattern, yes in zip(patterns, taken, strict=True) if not yes]
        if len(patterns) < 2 or not nothing_left(matched, others, but=listed):
            yield frozenset(matched)
