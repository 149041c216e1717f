"""Translation of a schema of 2020-12 into draft-07, with the same meaning.

Keywords that draft-07 spells in another way are respelled: ``$defs``, ``prefixItems``, ``dependentRequired`` and
``dependentSchemas``, keywords beside a ``$ref``. References follow the subschemas that move. A meaning that draft-07
cannot express is returned as a :class:`Loss`, with its place.

Source: JSON Schema draft-07, draft 2019-09 and 2020-12, release notes. The other direction is
:mod:`babelreg.schema.upgrade`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from babelreg.errors import SchemaError
from babelreg.schema.dialects import DIALECTS
from babelreg.schema.keywords import IN_PLACE, REFERENCES, VALUES
from babelreg.schema.local_references import local_pointer
from babelreg.schema.pointer import Pointer, text
from babelreg.schema.upgrade import Loss
from babelreg.schema.values import mappings
from babelreg.schema.walk import MAX_DEPTH, held

_NEWER_FORMATS = frozenset({"uuid", "duration"})
_UNEVALUATED = {"unevaluatedProperties": "additionalProperties", "unevaluatedItems": "items"}
_MAX_STEPS = 4 * MAX_DEPTH


@dataclass(frozen=True, slots=True)
class Downgraded:
    """A schema in draft-07, without ``$schema``. Pointers of ``losses`` lead into the original."""

    schema: Any
    losses: tuple[Loss, ...]


def downgraded(schema: Any) -> Downgraded:
    """Return ``schema``, which is of 2020-12, in draft-07.

    Raises SchemaError for a schema nested too deeply.
    """
    anchors = Counter(
        node["$dynamicAnchor"] for node in mappings(schema) if isinstance(node.get("$dynamicAnchor"), str)
    )
    translation = _Translation(frozenset(name for name, times in anchors.items() if times == 1))
    result = translation.subschema(schema, (), ())
    translation.follow_references()
    return Downgraded(result, tuple(translation.losses))


@dataclass(slots=True)
class _Node:
    """One mapping that is translated: itself, its pointers before and after, and the result so far."""

    schema: Mapping[str, Any]
    old: Pointer
    new: Pointer
    result: dict[str, Any] = field(default_factory=dict)


@dataclass
class _Translation:
    """One translation. ``static_anchors`` are the dynamic anchors that no other schema of the document overrides."""

    static_anchors: frozenset[str]
    losses: list[Loss] = field(default_factory=list)
    moved: dict[str, str] = field(default_factory=dict)
    referring: list[dict[str, Any]] = field(default_factory=list)

    def subschema(self, schema: Any, old: Pointer, new: Pointer) -> Any:
        """Return the subschema at ``old``, which will be at ``new``."""
        if len(new) > _MAX_STEPS:
            raise SchemaError(f"schemas nest too deeply at {text(old)[:100]}...")
        self.moved[text(old)] = text(new)
        if not isinstance(schema, dict):
            return schema
        node = _Node(schema, old, new)
        for keyword, value in schema.items():
            respell = _RESPELLED.get(keyword)
            if respell is not None:
                respell(self, node, value)
            else:
                self.copy(node, keyword, value)
        if "$ref" in node.result and len(node.result) > 1:
            # Beside a $ref draft-07 ignores everything.
            reference = {"$ref": node.result.pop("$ref")}
            node.result["allOf"] = [*node.result.get("allOf", ()), reference]
            self.referring.append(reference)
        elif "$ref" in node.result:
            self.referring.append(node.result)
        return node.result

    def copy(self, node: _Node, keyword: str, value: Any, spelled: str | None = None) -> None:
        """Add a keyword that draft-07 has, too, under the name ``spelled``."""
        new_keyword = spelled or keyword
        node.result[new_keyword] = self._translated(value, keyword, (*node.old, keyword), (*node.new, new_keyword))

    def _translated(self, value: Any, keyword: str, old: Pointer, new: Pointer) -> Any:
        shape = DIALECTS["draft2020-12"].keywords.get(keyword)
        if shape is None:
            return value if keyword in VALUES else self._unknown(value, old, new)
        result: Any = dict(value) if isinstance(value, dict) else list(value) if isinstance(value, list) else value
        for steps, below in held(value, shape.shape):
            translated = self.subschema(below, (*old, *steps), (*new, *steps))
            if not steps:
                return translated
            result[steps[0]] = translated
        return result

    def _unknown(self, value: Any, old: Pointer, new: Pointer) -> Any:
        """Return the value of an unknown keyword, into which a reference may lead all the same."""
        self.moved[text(old)] = text(new)
        if isinstance(value, dict):
            return {key: self._unknown(below, (*old, key), (*new, key)) for key, below in value.items()}
        return value

    def lose(self, node: _Node, keyword: str, reason: str) -> None:
        """Note a meaning that is not kept."""
        self.losses.append(Loss(node.old, keyword, reason))

    def follow_references(self) -> None:
        """Lead every local reference to where its target is now."""
        for schema in self.referring:
            steps = local_pointer(schema["$ref"])
            if steps is not None:
                place = text(steps)
                schema["$ref"] = "#" + quote(self.moved.get(place, place), safe="/~!$&'()*+,;=:@?")


_Respell = Callable[[_Translation, _Node, Any], None]


def _nothing(translation: _Translation, node: _Node, value: Any) -> None:
    """Add nothing: an annotation that draft-07 would assert, or a keyword that another one covers."""


def _definitions(translation: _Translation, node: _Node, value: Any) -> None:
    translation.copy(node, "$defs", value, "definitions")
    beside = node.schema.get("definitions")
    for name, below in beside.items() if isinstance(beside, dict) else ():
        free = next(spelled for spelled in _spellings(name) if spelled not in node.result["definitions"])
        old, new = (*node.old, "definitions", name), (*node.new, "definitions", free)
        node.result["definitions"][free] = translation.subschema(below, old, new)


def _old_definitions(translation: _Translation, node: _Node, value: Any) -> None:
    if "$defs" not in node.schema:
        translation.copy(node, "definitions", value)


def _items(translation: _Translation, node: _Node, value: Any) -> None:
    translation.copy(node, "items", value, "additionalItems" if "prefixItems" in node.schema else "items")


def _prefix_items(translation: _Translation, node: _Node, value: Any) -> None:
    translation.copy(node, "prefixItems", value, "items")


def _contains(translation: _Translation, node: _Node, value: Any) -> None:
    least, most = node.schema.get("minContains", 1), node.schema.get("maxContains")
    if least != 0:
        translation.copy(node, "contains", value)
    if least not in (0, 1):
        translation.lose(node, "minContains", "draft-07 can require at most one matching item")
    if most is not None:
        translation.lose(node, "maxContains", "draft-07 does not limit the number of matching items")


def _dependent(translation: _Translation, node: _Node, value: Any) -> None:
    """Add ``dependencies`` for the three keywords that may stand for them in 2020-12."""
    if "dependencies" in node.result:
        return
    result = node.result["dependencies"] = {}
    sources = [(key, node.schema.get(key)) for key in ("dependentSchemas", "dependencies", "dependentRequired")]
    names = dict.fromkeys(name for _, by_name in sources if isinstance(by_name, dict) for name in by_name)
    for name in names:
        parts = [(key, by_name[name]) for key, by_name in sources if isinstance(by_name, dict) and name in by_name]
        if len(parts) == 1:
            key, part = parts[0]
            result[name] = _dependency(translation, node, key, name, part, ("dependencies", name))
            continue
        result[name] = {"allOf": [
            {"required": part} if isinstance(part, list)
            else _dependency(translation, node, key, name, part, ("dependencies", name, "allOf", index))
            for index, (key, part) in enumerate(parts)
        ]}  # fmt: skip


def _dependency(translation: _Translation, node: _Node, key: str, name: str, part: Any, new: Pointer) -> Any:
    return part if isinstance(part, list) else translation.subschema(part, (*node.old, key, name), (*node.new, *new))


def _unevaluated(keyword: str) -> _Respell:
    closing = _UNEVALUATED[keyword]

    def respell(translation: _Translation, node: _Node, value: Any) -> None:
        if value is True or closing in node.schema:
            return
        if any(other in node.schema for other in (*IN_PLACE, *REFERENCES, "contains")):
            translation.lose(node, keyword, "draft-07 cannot refer to what other subschemas evaluated")
            return
        tuples = keyword == "unevaluatedItems" and "prefixItems" in node.schema
        translation.copy(node, keyword, value, "additionalItems" if tuples else closing)

    return respell


def _anchor(translation: _Translation, node: _Node, value: Any) -> None:
    if "$id" not in node.schema and isinstance(value, str):
        node.result["$id"] = f"#{value}"


def _dynamic_reference(translation: _Translation, node: _Node, value: Any) -> None:
    name = value.removeprefix("#") if isinstance(value, str) else ""
    if "$ref" not in node.schema and (name in translation.static_anchors or "/" in name):
        node.result["$ref"] = value
    else:
        translation.lose(node, "$dynamicRef", "draft-07 has no dynamic references")


def _format(translation: _Translation, node: _Node, value: Any) -> None:
    node.result["format"] = value
    if value in _NEWER_FORMATS:
        translation.lose(node, "format", f"draft-07 does not define the format '{value}'")


_RESPELLED: Mapping[str, _Respell] = {
    "$schema": _nothing,
    "$defs": _definitions,
    "definitions": _old_definitions,
    "prefixItems": _prefix_items,
    "items": _items,
    "additionalItems": _nothing,
    "$recursiveRef": _nothing,
    "contains": _contains,
    "minContains": _nothing,
    "maxContains": _nothing,
    "dependentRequired": _dependent,
    "dependentSchemas": _dependent,
    "dependencies": _dependent,
    "unevaluatedProperties": _unevaluated("unevaluatedProperties"),
    "unevaluatedItems": _unevaluated("unevaluatedItems"),
    "$anchor": _anchor,
    "$dynamicAnchor": _anchor,
    "$dynamicRef": _dynamic_reference,
    "format": _format,
    "contentEncoding": _nothing,
    "contentMediaType": _nothing,
    "contentSchema": _nothing,
}


def _spellings(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}_{number}"
        number += 1
