"""Replaced subschemas: keywords whose subschemas one edit puts in place of others.

An author replaces the target of a ``$ref``, the members of an ``allOf`` or the schema of all items, and everything that
the subschema says changes with it. A keyword whose subschemas can be compared one by one is not replaced: the edit is
further down.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from babelreg.containment.schema_diff import ANY, begins
from babelreg.schema.dialects import Reach
from babelreg.schema.keywords import ANNOTATIONS, DEFINITIONS, IDENTIFIERS, KEYED, REFERENCES
from babelreg.schema.local_references import LocalReferences
from babelreg.schema.pointer import Pointer
from babelreg.schema.subschemas import segments, subschemas
from babelreg.schema.values import identical, mappings

_BESIDE_REFERENCE = frozenset({*ANNOTATIONS, *DEFINITIONS, *IDENTIFIERS, "$schema"})
_MAX_PAIRS = 5_000
_MAX_REPLACEMENTS = 200


@dataclass(frozen=True, slots=True)
class ReplacedKeyword:
    """A ``keyword`` with other subschemas, in the subschema at ``old`` and the one at ``new``.

    ``place`` is the path of the value in a document; ``tail`` is the last part of it, inside a definition that may
    apply at other places, too, and None outside of definitions. The two ranges are the pointers below which everything
    comes from the keyword: its own, and the targets of the references in it; empty on a side that lacks the keyword.
    """

    keyword: str
    place: Pointer
    tail: Pointer | None
    old: Pointer
    new: Pointer
    old_range: frozenset[Pointer]
    new_range: frozenset[Pointer]

    def holds(self, pointer: Pointer, *, new: bool) -> bool:
        """Return True where ``pointer`` into the new schema, or into the old one, is in its range."""
        prefixes = self.new_range if new else self.old_range
        return any(pointer[: len(prefix)] == prefix for prefix in prefixes)

    def is_around(self, instance: Pointer) -> bool:
        """Return True where the value at ``instance`` of a document is at ``place`` or below."""
        return begins(instance, self.place)

    def may_be_around(self, instance: Pointer) -> bool:
        """Return True where the value at ``instance`` may be one for which a definition has the keyword."""
        tail = self.tail
        return bool(tail) and any(begins(instance[at:], tail or ()) for at in range(len(instance)))


@dataclass(frozen=True, slots=True)
class _PlacedSchema:
    """A subschema with its pointer."""

    pointer: Pointer
    schema: Any


@dataclass(frozen=True, slots=True)
class _NodePair:
    """The old and the new subschema for the value at ``place``."""

    old: _PlacedSchema
    new: _PlacedSchema
    place: Pointer = ()
    tail: Pointer | None = None

    def below(self, steps: Pointer, old: Any, new: Any) -> _NodePair:
        """Return the pair of the subschemas at ``steps``."""
        nodes = (_PlacedSchema(self.old.pointer + steps, old), _PlacedSchema(self.new.pointer + steps, new))
        tail = None if self.tail is None else _place_below(self.tail, steps)
        return _NodePair(*nodes, _place_below(self.place, steps), tail)


def replacements(old: Any, new: Any) -> list[ReplacedKeyword]:
    """Return the replaced subschemas between two versions of a schema, those nearest to the root first."""
    found: list[ReplacedKeyword] = []
    references = (LocalReferences(old), LocalReferences(new))
    waiting = [_NodePair(_PlacedSchema((), old), _PlacedSchema((), new))]
    seen: set[tuple[Pointer, Pointer]] = set()
    for pair in waiting:
        if len(seen) >= _MAX_PAIRS or len(found) >= _MAX_REPLACEMENTS:
            break
        key = (pair.old.pointer, pair.new.pointer)
        if key in seen or not (isinstance(pair.old.schema, dict) and isinstance(pair.new.schema, dict)):
            continue
        seen.add(key)
        for keyword in _replaced_keywords(pair.old.schema, pair.new.schema):
            found.append(_replacement(keyword, pair, references))
        waiting += _referred(pair, references)
        waiting += _children(pair)
    return found


def _replaced_keywords(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    before, after = _steps_by_keyword(old), _steps_by_keyword(new)
    for keyword in dict.fromkeys([*REFERENCES, *after, *before]):
        if keyword in REFERENCES:
            if old.get(keyword) != new.get(keyword):
                yield keyword
        elif keyword in KEYED:
            # A property comes or goes by itself, and so does a pattern among others.
            replaced = keyword == "patternProperties" and before.keys() & after.keys() >= {keyword}
            replaced = replaced and before[keyword].isdisjoint(after[keyword])
            if keyword not in (*DEFINITIONS, "properties") and (replaced or (keyword in old) != (keyword in new)):
                yield keyword
        else:
            own, other = old.get(keyword), new.get(keyword)
            if before.get(keyword) != after.get(keyword) or (_with_boolean(own, other) and not identical(own, other)):
                yield keyword


def _steps_by_keyword(schema: dict[str, Any]) -> dict[str, set[Pointer]]:
    steps: dict[str, set[Pointer]] = {}
    for pointer, _ in subschemas(schema):
        steps.setdefault(str(pointer[0]), set()).add(pointer)
    return steps


def _with_boolean(old: Any, new: Any) -> bool:
    return isinstance(old, bool) or isinstance(new, bool)


def _replacement(keyword: str, pair: _NodePair, references: tuple[LocalReferences, LocalReferences]) -> ReplacedKeyword:
    sides = (pair.old, pair.new)
    ranges = [_range(keyword, node, side) for node, side in zip(sides, references, strict=True)]
    if keyword in REFERENCES:
        for number, (node, other) in enumerate((sides, sides[::-1])):
            if keyword not in node.schema and other.schema.keys() - _BESIDE_REFERENCE == {keyword}:
                ranges[number] = frozenset({node.pointer})  # a reference in place of a whole schema
    return ReplacedKeyword(keyword, pair.place, pair.tail, pair.old.pointer, pair.new.pointer, *ranges)


def _range(keyword: str, node: _PlacedSchema, references: LocalReferences) -> frozenset[Pointer]:
    if keyword not in node.schema:
        return frozenset()
    prefixes = {(*node.pointer, keyword)}
    waiting = [{keyword: node.schema[keyword]}]
    while waiting:
        for mapping in mappings(waiting.pop()):
            for target in filter(None, references.targets(mapping)):
                pointer, schema = target
                # A schema around the keyword says more than the keyword.
                if pointer not in prefixes and node.pointer[: len(pointer)] != pointer:
                    prefixes.add(pointer)
                    waiting.append(schema if isinstance(schema, dict) else {})
    return frozenset(prefixes)


def _referred(pair: _NodePair, references: tuple[LocalReferences, LocalReferences]) -> Iterator[_NodePair]:
    """Yield the definitions to which the same reference leads on both sides."""
    for keyword in REFERENCES:
        name = pair.new.schema.get(keyword)
        if isinstance(name, str) and pair.old.schema.get(keyword) == name:
            old, new = (side.target(name) for side in references)
            if old is not None and new is not None:
                yield _NodePair(_PlacedSchema(*old), _PlacedSchema(*new), pair.place, () if pair.place else None)


def _children(pair: _NodePair) -> Iterator[_NodePair]:
    before = dict(subschemas(pair.old.schema))
    for steps, schema in subschemas(pair.new.schema):
        if steps in before and steps[0] not in DEFINITIONS:
            yield pair.below(steps, before[steps], schema)


def _place_below(place: Pointer, steps: Pointer) -> Pointer:
    (_, keyword), *_ = segments(steps)
    if keyword.reach is Reach.ITEM:
        return (*place, 0)
    if keyword.reach is Reach.PROPERTY:
        return (*place, steps[1] if steps[0] == "properties" else ANY)
    return place
