"""Schemas of sketches: each keyword is a decision on counts, and has its evidence.

A schema accepts every value of its sketch. It requires what at least 20 objects had without exception, names the format
that the validator found in all of at least 20 texts, and the members of an open enumeration, each of which was seen 20
times. With a tolerance, rare exceptions do not count: they are then refused, and listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from babelreg.analysis.infer.maps import is_map, map_values
from babelreg.analysis.sketch.text_detection import FORMATS, Detectors, is_digest
from babelreg.analysis.sketch.trait import Trait
from babelreg.analysis.sketch.value_sketch import ObjectSketch, ValueSketch
from babelreg.plural import counted

_SAFE_INTEGER = 2**53 - 1
_LEAST_BRANCHES = 2
Pointer = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decisions:
    """Thresholds of the inference.

    ``required_from`` is the number of objects that must have had a property, ``format_from`` that of texts that must
    have had a format, ``seen`` that of each member of an enumeration and of each branch of a union. ``tolerance`` is
    the share of values that may be exceptions.
    """

    required_from: int = 20
    format_from: int = 20
    seen: int = 20
    tolerance: Fraction = Fraction(0)
    writes_values: bool = True


@dataclass
class InferredSchema:
    """A schema, the evidence by the pointer of each property, and the exceptions that it does not accept."""

    schema: dict[str, Any]
    evidence: dict[Pointer, str] = field(default_factory=dict)
    exceptions: list[str] = field(default_factory=list)


class SchemaInference:
    """Inference of schemas.

    ``category_of`` returns the category of personal data that the name of a property tells, or None. ``reference_of``
    returns the ``$ref`` to the shared fragment that describes the objects of a sketch, None where there is none.
    """

    def __init__(
        self,
        detectors: Detectors,
        category_of: Callable[[str], str | None],
        decisions: Decisions,
        reference_of: Callable[[ObjectSketch], str | None] = lambda members: None,
    ) -> None:
        self._detectors = detectors
        self._category_of = category_of
        self._decisions = decisions
        self._reference_of = reference_of

    def of(self, sketch: ValueSketch, pointer: Pointer = (), *, referable: bool = False) -> InferredSchema:
        """Return the schema of ``sketch``; the evidence has pointers below ``pointer``.

        Unless it is ``referable``, the schema itself is written out, not a reference to a fragment.
        """
        result = InferredSchema({})
        result.schema = self._schema(sketch, pointer, result, referable=referable)
        return result

    def _schema(
        self, sketch: ValueSketch, pointer: Pointer, result: InferredSchema, *, referable: bool = True
    ) -> dict[str, Any]:
        types = self._types(sketch, pointer, result)
        if types in ([], ["null"]):
            return {}  # nothing shows what it is when it is there
        reference = self._reference_of(sketch.members) if referable and sketch.members is not None else None
        if reference is not None and types[0] == "object" and set(types) <= {"object", "null"}:
            target = {"$ref": reference}
            return {"anyOf": [target, {"type": "null"}]} if "null" in types else target
        schema: dict[str, Any] = {"type": types[0] if len(types) == 1 else types}
        if "string" in types:
            schema |= self._text_keywords(sketch, types)
        if "integer" in types:
            schema |= _bounds(sketch)
        category = self._category(sketch)
        if category is not None and types[0] not in ("object", "array"):
            schema["x-gdpr-sensitive"] = category
        if "object" in types and sketch.members is not None:
            schema |= self._members(sketch, sketch.members, pointer, result)
        if "array" in types:
            items = sketch.items
            schema["items"] = {} if items is None else self._schema(items, (*pointer, "items"), result)
        return schema

    def _types(self, sketch: ValueSketch, pointer: Pointer, result: InferredSchema) -> list[str]:
        """Return the types of the values in the order in which they are written, without tolerated exceptions."""
        counts = _type_counts(sketch)
        kept = {name: count for name, count in counts.items() if not self._is_exception(count, sketch.count)}
        if "number" in kept:
            kept.pop("integer", None)
        for name, count in counts.items():
            if name not in kept and not (name == "integer" and "number" in kept):
                result.exceptions.append(
                    f"{_shown(pointer)} is {_with_article(name)} in {count:,} of {sketch.count:,} values"
                )
        return list(kept)

    def _is_exception(self, count: int, total: int) -> bool:
        return count <= self._decisions.tolerance * total

    def _text_keywords(self, sketch: ValueSketch, types: list[str]) -> dict[str, Any]:
        if sketch.formats and sketch.strings >= self._decisions.format_from:
            return {"format": _format_of(sketch)}
        members = self._enum_members(sketch)
        if not members or not set(types) <= {"string", "null"}:
            return {}
        return {"enum": [*members, None] if "null" in types else members, "x-open-enum": True}

    def _enum_members(self, sketch: ValueSketch) -> list[str]:
        """Return the members of a likely enumeration: nearly all texts are some that are frequent."""
        seen = self._decisions.seen
        if not sketch.texts or not self._decisions.writes_values:
            return []
        frequent = {text: count for text, count in sketch.texts.items() if count >= seen and not is_digest(text)}
        if sum(frequent.values()) < Fraction(19, 20) * sketch.strings:
            return []
        names = sketch.place.names
        members = sorted(text for text in frequent if self._detectors.may_keep(names, text))
        return members if len(members) > 1 else []  # one constant text says little, and is rarely the only one

    def _category(self, sketch: ValueSketch) -> str | None:
        """Return the category of personal data that the name tells, or half of the texts are."""
        names = sketch.place.names
        by_name = self._category_of(names[-1]) if names else None
        if by_name is not None:
            return by_name
        personal = max(sketch.personal.items(), key=lambda item: (item[1], item[0]), default=None)
        return personal[0] if personal and 2 * personal[1] >= sketch.strings else None

    def _members(
        self, sketch: ValueSketch, members: ObjectSketch, pointer: Pointer, result: InferredSchema
    ) -> dict[str, Any]:
        if is_map(sketch, members):
            values = map_values(members)
            below = (*pointer, "additionalProperties")
            return {"additionalProperties": self._schema(values, below, result) if values.count else {}}
        keywords: dict[str, Any] = {}
        required, properties = [], {}
        for name, item in sorted((members.properties or {}).items()):
            below = (*pointer, "properties", name)
            properties[name] = self._schema(item, below, result)
            is_required = self._is_required(item.count, sketch.objects)
            if is_required:
                required.append(name)
                if item.count < sketch.objects:
                    lacking = f"{sketch.objects - item.count:,} of {sketch.objects:,} objects"
                    result.exceptions.append(f"{_shown(below)} is missing in {lacking}")
            result.evidence[below] = _evidence(item, sketch.objects, is_required, properties[name])
        if required:
            keywords["required"] = required
        keywords["properties"] = properties
        if members.values is not None:
            keywords["additionalProperties"] = self._schema(members.values, (*pointer, "additionalProperties"), result)
        union = _tagged_union(sketch, members, self._decisions.seen) if self._decisions.writes_values else None
        return _with_union(keywords, union) if union is not None else keywords

    def _is_required(self, count: int, objects: int) -> bool:
        return objects >= self._decisions.required_from and self._is_exception(objects - count, objects)


class _TaggedUnion(NamedTuple):
    """The property whose text is the tag, and by tag the names that all of its objects have."""

    tag: str
    required: Mapping[str, frozenset[str]]


def _tagged_union(sketch: ValueSketch, members: ObjectSketch, seen: int) -> _TaggedUnion | None:
    """Return the union that the objects of ``sketch`` show, each branch at least ``seen`` times; None without one.

    A tag is in every object. Each of its texts decides for some properties whether its objects have them, all or none,
    and has at least one of these: a text that adds nothing is a state, not a kind, and more of them may follow.
    """
    if members.properties is None or members.shapes is None or sketch.objects < seen:
        return None
    optional = {name for name, item in members.properties.items() if item.count < sketch.objects}
    best: tuple[int, str, _TaggedUnion] | None = None
    for tag, by_text in sorted(members.texts.items()):
        item = members.properties[tag]
        if item.strings != sketch.objects or len(by_text) < _LEAST_BRANCHES or any(map(is_digest, by_text)):
            continue
        branches = {text: _Branch(shapes) for text, shapes in by_text.items()}
        if any(branch.count < seen for branch in branches.values()):
            continue
        decided = {name for name in optional if all(branch.decides(name) for branch in branches.values())}
        if decided and _differ(branches, decided) and (best is None or len(decided) > best[0]):
            required = {text: branch.required for text, branch in branches.items()}
            best = len(decided), tag, _TaggedUnion(tag, required)
    return best[2] if best else None


class _Branch:
    def __init__(self, shapes: Mapping[frozenset[str], int]) -> None:
        self.count = sum(shapes.values())
        names = list(shapes)
        self.required = frozenset.intersection(*names)
        self._present = frozenset.union(*names)

    def decides(self, name: str) -> bool:
        """Return True where all objects of the branch have the property, or none has."""
        return name in self.required or name not in self._present

    def has(self, names: set[str]) -> frozenset[str]:
        return self.required & names


def _differ(branches: Mapping[str, _Branch], decided: set[str]) -> bool:
    """Return True where each branch has some of the ``decided`` properties, and no two branches have the same."""
    owned = [branch.has(decided) for branch in branches.values()]
    return all(owned) and len(set(owned)) == len(owned)


def _with_union(keywords: dict[str, Any], union: _TaggedUnion) -> dict[str, Any]:
    """Return the keywords with a branch for each text of the tag, which requires what its objects had."""
    shared = set(keywords.get("required", ()))
    branches = [
        {"properties": {union.tag: {"const": text}}, "required": sorted(required - shared | {union.tag})}
        for text, required in sorted(union.required.items())
    ]
    properties = dict(keywords["properties"])
    properties[union.tag] = {"type": "string", "enum": sorted(union.required)}
    return {**keywords, "properties": properties, "oneOf": branches}


def _type_counts(sketch: ValueSketch) -> dict[str, int]:
    counts: Mapping[str, int] = {
        "object": sketch.objects,
        "array": sketch.arrays,
        "string": sketch.strings,
        "integer": sketch.integers,
        "number": sketch.numbers,
        "boolean": sketch.booleans,
        "null": sketch.nulls,
    }
    return {name: count for name, count in counts.items() if count}


def _bounds(sketch: ValueSketch) -> dict[str, int]:
    """Return the bounds of integers that every language reads without loss, if all integers are within them."""
    if sketch.traits & Trait.UNSAFE:
        return {}
    least = -_SAFE_INTEGER if sketch.traits & Trait.NEGATIVE else 0
    return {"minimum": least, "maximum": _SAFE_INTEGER}


def _format_of(sketch: ValueSketch) -> str:
    """Return the format of all texts; there is one."""
    return next(name for index, name in enumerate(FORMATS) if sketch.formats & (1 << index))


def _evidence(sketch: ValueSketch, objects: int, is_required: bool, schema: Mapping[str, Any]) -> str:
    return "; ".join(_facts(sketch, objects, is_required, schema))


def _facts(sketch: ValueSketch, objects: int, is_required: bool, schema: Mapping[str, Any]) -> Iterator[str]:
    yield f"{'required' if is_required else 'optional'}: {sketch.count:,} of {objects:,}"
    if sketch.nulls == sketch.count:
        yield "only null was seen: add the type"
    elif sketch.nulls:
        yield f"null: {sketch.nulls:,}"
    if "format" in schema:
        yield f"{schema['format']}: all of {sketch.strings:,}"
    elif sketch.strings and sketch.formats:
        yield f"perhaps {_format_of(sketch)}: all of only {sketch.strings:,}"
    if "enum" in schema:
        count = len([value for value in schema["enum"] if value is not None])
        yield f"{counted(count, 'value')} in {sketch.strings:,} texts"


def _shown(pointer: Pointer) -> str:
    """Return a pointer into a schema as a path into the data."""
    names = []
    steps = iter(pointer[1:] if pointer[:1] == ("data",) else pointer)
    for step in steps:
        if step == "properties":
            names.append(f".{next(steps)}")
        else:
            names.append("[]" if step == "items" else ".*")
    return "".join(names).removeprefix(".") or "data"


def _with_article(name: str) -> str:
    return name if name == "null" else f"{'an' if name[0] in 'aio' else 'a'} {name}"
