"""Facts about a value: subschemas that all hold for it, without their ``$ref`` and ``allOf``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Set
from dataclasses import dataclass
from typing import Any

from babelreg.schema.conjuncts import held_by
from babelreg.schema.dialects import Dialect
from babelreg.schema.keywords import UNEVALUATED, UNIONS
from babelreg.schema.local_references import LocalReferences
from babelreg.schema.simplify import without_keywords
from babelreg.schema.subschemas import mappings, subschemas
from babelreg.schema.types import declared_types
from babelreg.schema.values import is_number, json_type

__all__ = [
    "VALUE_TYPES",
    "BoundSchema",
    "Facts",
    "at_least",
    "conjuncts",
    "count",
    "has_embedded_resources",
    "mentions",
    "possible_types",
    "unions",
    "value_type",
    "without_unknown_keywords",
]

VALUE_TYPES = ("null", "boolean", "number", "string", "array", "object")
"""The types of JSON values in the proof; an integer is a number."""

_MAX_FACTS = 200
_MAX_BRANCHES = 64
_EXPANDED = frozenset({"$ref", "allOf"})


@dataclass(frozen=True, slots=True, eq=False)
class BoundSchema:
    """A subschema and the document that its references point into."""

    schema: Any
    anchors: LocalReferences

    def at(self, schema: Any) -> BoundSchema:
        """Return another subschema of the same document."""
        return BoundSchema(schema, self.anchors)

    def target(self, dialect: Dialect) -> BoundSchema | None:
        """Return the target of this schema's ``$ref``; None without one, or where it cannot be resolved."""
        reference = self.schema.get("$ref") if isinstance(self.schema, dict) else None
        if reference is None or ("$id" in self.schema and not dialect.ref_alone):
            return None
        target = self.anchors.target(reference)
        return None if target is None else self.at(target[1])


Facts = tuple[BoundSchema, ...]
"""Schemas that all hold for a value, each a mapping; the targets of their ``$ref`` and ``allOf`` are among them."""


def conjuncts(nodes: Iterable[BoundSchema], dialect: Dialect) -> Facts | None:
    """Return every schema that surely holds where ``nodes`` do; None when no value can satisfy them."""
    facts: dict[int, BoundSchema] = {}
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node.schema is False:
            return None
        if not isinstance(node.schema, dict) or id(node.schema) in facts or len(facts) >= _MAX_FACTS:
            continue
        target = node.target(dialect)
        if target is not None:
            waiting.append(target)
        if not dialect.only_refers(node.schema):
            facts[id(node.schema)] = node
            waiting.extend(node.at(member) for _, member in held_by(node.schema, "allOf", dialect))
            waiting.extend(_negated_conjuncts(node))
    return tuple(facts.values())


def _negated_conjuncts(node: BoundSchema) -> Iterator[BoundSchema]:
    """Yield what the ``not`` of ``node`` says as a conjunction: by double negation, and by De Morgan."""
    negated = node.schema.get("not")
    if negated is True or negated == {}:
        yield node.at(False)
    if isinstance(negated, dict) and negated.keys() == {"not"}:
        yield node.at(negated["not"])
    if isinstance(negated, dict) and negated.keys() == {"anyOf"} and isinstance(negated["anyOf"], list):
        yield from (node.at({"not": branch}) for branch in negated["anyOf"])


def possible_types(facts: Facts) -> tuple[str, ...]:
    """Return the types, of :data:`VALUE_TYPES`, that a value may still have."""
    possible = set(VALUE_TYPES)
    for node in facts:
        declared = declared_types(node.schema)
        if declared is not None:
            possible &= {"number" if name == "integer" else name for name in declared}
    return tuple(value_type for value_type in VALUE_TYPES if value_type in possible)


def unions(facts: Facts) -> Iterator[tuple[list[BoundSchema], Facts]]:
    """Yield each union among the facts: its branches, one of which holds, and the other facts."""
    # Targets of $ref and members of allOf are facts themselves; expanded again, they would bring the union back.
    apart = tuple(
        node.at(_without_keywords(node.schema, _EXPANDED)) if node.schema.keys() & _EXPANDED else node for node in facts
    )
    for at, node in enumerate(apart):
        for keyword in UNIONS:
            branches = node.schema.get(keyword)
            if isinstance(branches, list) and len(branches) <= _MAX_BRANCHES:
                rest = node.at(_without_keywords(node.schema, {keyword}))
                yield [node.at(branch) for branch in branches], (*apart[:at], rest, *apart[at + 1 :])


def _without_keywords(schema: dict[str, Any], keywords: Set[str]) -> dict[str, Any]:
    """Return ``schema`` without ``keywords`` and without those whose meaning depends on their siblings."""
    dropped = keywords | UNEVALUATED
    return {keyword: value for keyword, value in schema.items() if keyword not in dropped}


def value_type(value: Any) -> str:
    """Return the type of a JSON value, one of :data:`VALUE_TYPES`."""
    name = json_type(value)
    return "number" if name == "integer" else name


def mentions(schema: Any, keywords: Collection[str]) -> bool:
    """Return True if one of ``keywords`` is a key anywhere in ``schema``."""
    return any(not mapping.keys().isdisjoint(keywords) for mapping in mappings(schema))


_SINCE = {
    "draft4": frozenset({"const", "contains", "propertyNames", "if", "then", "else"}),
    "draft6": frozenset({"if", "then", "else"}),
    "draft7": frozenset({"minContains", "maxContains", "dependentRequired", "dependentSchemas"})
    | {"unevaluatedItems", "unevaluatedProperties", "$recursiveRef", "$recursiveAnchor"},
    "draft2019-09": frozenset({"prefixItems", "$dynamicRef", "$dynamicAnchor"}),
    "draft2020-12": frozenset({"additionalItems", "$recursiveRef", "$recursiveAnchor"}),
}
"""Keywords unknown to a dialect and to those before it. The last entry lists what 2020-12 has dropped."""


def without_unknown_keywords(schema: Any, dialect: Dialect) -> Any:
    """Return ``schema`` without the keywords that its dialect does not know and therefore ignores."""
    names = list(_SINCE)
    known_later = names[names.index(dialect.name) : -1] if dialect.name != names[-1] else [names[-1]]
    unknown = frozenset().union(*(_SINCE[name] for name in known_later))
    return without_keywords(schema, unknown)


def has_embedded_resources(root: Any, dialect: Dialect) -> bool:
    """Return True if a subschema has an identifier of its own, which becomes the base of the references in it."""
    waiting = [inner for _, inner in subschemas(root)]
    while waiting:
        schema = waiting.pop()
        if isinstance(schema, dict):
            identifier = schema.get(dialect.identifier)
            if isinstance(identifier, str) and not identifier.startswith("#"):
                return True
            waiting.extend(inner for _, inner in subschemas(schema))
    return False


def count(value: Any) -> int | None:
    """Return ``value`` as a count of characters, items or members, 3.0 included; None where it is not one."""
    if not is_number(value) or value < 0 or value > 1e15:
        return None
    return int(value) if value == int(value) else None


def at_least(schema: dict[str, Any], keyword: str, given: int) -> bool:
    """Return True if ``given`` characters, items or members satisfy the lower bound ``keyword`` of ``schema``."""
    if keyword not in schema:
        return True
    wanted = count(schema[keyword])
    return wanted is not None and wanted <= given
