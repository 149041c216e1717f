"""Arrays: what holds for each item, how many there are, what one of them must be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from babelreg.breaking.containment.proof.facts import BoundSchema, Facts
from babelreg.breaking.containment.proof.scalars import count

if TYPE_CHECKING:
    from babelreg.breaking.containment.proof.inclusion import Proof

__all__ = ["holds", "void"]

_MOST_PLACES = 40


def holds(proof: Proof, facts: Facts, outer: BoundSchema) -> bool:
    """``Proof.holds`` for arrays."""
    schema = outer.schema
    least, most = _counts(facts)
    wanted_most = count(schema.get("maxItems"))
    if (count(schema.get("minItems")) or 0) > least or ("maxItems" in schema and (wanted_most is None or most is None)):
        return False
    if wanted_most is not None and most is not None and most > wanted_most:
        return False
    if (
        schema.get("uniqueItems")
        and not any(node.schema.get("uniqueItems") for node in facts)
        and (most is None or most > 1)
    ):
        return False
    with proof.deeper():
        return _items(proof, facts, outer, most) and _contains(proof, facts, outer, least)


def void(proof: Proof, facts: Facts) -> bool:
    """``Proof.void`` for arrays."""
    least, most = _counts(facts)
    if most is not None and least > most:
        return True
    named = max((len(_places(node)) for node in facts), default=0)
    with proof.deeper():
        # All places behind those that have a schema of their own have the same one.
        return any(proof.void(_at(facts, place)) for place in range(min(least, named + 1, _MOST_PLACES)))


def _counts(facts: Facts) -> tuple[int, int | None]:
    lows = [count(node.schema.get("minItems")) or 0 for node in facts]
    highs = [most for node in facts if (most := count(node.schema.get("maxItems"))) is not None]
    highs += [len(_places(node)) for node in facts if _rest(node) is False]
    return max(lows, default=0), min(highs, default=None)


def _places(node: BoundSchema) -> list[Any]:
    """The schemas of the first items."""
    listed = node.schema.get("prefixItems", node.schema.get("items"))
    return listed if isinstance(listed, list) else []


def _rest(node: BoundSchema) -> Any:
    """The schema of all items behind those."""
    schema = node.schema
    if isinstance(schema.get("items"), list):
        return schema.get("additionalItems", True)
    return schema.get("items", True)


def _at(facts: Facts, place: int) -> Facts:
    return tuple(node.at(listed[place] if place < len(listed := _places(node)) else _rest(node)) for node in facts)


def _items(proof: Proof, facts: Facts, outer: BoundSchema, most: int | None) -> bool:
    named = max(len(_places(node)) for node in (*facts, outer))
    if named > _MOST_PLACES:
        return False
    for place in range(named + 1):  # the last stands for all behind it
        if most is not None and place >= most:
            return True
        inner, wanted = _at(facts, place), _at((outer,), place)[0]
        if not proof.holds(inner, wanted):
            # An array that cannot have an item here ends before it, and so does all that follows.
            return proof.void(inner)
    return True


def _contains(proof: Proof, facts: Facts, outer: BoundSchema, least: int) -> bool:
    schema = outer.schema
    if "contains" not in schema:
        return True
    if "maxContains" in schema:
        return False
    wanted, at_least = outer.at(schema["contains"]), count(schema.get("minContains", 1))
    if at_least == 0:
        return True
    if at_least is None:
        return False
    for node in facts:
        given = count(node.schema.get("minContains", 1)) or 0
        if "contains" in node.schema and given >= at_least and proof.holds((node.at(node.schema["contains"]),), wanted):
            return True
    behind = max((len(_places(node)) for node in facts), default=0)
    if least < at_least or behind + 1 > _MOST_PLACES:
        return False
    return all(proof.holds(_at(facts, place), wanted) for place in range(behind + 1))
