"""Facts about a value: subschemas that all hold for it, without their ``$ref`` and ``allOf``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from math import inf
from typing import Any

from babelreg.schema.conjuncts import held_by
from babelreg.schema.dialects import Dialect
from babelreg.schema.keywords import UNEVALUATED, UNIONS
from babelreg.schema.local_references import LocalReferences
from babelreg.schema.regex.python_to_ecma import ECMA
from babelreg.schema.simplify import without_keywords
from babelreg.schema.subschemas import mappings, subschemas
from babelreg.schema.types import declared_types
from babelreg.schema.values import is_number, json_type

__all__ = [
    "VALUE_TYPES",
    "BoundSchema",
    "DerivedSchemas",
    "Facts",
    "NoReferences",
    "at_least",
    "conjuncts",
    "count",
    "has_embedded_resources",
    "mentions",
    "possible_types",
    "refers_elsewhere",
    "unions",
    "value_type",
    "without_unknown_keywords",
]

VALUE_TYPES = ("null", "boolean", "number", "string", "array", "object")
"""The types of JSON values in the proof; an integer is a number."""

_MAX_FACTS = 200
_MAX_BRANCHES = 400
_EXPANDED = frozenset({"$ref", "allOf"})
_CHOICES = frozenset({*UNIONS, "if"})
_CONTENT = frozenset({"contentEncoding", "contentMediaType"})


class NoReferences(LocalReferences):
    """The references of a document that are not resolved, as it embeds others."""

    def target(self, reference: Any) -> None:
        """Return None for every reference."""


class BoundSchema:
    """A subschema, the document that its references point into, and how the patterns of the document are read.

    ``origin`` is the subschema of the document that a schema was made from which is not part of the document itself.
    """

    __slots__ = ("anchors", "origin", "reading", "schema")

    def __init__(self, schema: Any, anchors: LocalReferences, reading: str = ECMA, origin: Any = None) -> None:
        self.schema = schema
        self.anchors = anchors
        self.reading = reading
        self.origin = origin

    def at(self, schema: Any, origin: Any = None) -> BoundSchema:
        """Return another subschema of the same document."""
        return BoundSchema(schema, self.anchors, self.reading, origin)

    def target(self, dialect: Dialect) -> BoundSchema | None:
        """Return the target of this schema's ``$ref``; None without one, or where it cannot be resolved.

        The empty reference is not: jsonschema-rs 0.60.3 lets it refuse nothing, where others go to the root.
        """
        reference = self.schema.get("$ref") if isinstance(self.schema, dict) else None
        if not reference or ("$id" in self.schema and not dialect.ref_alone):
            return None
        target = self.anchors.target(reference)
        return None if target is None else self.at(target[1])

    def resolved(self, dialect: Dialect) -> BoundSchema | None:
        """Return the schema that this one stands for: the end of a chain of references without siblings, or itself.

        None for references that lead in a circle.
        """
        node, seen = self, set[int]()
        while node.only_refers(dialect) and (target := node.target(dialect)) is not None:
            if id(node.schema) in seen:
                return None
            seen.add(id(node.schema))
            node = target
        return node

    def only_refers(self, dialect: Dialect) -> bool:
        """Return True if this schema says what the target of its ``$ref`` says, and nothing else."""
        return isinstance(self.schema, dict) and (self.schema.keys() == {"$ref"} or dialect.only_refers(self.schema))


Facts = tuple[BoundSchema, ...]
"""Schemas that all hold for a value, each a mapping; the targets of their ``$ref`` and ``allOf`` are among them."""


class DerivedSchemas:
    """Schemas that a proof makes from those of the documents; each is made once, so that it is recognized again.

    ``spend`` counts the facts that are read to find what the others demand.
    """

    def __init__(self, spend: Callable[[int], None] = lambda _: None) -> None:
        self.spend = spend
        self._made: dict[tuple[Any, ...], BoundSchema] = {}
        self._alive: list[Any] = []

    def negation(self, node: BoundSchema) -> BoundSchema:
        """Return the schema of what ``node`` refuses."""
        key = ("not", id(node.schema))
        if key not in self._made:
            self._alive.append(node)
            self._made[key] = node.at({"not": node.schema}, origin=node.schema)
        return self._made[key]

    def without(self, node: BoundSchema, keywords: frozenset[str]) -> BoundSchema:
        """Return ``node`` without ``keywords`` and without those whose meaning depends on their siblings."""
        dropped = keywords | UNEVALUATED
        if node.schema.keys().isdisjoint(dropped):
            return node
        key = (dropped, id(node.schema))
        if key not in self._made:
            self._alive.append(node)
            kept = {keyword: value for keyword, value in node.schema.items() if keyword not in dropped}
            self._made[key] = node.at(kept, origin=node.schema if node.origin is None else node.origin)
        return self._made[key]

    def of_names(self, node: BoundSchema, schema: dict[str, Any], *key: str) -> BoundSchema:
        """Return ``schema``, made for the document of ``node``; the same one for the same ``key``."""
        if key not in self._made:
            self._made[key] = node.at(schema)
        return self._made[key]


def conjuncts(nodes: Iterable[BoundSchema], dialect: Dialect, derived: DerivedSchemas | None = None) -> Facts | None:
    """Return every schema that surely holds where ``nodes`` do; None when no value can satisfy them."""
    facts: dict[int, BoundSchema] = {}
    made = derived or DerivedSchemas()
    waiting = list(nodes)
    while waiting or (waiting := _demanded(facts, dialect, made)):
        node = waiting.pop()
        if node.schema is False:
            return None
        if not isinstance(node.schema, dict) or id(node.schema) in facts or len(facts) >= _MAX_FACTS:
            continue
        target = node.target(dialect)
        resolved = None if target is None else target.resolved(dialect)
        if resolved is not None:
            waiting.append(resolved)
        if not dialect.only_refers(node.schema) and (target is None or not node.only_refers(dialect)):
            facts[id(node.schema)] = node
            if "allOf" in node.schema:
                waiting.extend(node.at(member) for _, member in held_by(node.schema, "allOf", dialect))
            if "not" in node.schema:
                waiting.extend(_negated_conjuncts(node, made))
    return tuple(facts.values())


def _demanded(facts: dict[int, BoundSchema], dialect: Dialect, derived: DerivedSchemas) -> list[BoundSchema]:
    """Return what the dependencies among the facts demand of objects with the properties that the facts require."""
    keywords = ("dependencies",) if dialect.ref_alone else ("dependentRequired", "dependentSchemas")
    demanding = [node for node in facts.values() if not node.schema.keys().isdisjoint(keywords)]
    if demanding:
        derived.spend(len(facts))
    if not demanding or len(facts) >= _MAX_FACTS or possible_types(tuple(facts.values())) != ("object",):
        return []
    names = {name for node in facts.values() for name in node.schema.get("required") or ()}
    demanded: list[BoundSchema] = []
    for node in demanding:
        for keyword in keywords:
            rules = node.schema.get(keyword) or {}
            for name in names.intersection(rules):
                rule = rules[name]
                made = derived.of_names(node, {"required": rule}, "demanded", str(id(rules)), name)
                demanded.append(made if isinstance(rule, list) else node.at(rule))
    # A reference is never among the facts, its target is: it would be demanded for ever.
    new = (resolved for node in demanded if (resolved := node.resolved(dialect)) is not None)
    return [node for node in new if node.schema is not True and node.schema != {} and id(node.schema) not in facts]


def _negated_conjuncts(node: BoundSchema, derived: DerivedSchemas) -> Iterator[BoundSchema]:
    """Yield what the ``not`` of ``node`` says as a conjunction: by double negation, and by De Morgan."""
    negated = node.schema["not"]
    if negated is True or negated == {}:
        yield node.at(False)
    if isinstance(negated, dict) and negated.keys() == {"not"}:
        yield node.at(negated["not"])
    if isinstance(negated, dict) and negated.keys() == {"anyOf"} and isinstance(negated["anyOf"], list):
        yield from (derived.negation(node.at(branch)) for branch in negated["anyOf"])


def possible_types(facts: Facts) -> tuple[str, ...]:
    """Return the types, of :data:`VALUE_TYPES`, that a value may still have."""
    possible = set(VALUE_TYPES)
    for node in facts:
        declared = declared_types(node.schema)
        if declared is not None:
            possible &= {"number" if name == "integer" else name for name in declared}
    return tuple(value_type for value_type in VALUE_TYPES if value_type in possible)


def unions(facts: Facts, derived: DerivedSchemas) -> Iterator[tuple[tuple[Any, ...], list[Facts], Facts]]:
    """Yield each union among the facts: the arguments that name it, its branches, one of which holds, the other facts.

    A condition is a union of two branches: the condition with ``then``, and its negation with ``else``.
    """
    if all(node.schema.keys().isdisjoint(_CHOICES) for node in facts):
        return
    # Targets of $ref and members of allOf are facts themselves; expanded again, they would bring the union back.
    apart = tuple(derived.without(node, _EXPANDED) for node in facts)
    for at, node in enumerate(apart):
        for keyword in UNIONS:
            branches = node.schema.get(keyword)
            if isinstance(branches, list) and len(branches) <= _MAX_BRANCHES:
                rest = (*apart[:at], derived.without(node, frozenset({keyword})), *apart[at + 1 :])
                yield (node, keyword), [(node.at(branch),) for branch in branches], rest
        if "if" in node.schema and not node.schema.keys().isdisjoint(("then", "else")):
            rest = (*apart[:at], derived.without(node, frozenset({"if", "then", "else"})), *apart[at + 1 :])
            condition, then, other = (node.at(node.schema.get(word, True)) for word in ("if", "then", "else"))
            yield (node, "if"), [(condition, then), (derived.negation(condition), other)], rest


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
    # From 2019-09 on, content is described and not asserted.
    return without_keywords(schema, unknown if dialect.ref_alone else unknown | _CONTENT)


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


def refers_elsewhere(root: Any) -> bool:
    """Return True if a ``$ref`` leads to a place that is no subschema in any dialect, such as ``#/x-parts/a``.

    :func:`without_unknown_keywords` leaves such a place as it is, so that it may have keywords that nobody asserts.
    """
    reached, waiting = {id(root)}, [root]
    referring = []
    while waiting:
        schema = waiting.pop()
        if isinstance(schema, dict):
            referring += [schema["$ref"]] if "$ref" in schema else []
            below = [inner for _, inner in subschemas(schema)]
            reached.update(map(id, below))
            waiting += below
    references = LocalReferences(root)
    targets = (references.target(reference) for reference in referring)
    return any(isinstance(target[1], dict) and id(target[1]) not in reached for target in targets if target)


def count(value: Any) -> int | None:
    """Return ``value`` as a count of characters, items or members, 3.0 included; None where it is not one."""
    if not is_number(value) or not 0 <= value < inf:
        return None
    return int(value) if value == int(value) else None


def at_least(schema: dict[str, Any], keyword: str, given: int) -> bool:
    """Return True if ``given`` characters, items or members satisfy the lower bound ``keyword`` of ``schema``."""
    if keyword not in schema:
        return True
    wanted = count(schema[keyword])
    return wanted is not None and wanted <= given
