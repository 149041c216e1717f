"""Proof rules for arrays: the schema of each item, their number, and ``contains``."""

from __future__ import annotations

from typing import Any

from babelreg.breaking.containment.proof.conjuncts import BoundSchema, Facts, at_least, count
from babelreg.breaking.containment.proof.derivation import APART, Step, every, step
from babelreg.breaking.containment.proof.inclusion import KeywordSteps, Proof
from babelreg.schema.keywords import ITEM_KEYWORDS, UNEVALUATED

__all__ = ["arrays_imply", "arrays_unsatisfiable"]

_MAX_POSITIONS = 40


def arrays_imply(proof: Proof, facts: Facts, outer: BoundSchema) -> KeywordSteps | None:
    """Derive the keywords of ``outer`` for arrays."""
    schema = outer.schema
    least, most = _item_counts(facts)
    wanted_most = count(schema.get("maxItems"))
    if not at_least(schema, "minItems", least) or ("maxItems" in schema and (wanted_most is None or most is None)):
        return None
    if wanted_most is not None and most is not None and most > wanted_most:
        return None
    if (
        schema.get("uniqueItems")
        and not any(node.schema.get("uniqueItems") for node in facts)
        and (most is None or most > 1)
    ):
        return None
    keywords: KeywordSteps = {}
    with proof.deeper():
        for keyword, derive in (("items", _items_imply), ("contains", _contains_implied)):
            if not schema.keys().isdisjoint(_TOGETHER[keyword]):
                derived = derive(proof, facts, outer, least, most)
                if derived is None:
                    return None
                keywords[keyword] = derived
    return keywords


_TOGETHER = {"items": ITEM_KEYWORDS - UNEVALUATED - {"contains"}, "contains": {"contains"}}


def arrays_unsatisfiable(proof: Proof, facts: Facts) -> Step | None:
    """Derive that no array satisfies ``facts``."""
    least, most = _item_counts(facts)
    if most is not None and least > most:
        return APART
    listed = max((len(_item_schemas(node)) for node in facts), default=0)
    with proof.deeper():
        for node in facts:
            if "contains" in node.schema and count(node.schema.get("minContains", 1)) and listed < _MAX_POSITIONS:
                sought = node.at(node.schema["contains"])
                apart = every(proof.unsatisfiable((*_item_facts(facts, at), sought)) for at in range(listed + 1))
                if apart is not None:
                    return step("no-contained", *apart, of=(node,))
        # All positions after those that have a schema of their own share one.
        for position in range(min(least, listed + 1, _MAX_POSITIONS)):
            contradiction = proof.unsatisfiable(_item_facts(facts, position))
            if contradiction is not None:
                return step("no-item", contradiction, of=(position,))
    return None


def _item_counts(facts: Facts) -> tuple[int, int | None]:
    lows = [count(node.schema.get("minItems")) or 0 for node in facts]
    highs = [most for node in facts if (most := count(node.schema.get("maxItems"))) is not None]
    highs += [len(_item_schemas(node)) for node in facts if _additional_items(node) is False]
    return max(lows, default=0), min(highs, default=None)


def _item_schemas(node: BoundSchema) -> list[Any]:
    """Return the schemas of the first items, one each."""
    schemas = node.schema.get("prefixItems", node.schema.get("items"))
    return schemas if isinstance(schemas, list) else []


def _additional_items(node: BoundSchema) -> Any:
    """Return the schema of all further items."""
    schema = node.schema
    if isinstance(schema.get("items"), list):
        return schema.get("additionalItems", True)
    return schema.get("items", True)


def _item_facts(facts: Facts, position: int) -> Facts:
    return tuple(
        node.at(schemas[position] if position < len(schemas := _item_schemas(node)) else _additional_items(node))
        for node in facts
    )


def _items_imply(proof: Proof, facts: Facts, outer: BoundSchema, least: int, most: int | None) -> Step | None:
    """Derive the schema of each position, up to the first where no array has an item."""
    listed = max(len(_item_schemas(node)) for node in (*facts, outer))
    if listed > _MAX_POSITIONS:
        return None
    premises: list[Step] = []
    for position in range(listed + 1):  # the last represents all that follow
        if most is not None and position >= most:
            break
        inner, wanted = _item_facts(facts, position), _item_facts((outer,), position)[0]
        if wanted.schema is True or wanted.schema == {}:
            continue
        derived = proof.implies(inner, wanted)
        if derived is None:
            # No array has an item at this position, so none has one at a later position.
            contradiction = proof.unsatisfiable(inner)
            return None if contradiction is None else step("items", *premises, contradiction, of=(position,))
        premises.append(derived)
    return step("items", *premises)


def _contains_implied(proof: Proof, facts: Facts, outer: BoundSchema, least: int, most: int | None) -> Step | None:
    schema = outer.schema
    if "maxContains" in schema:
        return None
    wanted, at_least = outer.at(schema["contains"]), count(schema.get("minContains", 1))
    if at_least is None:
        return None
    for node in facts:
        given = count(node.schema.get("minContains", 1)) or 0
        if "contains" in node.schema and given >= at_least:
            derived = proof.implies((node.at(node.schema["contains"]),), wanted)
            if derived is not None:
                return step("contains-same", derived, of=(node,))
    last = max((len(_item_schemas(node)) for node in facts), default=0)
    if least < at_least or last + 1 > _MAX_POSITIONS:
        return None
    sought = {
        at: derived for at in range(last) if at < least and (derived := proof.implies(_item_facts(facts, at), wanted))
    }
    if len(sought) >= at_least:
        return step("contains-at", *sought.values(), of=tuple(sought))
    premises = every(proof.implies(_item_facts(facts, position), wanted) for position in range(last + 1))
    return None if premises is None else step("contains-every", *premises)
