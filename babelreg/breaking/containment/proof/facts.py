"""What is known of a value: a set of subschemas that all hold for it, taken apart as far as that is certain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from babelreg.schema.applicators import Anchors, subschemas
from babelreg.schema.dialects import Dialect

__all__ = ["KINDS", "BoundSchema", "Facts", "conjoined", "kinds_of", "own_resources", "without_foreign"]

KINDS = ("null", "boolean", "number", "string", "array", "object")
"""The types of JSON values; an integer is a number."""

_MOST_FACTS = 200


@dataclass(frozen=True, slots=True, eq=False)
class BoundSchema:
    """One subschema and the document in which its references lead."""

    schema: Any
    anchors: Anchors

    def at(self, schema: Any) -> BoundSchema:
        """A subschema of the same document."""
        return BoundSchema(schema, self.anchors)

    def target(self, dialect: Dialect) -> BoundSchema | None:
        """Where the ``$ref`` of this schema leads; None without one, or where that cannot be told."""
        reference = self.schema.get("$ref") if isinstance(self.schema, dict) else None
        if reference is None or ("$id" in self.schema and not dialect.ref_alone):
            return None
        found = self.anchors.target(reference)
        return None if found is None else self.at(found[1])


Facts = tuple[BoundSchema, ...]
"""Schemas that are mappings and all hold for a value; what stands in their ``$ref`` and ``allOf`` is among them."""


def conjoined(nodes: Iterable[BoundSchema], dialect: Dialect) -> Facts | None:
    """Everything that surely holds where ``nodes`` do; None when nothing can."""
    found: dict[int, BoundSchema] = {}
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node.schema is False:
            return None
        if not isinstance(node.schema, dict) or id(node.schema) in found or len(found) >= _MOST_FACTS:
            continue
        target = node.target(dialect)
        if target is not None:
            waiting.append(target)
        if not (dialect.ref_alone and "$ref" in node.schema):
            found[id(node.schema)] = node
            waiting.extend(_within(node))
    return tuple(found.values())


def _within(node: BoundSchema) -> Iterator[BoundSchema]:
    several = node.schema.get("allOf")
    if isinstance(several, list):
        yield from map(node.at, several)
    negated = node.schema.get("not")
    if negated is True or negated == {}:
        yield node.at(False)
    if isinstance(negated, dict) and negated.keys() == {"not"}:
        yield node.at(negated["not"])
    if isinstance(negated, dict) and negated.keys() == {"anyOf"} and isinstance(negated["anyOf"], list):
        yield from (node.at({"not": branch}) for branch in negated["anyOf"])


def kinds_of(facts: Facts) -> tuple[str, ...]:
    """The types that a value may still have."""
    left = set(KINDS)
    for node in facts:
        said = node.schema.get("type")
        if said is not None:
            types = {said} if isinstance(said, str) else set(said)
            left &= {"number" if name == "integer" else name for name in types}
    return tuple(kind for kind in KINDS if kind in left)


_SINCE = {
    "draft4": frozenset({"const", "contains", "propertyNames", "if", "then", "else"}),
    "draft6": frozenset({"if", "then", "else"}),
    "draft7": frozenset({"minContains", "maxContains", "dependentRequired", "dependentSchemas"})
    | {"unevaluatedItems", "unevaluatedProperties", "$recursiveRef", "$recursiveAnchor"},
    "draft2019-09": frozenset({"prefixItems", "$dynamicRef", "$dynamicAnchor"}),
    "draft2020-12": frozenset({"additionalItems", "$recursiveRef", "$recursiveAnchor"}),
}
"""Keywords that a dialect does not know yet, and those before it neither; the last has dropped some."""


def without_foreign(schema: Any, dialect: Dialect) -> Any:
    """``schema`` without the keywords that its dialect does not know, and that therefore say nothing."""
    names = list(_SINCE)
    known_later = names[names.index(dialect.name) : -1] if dialect.name != names[-1] else [names[-1]]
    foreign = frozenset().union(*(_SINCE[name] for name in known_later))
    return _without(schema, foreign)


def _without(schema: Any, foreign: frozenset[str]) -> Any:
    if not isinstance(schema, dict):
        return schema
    kept = {keyword: value for keyword, value in schema.items() if keyword not in foreign}
    for steps, inner in subschemas(kept):
        if len(steps) == 1:
            kept[str(steps[0])] = _without(inner, foreign)
            continue
        held = kept[str(steps[0])]
        if held is schema[steps[0]]:
            held = kept[str(steps[0])] = list(held) if isinstance(held, list) else dict(held)
        held[steps[1]] = _without(inner, foreign)
    return kept


def own_resources(root: Any, dialect: Dialect) -> bool:
    """True if a subschema has an identifier of its own, from which references in it would count."""
    waiting = [inner for _, inner in subschemas(root)]
    while waiting:
        here = waiting.pop()
        if isinstance(here, dict):
            said = here.get(dialect.identifier)
            if isinstance(said, str) and not said.startswith("#"):
                return True
            waiting.extend(inner for _, inner in subschemas(here))
    return False
