"""Subschemas of a document as search nodes, and the alternatives that their unions and conditions leave."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeVar
from urllib.parse import quote

from babelreg.errors import SchemaError
from babelreg.schema.dialects import DIALECTS, Dialect, compiling, judging
from babelreg.schema.keywords import COMBINED, IN_PLACE, REFERENCES, UNIONS
from babelreg.schema.local_references import LocalReferences
from babelreg.schema.pointer import Pointer, text
from babelreg.schema.simplify import without_ref_siblings
from babelreg.schema.static_references import with_static_references
from babelreg.schema.types import declared_types
from babelreg.schema.values import identical, mappings

_PREFERRED = ("object", "string", "integer", "array", "number", "boolean", "null")
_MAX_ALTERNATIVES = 12
_MAX_DEPTH_IN_PLACE = 24
_MAX_VISITED = 2_000
_MAX_COMPILED = 400_000  # values, summed over all subschemas compiled: about two seconds
_DOCUMENT = "urn:babelreg:document"
_FOLLOWED = IN_PLACE.union(REFERENCES)
"""Keywords whose subschemas apply to the same value; most subschemas have none of them."""
_LEAF = frozenset({"type", "format", "pattern", "enum", "const", "minLength", "maxLength", "minimum", "maximum",
                   "multipleOf"})  # fmt: skip
_SHORT = 200
"""Short subschemas of :data:`_LEAF` keywords recur, and are compiled once for all documents."""

T = TypeVar("T")


class SearchDocument:
    """A schema document with its reference targets, and a validator for each of its subschemas."""

    def __init__(self, root: Any, dialect: Dialect, *, formats: bool) -> None:
        self.root = with_static_references(without_ref_siblings(root, dialect), dialect)
        self.dialect = dialect
        self.formats = formats
        self.references = LocalReferences(self.root, dialect)
        self.shared: frozenset[int] = frozenset()
        """Identities of members of long lists that the other document has, too; the others are tried first."""
        self._validators: dict[Pointer, Any] = {}
        self._values_left = _MAX_COMPILED

    @property
    def node(self) -> SearchNode:
        """Return the node of the root."""
        return SearchNode(self, (), self.root)

    def accepts(self, pointer: Pointer, value: Any) -> bool:
        """Return True if the subschema at ``pointer`` allows ``value``, or cannot be compiled by itself."""
        return allowed(self.validator(pointer), value)

    def validator(self, pointer: Pointer, schema: Any = None) -> Any:
        """Return the compiled subschema at ``pointer``; None where it cannot be compiled by itself.

        With ``schema``, the subschema itself, it may be one that was compiled for another document.
        """
        if pointer not in self._validators:
            self._validators[pointer] = self._leaf(schema) or self._compiled(pointer)
        return self._validators[pointer]

    def compile_again(self) -> None:
        """Allow as many subschemas to be compiled as at the beginning, for another search."""
        self._values_left = _MAX_COMPILED
        self._validators = {pointer: known for pointer, known in self._validators.items() if known is not None}

    def _leaf(self, schema: Any) -> Any:
        if isinstance(schema, dict) and schema.keys() <= _LEAF and not _lists_many(schema):
            serialized = json.dumps(schema)
            if len(serialized) <= _SHORT:
                return _leaf_validator(serialized, self.dialect.name, self.formats)
        return None

    def _compiled(self, pointer: Pointer) -> Any:
        # One at a time and on demand: where definitions refer to each other, compiling all of them (validator_map_for)
        # takes memory and time quadratic in their number.
        import jsonschema_rs

        self._values_left -= self._size
        if self._resources is None or self._values_left < 0:
            return None
        reference = {"$ref": f"{_DOCUMENT}#{quote(text(pointer))}"}
        validator_class = getattr(jsonschema_rs, self.dialect.validator)
        with suppress(SchemaError), compiling():
            return validator_class(reference, registry=self._resources, **judging(self.formats))
        return None

    @cached_property
    def _resources(self) -> Any:
        import jsonschema_rs

        root = {**self.root, "$schema": self.dialect.uri} if isinstance(self.root, dict) else self.root
        with suppress(SchemaError), compiling():
            return jsonschema_rs.Registry([(_DOCUMENT, root)], retriever=_retrieve_nothing)
        return None

    @cached_property
    def _size(self) -> int:
        """Number of values in the document, a bound of the cost of compiling one of its subschemas."""
        waiting, size = [self.root], 0
        while waiting:
            value = waiting.pop()
            size += 1
            waiting.extend(value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())
        return size


def compared(inner: SearchDocument, outer: SearchDocument) -> tuple[SearchDocument, SearchDocument]:
    """Return both, after noting which members of long lists they share."""
    sides = inner, outer
    lists = (mapping.get(keyword) for side in sides for mapping in mappings(side.root) for keyword in COMBINED)
    if any(isinstance(members, list) and len(members) > _MAX_ALTERNATIVES for members in lists):
        own, other = map(_listed_members, sides)
        inner.shared, outer.shared = _known_members(own, other), _known_members(other, own)
    return inner, outer


def _known_members(own: list[tuple[int, str]], other: list[tuple[int, str]]) -> frozenset[int]:
    known = {serialized for _, serialized in other}
    return frozenset(identity for identity, serialized in own if serialized in known)


def _listed_members(side: SearchDocument) -> list[tuple[int, str]]:
    """Return the identity of each member of a list, and how it is written; of a reference, how its target is."""
    found = []
    for mapping in mappings(side.root):
        for keyword in COMBINED:
            members = mapping.get(keyword)
            for member in members if isinstance(members, list) else ():
                if isinstance(member, dict):
                    target = side.references.target(member.get("$ref"))
                    found.append((id(member), json.dumps(target[1] if target else member, sort_keys=True)))
    return found


def _lists_many(schema: dict[str, Any]) -> bool:
    """Return True for an ``enum`` of many values, without serializing it."""
    listed = schema.get("enum")
    return isinstance(listed, list) and len(listed) > _SHORT


@lru_cache(maxsize=4096)
def _leaf_validator(serialized: str, dialect: str, formats: bool) -> Any:
    try:
        return DIALECTS[dialect].validator_for(json.loads(serialized), formats=formats)
    except SchemaError:
        return None


def allowed(validator: Any, value: Any) -> bool:
    """Return True if ``validator`` accepts ``value``, or is None."""
    try:
        return validator is None or bool(validator.is_valid(value))
    except ValueError:
        return True


def _retrieve_nothing(uri: str) -> Any:
    raise ValueError(f"{uri} is not in the document; nothing is fetched")


# Not frozen: a search creates tens of thousands, and that is three times as fast.
@dataclass(slots=True, eq=False)
class SearchNode:
    """The subschema at ``pointer`` of one document; never mutated."""

    side: SearchDocument
    pointer: Pointer
    schema: Any

    @property
    def validator(self) -> Any:
        """Return a validator of this subschema alone; None where there is none."""
        return self.side.validator(self.pointer, self.schema)

    def at(self, *steps: str | int) -> SearchNode:
        """Return the subschema at ``steps`` below."""
        schema = self.schema
        for step in steps:
            schema = schema[step]
        return SearchNode(self.side, self.pointer + steps, schema)

    def referred(self) -> SearchNode | None:
        """Return the target of this node's reference, or None."""
        for keyword in REFERENCES:
            target = self.side.references.target(self.schema.get(keyword))
            if target is not None:
                return SearchNode(self.side, *target)
        return None

    def list(self, keyword: str) -> list[SearchNode]:
        """Return the subschemas in the list under ``keyword``; an empty list where it is not a list."""
        subschemas = self.schema.get(keyword)
        if not isinstance(subschemas, list):
            return []
        return [self.at(keyword, i) for i, item in enumerate(subschemas) if isinstance(item, (dict, bool))]

    def one(self, keyword: str) -> SearchNode | None:
        """Return the subschema under ``keyword``, or None."""
        return self.at(keyword) if isinstance(self.schema.get(keyword), (dict, bool)) else None


Nodes = tuple[SearchNode, ...]
Alternative = tuple[SearchNode, ...]
"""Mappings that must all hold, including those in place: by $ref, allOf and one branch of each union."""


_KnownAlternatives = dict[tuple[int, int], list[Alternative]]
"""Alternatives by identity and depth of a subschema, shared by branches with the same reference targets."""


def alternatives(nodes: Nodes) -> list[Alternative]:
    """Return the ways to satisfy all of ``nodes``, at most a dozen. Empty where one of them allows nothing."""
    known: _KnownAlternatives = {}
    ways: list[Alternative] = [()]
    for node in nodes:
        ways = _crossed(ways, _of_one(node, 0, known))
    return [distinct(way) for way in ways]


def distinct(nodes: Iterable[SearchNode]) -> Nodes:
    """Return ``nodes`` without repetition. A recursive schema reaches the same subschema in many ways."""
    return tuple({id(node.schema): node for node in nodes}.values())


def _of_one(node: SearchNode, depth: int, known: _KnownAlternatives) -> list[Alternative]:
    if node.schema is False or depth > _MAX_DEPTH_IN_PLACE:
        return []
    if not isinstance(node.schema, dict):
        return [()]
    key = (id(node.schema), depth)
    if key not in known:
        if len(known) >= _MAX_VISITED:
            return []
        known[key] = []
        known[key] = _of_mapping(node, depth, known)
    return known[key]


def _of_mapping(node: SearchNode, depth: int, known: _KnownAlternatives) -> list[Alternative]:
    ways: list[Alternative] = [(node,)]
    if node.schema.keys().isdisjoint(_FOLLOWED):
        return ways
    referred = node.referred()
    if referred is not None:
        ways = _crossed(ways, _of_one(referred, depth + 1, known))
    for part in node.list("allOf"):
        ways = _crossed(ways, _of_one(part, depth + 1, known))
    for union in UNIONS:
        branches = node.list(union)
        if len(branches) > _MAX_ALTERNATIVES:
            branches.sort(key=lambda branch: id(branch.schema) in node.side.shared)
        if branches:
            ways = _crossed(ways, _spread([_of_one(branch, depth + 1, known) for branch in branches]))
    return _crossed(ways, _conditional(node, depth, known))


def _conditional(node: SearchNode, depth: int, known: _KnownAlternatives) -> list[Alternative]:
    condition = node.one("if")
    if condition is None:
        return [()]
    then, otherwise = node.one("then"), node.one("else")
    taken = _of_one(condition, depth + 1, known)
    if then is not None:
        taken = _crossed(taken, _of_one(then, depth + 1, known))
    return _spread([taken, [()] if otherwise is None else _of_one(otherwise, depth + 1, known)])


def _crossed(left: list[Alternative], right: list[Alternative]) -> list[Alternative]:
    """Return each of ``left`` with each of ``right``: the first ones, and the last, which meets the fewest conditions.

    Where there is a choice on both sides, those are left out that want two values of a required property.
    """
    if len(left) == 1 or len(right) == 1:
        ways = [a + b for a in left for b in right]
    else:
        tagged = [(b, _tags(b)) for b in right]
        ways = [a + b for a in left for tags in (_tags(a),) for b, others in tagged if _agree(tags, others)]
    return ways if len(ways) <= _MAX_ALTERNATIVES else [*ways[: _MAX_ALTERNATIVES - 1], ways[-1]]


def _tags(way: Alternative) -> dict[str, Any]:
    """Return the required properties of which one value is allowed, as constants."""
    lists = (node.schema.get("required") for node in way if "required" in node.schema)
    required = {name for names in lists if isinstance(names, list) for name in names if isinstance(name, str)}
    properties = (node.schema.get("properties") for node in way if required and "properties" in node.schema)
    return {
        name: listed[name]["const"]
        for listed in properties
        if isinstance(listed, dict)
        for name in required.intersection(listed)
        if isinstance(listed[name], dict) and "const" in listed[name]
    }


def _agree(left: dict[str, Any], right: dict[str, Any]) -> bool:
    return all(identical(value, right[name]) for name, value in left.items() if name in right)


def _spread(groups: list[list[Alternative]]) -> list[Alternative]:
    return list(interleaved(groups))[: _MAX_ALTERNATIVES * 2]


def possible_mappings(nodes: Nodes, limit: int = 40) -> Nodes:
    """Return every mapping that may apply to the value, from all branches of all unions. For hints only."""
    mappings: dict[int, SearchNode] = {}
    waiting, shared = list(nodes), list[SearchNode]()
    while (waiting or shared) and len(mappings) < limit:
        node = (waiting or shared).pop(0)
        if not isinstance(node.schema, dict) or id(node.schema) in mappings:
            continue
        mappings[id(node.schema)] = node
        if node.schema.keys().isdisjoint(_FOLLOWED):
            continue
        below = node.side.references.in_place(node.schema, node.pointer, conditions=True)
        for pointer, schema in below:
            (shared if id(schema) in node.side.shared else waiting).append(SearchNode(node.side, pointer, schema))
    return tuple(mappings.values())


def types_of(alternative: Iterable[SearchNode]) -> tuple[str, ...]:
    """Return the JSON types that all mappings of ``alternative`` allow, in a fixed order."""
    types = list(_PREFERRED)
    for node in alternative:
        allowed = declared_types(node.schema)
        if allowed is not None:
            types = [name for name in types if name in allowed or (name == "integer" and "number" in allowed)]
    return tuple(types)


def interleaved(sources: Iterable[Iterable[T]]) -> Iterator[T]:
    """Yield one item of each source in turn until all are exhausted."""
    running = [iter(source) for source in sources]
    return running[0] if len(running) == 1 else _in_turn(running)


def _in_turn(running: list[Iterator[T]]) -> Iterator[T]:
    while running:
        ended = False
        for place, source in enumerate(running):
            for item in source:
                yield item
                break
            else:
                ended, running[place] = True, _ENDED
        if ended:
            running = [source for source in running if source is not _ENDED]


_ENDED: Iterator[Any] = iter(())
