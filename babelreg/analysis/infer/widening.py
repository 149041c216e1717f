"""Widenings of a schema as it is written: the smallest edits after which it accepts what was seen.

An edit adds a type, removes a name from ``required``, declares a property, adds a member to a closed ``enum``, or drops
a ``format`` or a bound. Each only ever accepts more. What a sketch cannot decide, such as ``pattern``, is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from babelreg.analysis.infer.schema import Decisions, InferredSchema, SchemaInference
from babelreg.analysis.infer.written_places import WrittenPlace
from babelreg.analysis.sketch.kinds import of_kinds, seen_kinds
from babelreg.analysis.sketch.text_detection import FORMATS, Detectors, is_digest
from babelreg.analysis.sketch.trait import Trait
from babelreg.analysis.sketch.value_sketch import ValueSketch
from babelreg.schema.pointer import Pointer
from babelreg.schema.types import declared_kinds, declared_types

_SAFE_INTEGER = 2**53 - 1
_INT64 = 2**63
_OF_OBJECTS = ("required", "properties", "additionalProperties")


@dataclass(frozen=True, slots=True)
class Step:
    """One edit at ``pointer`` in a file. ``append`` adds an item to the list there, ``insert`` a member."""

    kind: Literal["replace", "insert", "remove", "append"]
    pointer: Pointer
    value: Any = None
    comments: dict[Pointer, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Widening:
    """Steps that belong together: all are made, or none.

    ``node`` is the pointer of the subschema, ``pointer`` that of what is edited. ``shown`` is the path of the values in
    the data, ``what`` a phrase on the edit, ``evidence`` what was seen.
    ``messages`` are the URNs whose values need it.
    """

    path: str
    node: Pointer
    pointer: Pointer
    shown: str
    what: str
    evidence: str
    steps: tuple[Step, ...]
    messages: tuple[str, ...]


class Widenings:
    """The widenings of places; ``exceptions`` are what the tolerance leaves refused, by file."""

    def __init__(self, inference: SchemaInference, detectors: Detectors, decisions: Decisions) -> None:
        self._inference = inference
        self._detectors = detectors
        self._decisions = decisions
        self.exceptions: dict[str, dict[str, None]] = {}

    def of(self, place: WrittenPlace, written: Any) -> Iterator[Widening]:
        """Yield the widenings of ``place``; ``written`` is its subschema as the file has it."""
        if not isinstance(written, dict):
            return
        node = _PlaceNode(place, written, place.values)
        yield from self._types(node)
        yield from self._reference(node)
        yield from self._union(node)
        yield from self._members(node)
        yield from _format(node)
        yield from _bounds(node)
        yield from self._required(node)
        yield from self._properties(node)

    def _is_exception(self, node: _PlaceNode, count: int, total: int, what: str) -> bool:
        """Return True for a number of values that the tolerance covers, which is then listed."""
        if count > self._decisions.tolerance * total:
            return False
        text = f"{node.shown} {what} in {count:,} of {total:,} values"
        self.exceptions.setdefault(node.place.path, {})[text] = None
        return True

    def _missing(self, node: _PlaceNode, kinds: frozenset[str]) -> dict[str, int]:
        """Return the counts of the kinds of values that are not among ``kinds``, without exceptions."""
        total = node.values.count
        return {
            kind: count
            for kind, count in seen_kinds(node.values).items()
            if kind not in kinds and not self._is_exception(node, count, total, f"is {_ARTICLES[kind]}")
        }

    def _types(self, node: _PlaceNode) -> Iterator[Widening]:
        types = declared_types(node.written)
        if types is None:
            return
        missing = self._missing(node, declared_kinds(node.written))
        if "const" in node.written or "enum" in node.written:
            missing = {kind: count for kind, count in missing.items() if kind == "null" and "const" not in node.written}
        if not missing:
            return
        widened = _with_kinds(types, missing)
        at = (*node.at, "type")
        steps = [Step("replace", at, widened if len(widened) > 1 else widened[0])]
        if "null" in missing and "enum" in node.written and None not in node.written["enum"]:
            steps.append(Step("append", (*node.at, "enum"), None))
        if not {"enum", "const", "$ref", "allOf", "anyOf", "oneOf"} & node.written.keys():
            steps += self._keywords(node, frozenset(missing))
        what = "may be " + " or ".join(_ARTICLES[kind] for kind in missing)
        yield node.widening(what, _counted(missing, node.values.count), steps, at)

    def _keywords(self, node: _PlaceNode, kinds: frozenset[str]) -> Iterator[Step]:
        """Yield the keywords of values of new types: the place says nothing of them yet."""
        inferred = self._inference.of(of_kinds(node.values, kinds))
        words = [
            *(_OF_OBJECTS if "object" in kinds and not node.written.keys() & set(_OF_OBJECTS) else ()),
            *(["items"] if "array" in kinds else ()),
            *(["format"] if "string" in kinds else ()),
        ]
        for word in words:
            if word in inferred.schema and word not in node.written:
                yield Step("insert", (*node.at, word), inferred.schema[word], _below(inferred, (word,)))

    def _reference(self, node: _PlaceNode) -> Iterator[Widening]:
        reference = node.written.get("$ref")
        if reference is None or node.place.referred is None or "anyOf" in node.written:
            return
        missing = self._missing(node, node.place.referred)
        if not missing:
            return
        union = [{"$ref": reference}, *self._branches(node, missing)]
        if len(node.written) == 1:
            steps = [Step("replace", node.at, {"anyOf": union})]
        else:
            steps = [Step("remove", (*node.at, "$ref")), Step("insert", (*node.at, "anyOf"), union)]
        what = "may be " + " or ".join(_ARTICLES[kind] for kind in missing)
        yield node.widening(what, _counted(missing, node.values.count), steps, node.at)

    def _union(self, node: _PlaceNode) -> Iterator[Widening]:
        if node.place.branches is None:
            return
        missing = self._missing(node, node.place.branches)
        if missing:
            at = (*node.at, "anyOf")
            what = "may be " + " or ".join(_ARTICLES[kind] for kind in missing)
            steps = [Step("append", at, branch) for branch in self._branches(node, missing)]
            yield node.widening(what, _counted(missing, node.values.count), steps, at)

    def _branches(self, node: _PlaceNode, missing: dict[str, int]) -> list[dict[str, Any]]:
        """Return a subschema for the values of the ``missing`` kinds, that of null apart."""
        others = frozenset(missing) - {"null"}
        branches = []
        if others:
            schema = self._inference.of(of_kinds(node.values, others)).schema
            branches.append({key: value for key, value in schema.items() if key not in ("enum", "x-open-enum")})
        return [*branches, *([{"type": "null"}] if "null" in missing else [])]

    def _members(self, node: _PlaceNode) -> Iterator[Widening]:
        """Yield the new members of a closed enumeration, each one that may be published."""
        listed, values = node.written.get("enum"), node.values
        if not isinstance(listed, list) or node.written.get("x-open-enum") is True or node.place.is_tag:
            return
        if not values.texts or not self._decisions.writes_values or "string" not in declared_kinds(node.written):
            return
        names = values.place.names
        new = {
            text: count
            for text, count in sorted(values.texts.items())
            if count >= self._decisions.seen
            and text not in listed
            and not is_digest(text)
            and self._detectors.may_keep(names, text)
            and not self._is_exception(node, count, values.count, "is an unlisted value")
        }
        if new:
            at = (*node.at, "enum")
            evidence = ", ".join(f"{text} {count:,}" for text, count in new.items()) + f" of {values.strings:,}"
            steps = [Step("append", at, text) for text in new]
            yield node.widening(f"may be {', '.join(new)}", evidence, steps, at)

    def _required(self, node: _PlaceNode) -> Iterator[Widening]:
        members, required = node.values.members, node.written.get("required")
        if members is None or members.properties is None or not isinstance(required, list):
            return
        absent: dict[str, int] = {}
        for name in required:
            item = members.properties.get(name)
            count = node.values.objects - (item.count if item is not None else 0)
            if not count or (item is None and members.place.judgement.is_data_name(name)):
                continue  # names that are data are not told apart
            if not self._is_exception(node, count, node.values.objects, f"lacks {name}"):
                absent[name] = count
        if not absent:
            return
        at = (*node.at, "required")
        if len(absent) == len(required):
            steps = [Step("remove", at)]
        else:
            steps = [
                Step("remove", (*at, index)) for index, name in reversed(list(enumerate(required))) if name in absent
            ]
        evidence = ", ".join(f"{name} is missing in {count:,}" for name, count in absent.items())
        yield node.widening(
            f"may lack {', '.join(absent)}", f"{evidence} of {node.values.objects:,} objects", steps, at
        )

    def _properties(self, node: _PlaceNode) -> Iterator[Widening]:
        # What was only required had any value; no producer could send it any more once it is not required.
        objects = node.values.objects
        lacking = [name for name in node.place.only_required if node.count_of(name) < objects]
        declared = {name: (InferredSchema({}), "optional, of any type") for name in lacking}
        for name, sketch in node.place.properties():
            seen = f"optional: {sketch.count:,} of {objects:,}"
            declared.setdefault(name, (self._inference.of(sketch), seen))
        at = (*node.at, "properties")
        steps = []
        for name, (inferred, evidence) in sorted(declared.items()):
            comments = {(name,): evidence, **_below(inferred, (name,))}
            steps.append(Step("insert", (*at, name), inferred.schema, comments))
        if "properties" in node.written:
            for step, (name, (_, evidence)) in zip(steps, sorted(declared.items()), strict=True):
                yield node.widening(f"declares {name}", evidence, [step], step.pointer)
        elif declared:
            evidence = "; ".join(f"{name} {text}" for name, (_, text) in sorted(declared.items()))
            below = {("properties", *keys): text for step in steps for keys, text in step.comments.items()}
            members = {name: inferred.schema for name, (inferred, _) in sorted(declared.items())}
            yield node.widening(f"declares {', '.join(members)}", evidence, [Step("insert", at, members, below)], at)


@dataclass(frozen=True, slots=True)
class _PlaceNode:
    """A place, its subschema as written, and the sketch of all its values."""

    place: WrittenPlace
    written: dict[str, Any]
    values: ValueSketch

    @property
    def at(self) -> Pointer:
        return self.place.pointer

    @property
    def shown(self) -> str:
        return ".".join(map(str, self.place.names)).replace(".[]", "[]")

    def count_of(self, name: str) -> int:
        """Return the number of objects that have a property."""
        members = self.values.members
        item = (members.properties or {}).get(name) if members is not None else None
        return item.count if item is not None else 0

    def widening(self, what: str, evidence: str, steps: list[Step], at: Pointer) -> Widening:
        return Widening(
            self.place.path, self.at, at, self.shown, what, evidence, tuple(steps), tuple(sorted(self.place.urns))
        )


_ARTICLES = {
    "object": "an object",
    "array": "an array",
    "string": "a string",
    "integer": "an integer",
    "fraction": "a number",
    "boolean": "a boolean",
    "null": "null",
}


def _with_kinds(types: tuple[str, ...], missing: dict[str, int]) -> list[str]:
    """Return ``types`` with those of the ``missing`` kinds, null at the end."""
    widened = ["number" if name == "integer" and "fraction" in missing else name for name in types]
    new = ["number" if kind == "fraction" else kind for kind in missing if kind != "null"]
    widened += [
        name for name in new if name not in widened and not (name == "integer" and "number" in [*widened, *new])
    ]
    return [*widened, *(["null"] if "null" in missing else [])]


def _counted(missing: dict[str, int], total: int) -> str:
    return ", ".join(f"{_ARTICLES[kind]} in {count:,}" for kind, count in missing.items()) + f" of {total:,}"


def _below(inferred: InferredSchema, keys: Pointer) -> dict[Pointer, str]:
    if keys[-1] in _OF_OBJECTS or keys[-1] == "items":
        return {pointer: text for pointer, text in inferred.evidence.items() if pointer[: len(keys)] == keys}
    return {(*keys, *pointer): text for pointer, text in inferred.evidence.items()}


def _format(node: _PlaceNode) -> Iterator[Widening]:
    name, values = node.written.get("format"), node.values
    if name not in FORMATS or not values.strings or values.formats & (1 << FORMATS.index(name)):
        return
    if name == "uri" and not values.traits & Trait.NO_URI:
        return  # each is one by the grammar, though not all look like one
    at = (*node.at, "format")
    yield node.widening(
        f"need not be of the format {name}", f"not all of {values.strings:,} are", [Step("remove", at)], at
    )


def _bounds(node: _PlaceNode) -> Iterator[Widening]:
    """Yield the bounds that a number exceeds, as far as a sketch knows."""
    traits = node.values.traits
    least, greatest = _exceeded(traits)
    words = {"minimum": least, "exclusiveMinimum": least, "maximum": greatest, "exclusiveMaximum": greatest}
    for word, exceeded in words.items():
        bound = node.written.get(word)
        if exceeded is None or isinstance(bound, bool) or not isinstance(bound, int | float):
            continue
        is_least = word.lower().endswith("minimum")
        if bound < exceeded if is_least else bound > exceeded:
            continue
        if isinstance(node.written.get(_EXCLUSIVE.get(word, "")), bool):
            continue  # draft 4: the two belong together
        at = (*node.at, word)
        step = Step("remove", at)
        if word == "minimum" and exceeded == 0 and node.written.get("maximum") == _SAFE_INTEGER:
            step = Step("replace", at, -_SAFE_INTEGER)  # what every language reads without loss, as before
        seen = "negative numbers were seen" if exceeded == 0 else "numbers beyond 2^53 were seen"
        yield node.widening(f"may be {'below' if is_least else 'above'} {bound}", seen, [step], at)


_EXCLUSIVE = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}


def _exceeded(traits: int) -> tuple[int | None, int | None]:
    """Return the least bound above some number, and the greatest below some; None where there is no such number."""
    least, greatest = None, None
    if traits & Trait.BEYOND_INT64 and not traits & Trait.ABOVE_SAFE:
        least = -_INT64
    elif traits & Trait.BELOW_SAFE:
        least = -_SAFE_INTEGER
    elif traits & Trait.NEGATIVE:
        least = 0
    if traits & Trait.BEYOND_INT64 and not traits & Trait.BELOW_SAFE:
        greatest = _INT64 - 1
    elif traits & Trait.ABOVE_SAFE:
        greatest = _SAFE_INTEGER
    return least, greatest
