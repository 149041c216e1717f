"""Structural diff of two schemas: the places where a search starts, and that an unknown verdict names.

A place is the path of a value in a document: ``("lines", 0, "qty")``, with 0 for any item and ``"*"`` for a property of
any other name. References are followed on both sides, so a definition that was only moved is not a difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from babelreg.containment.fields import schema_root
from babelreg.containment.search.node import SearchNode
from babelreg.schema.keywords import DEFINITIONS, DEPENDENT, IN_PLACE, ITEM_KEYWORDS, PROPERTY_KEYWORDS
from babelreg.schema.pointer import Pointer
from babelreg.schema.simplify import without_annotations
from babelreg.schema.subschemas import subschemas
from babelreg.schema.values import identical

ANY = "*"
_ABSENT = {"absent": ()}
_MAX_DIFFERENCES = 200
_MAX_PAIRS = 20_000
_MAX_REFERENCES = 64
_MAPS = ("properties", "patternProperties")
_HOLDING = (IN_PLACE | PROPERTY_KEYWORDS | ITEM_KEYWORDS | {"propertyNames"}) - frozenset(DEPENDENT)
"""Keywords whose subschemas are compared one by one; those of dependents are as a whole."""
_NOT_COMPARED = frozenset({"$ref", *DEFINITIONS})


def begins(instance: Pointer, place: Pointer) -> bool:
    """Return True where the value at ``instance`` of a document is at a place or below."""
    pairs = zip(place, instance, strict=False)
    return len(place) <= len(instance) and all(
        isinstance(step, int) if mine == 0 else mine in (ANY, step) for mine, step in pairs
    )


@dataclass(frozen=True, slots=True)
class Difference:
    """A place where two schemas differ: in ``keywords``. ``old`` and ``new`` are the pointers to its subschemas.

    Where the subschemas of several pairs differ at one place, the pointers are those of the first pair. ``keywords``
    are sorted; empty where one of the two is a boolean.
    """

    place: Pointer
    old: Pointer
    new: Pointer
    keywords: tuple[str, ...] = ()

    def is_of(self, instance: Pointer) -> bool:
        """Return True where the value at ``instance`` of a document is at this place."""
        return len(self.place) == len(instance) and self.is_around(instance)

    def is_around(self, instance: Pointer) -> bool:
        """Return True where the value at ``instance`` of a document is at this place or below."""
        return begins(instance, self.place)


_Step = tuple[Pointer, SearchNode, SearchNode]


def differences(old: Any, new: Any) -> list[Difference]:
    """Return the places where ``old`` and ``new`` differ, those nearest to the root first; 200 at most."""
    roots = [schema_root(without_annotations(schema, formats=True, asserted=True)) for schema in (old, new)]
    waiting: list[_Step] = [((), roots[0], roots[1])]
    by_place: dict[Pointer, Difference] = {}
    seen: set[tuple[int, int]] = set()
    for at, (place, old_node, new_node) in enumerate(waiting):
        if at >= _MAX_PAIRS or len(by_place) >= _MAX_DIFFERENCES:
            break
        if any(isinstance(n.schema, dict) and "$ref" in n.schema and len(n.schema) > 1 for n in (old_node, new_node)):
            waiting.append((place, _without_reference(old_node), _without_reference(new_node)))
        left, right = _resolved(old_node), _resolved(new_node)
        if (id(left.schema), id(right.schema)) in seen:
            continue
        seen.add((id(left.schema), id(right.schema)))
        keywords = _differing_keywords(left.schema, right.schema)
        if keywords is not None:
            known = by_place.setdefault(place, Difference(place, left.pointer, right.pointer))
            by_place[place] = replace(known, keywords=tuple(sorted({*known.keywords, *keywords})))
        waiting += _children(place, left, right)
    return list(by_place.values())


def _resolved(node: SearchNode) -> SearchNode:
    """Return the target of the reference, if any, through a chain of references. Siblings are another pair."""
    for _ in range(_MAX_REFERENCES):
        target = node.referred() if isinstance(node.schema, dict) else None
        if target is None:
            return node
        node = target
    return node


def _without_reference(node: SearchNode) -> SearchNode:
    if not isinstance(node.schema, dict) or "$ref" not in node.schema:
        return node
    own = {keyword: value for keyword, value in node.schema.items() if keyword != "$ref"}
    return SearchNode(node.side, node.pointer, own)


def _differing_keywords(left: Any, right: Any) -> set[str] | None:
    """Return the keywords in which the two differ, None where they do not; subschemas are compared by themselves."""
    if not (isinstance(left, dict) and isinstance(right, dict)):
        return None if identical(left, right) else set()
    compared = (left.keys() | right.keys()) - _NOT_COMPARED
    return {name for name in compared if not identical(_own_value(left, name), _own_value(right, name))} or None


def _own_value(schema: dict[str, Any], keyword: str) -> Any:
    """Return the value of a keyword in one order; of one that holds schemas, their number, or that there is one."""
    value = schema.get(keyword, _ABSENT)
    if keyword in _HOLDING and value is not _ABSENT:
        return len(value) if isinstance(value, list) else value if isinstance(value, bool) else "schema"
    return sorted(map(str, value)) if keyword in ("required", "type") and isinstance(value, list) else value


def _children(place: Pointer, left: SearchNode, right: SearchNode) -> Iterator[_Step]:
    """Yield the subschemas that both have; a property that one does not list takes any value."""
    if not (isinstance(left.schema, dict) and isinstance(right.schema, dict)):
        return
    old, new = ({steps: node.at(*steps) for steps, _ in subschemas(node.schema)} for node in (left, right))
    for steps in dict.fromkeys([*old, *new]):
        keyword = str(steps[0])
        if keyword in _MAPS and all(isinstance(node.schema.get(keyword), dict) for node in (left, right)):
            anything = (SearchNode(node.side, (*node.pointer, keyword), True) for node in (left, right))
            pair = old.get(steps, next(anything)), new.get(steps, next(anything))
            yield (*place, steps[1] if keyword == "properties" else ANY), *pair
        elif keyword in _HOLDING and steps in old and steps in new:
            one, other = old[steps], new[steps]
            if len(steps) > 1 or not any(isinstance(node.schema, bool) for node in (one, other)):
                yield (*place, *_inside(steps)), one, other


def _inside(steps: Pointer) -> Pointer:
    if steps[0] in PROPERTY_KEYWORDS:
        return (ANY,)
    return (steps[1:] or (0,)) if steps[0] in ITEM_KEYWORDS else ()
