"""Structs of msgspec: frozen, fast, and without a place for what the schema does not declare.

msgspec reads a union of objects only where a tag tells them apart, so a union is spelled with classes when each
requires one and the same property with a constant text of its own; any other union of objects is ``Any``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from babelreg.errors import BabelregError
from babelreg.gen.python_code.models.kind import (
    AttributeView,
    ClassView,
    attribute_view,
    from_import,
)
from babelreg.typemap.python.names import docstring, literal, visible
from babelreg.typemap.python.shapes import Attribute, Class, Shape

__all__ = ["about", "absent", "caveat", "imports", "known", "narrowed", "output", "requires", "runtime", "view"]

output = "MsgspecStruct"
known = frozenset(["UnsetType"])
runtime = ("models/msgspec_base.py",)
requires = ("msgspec>=0.22,<0.23",)
absent = ("msgspec", "UNSET")
about = "A property that may be absent is ``UNSET`` until it is set."
caveat = "Properties that the schema does not declare are dropped: a handler never sees them."
_ANY: dict[str, Any] = {}
_INNER = ("additionalProperties", "items")
_NUMBER = {"anyOf": [{"type": "integer"}, {"type": "number"}]}  # a Decimal would be dumped as a text
_INT64 = 2**63


def narrowed(shape: Shape) -> Shape:
    """``shape`` with each union that msgspec could not read made wider, and with the tags of those that it can."""
    narrowing = _Narrowing(shape)
    classes = {name: narrowing.of_class(found) for name, found in shape.classes.items()}
    tagged = {name: replace(found, tag=narrowing.tags.get(name)) for name, found in classes.items()}
    return Shape(shape.root, tagged)


class _Narrowing:
    """One pass over a shape. ``tags`` are the properties by which classes are told apart, by class."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.tags: dict[str, str] = {}

    def of_class(self, found: Class) -> Class:
        for attribute in found.attributes:
            if any(character in '"\\' or ord(character) < 32 for character in attribute.wire):
                raise BabelregError(
                    f"msgspec has no way to name the property {literal(visible(attribute.wire))} of {found.name}",
                    fix="set gen.python.models to pydantic or typeddict, or rename the property while it is a draft",
                )
        changed = [replace(attribute, shape=self.node(attribute.shape)) for attribute in found.attributes]
        return replace(found, attributes=tuple(changed))

    def node(self, node: dict[str, Any]) -> dict[str, Any]:
        if "anyOf" in node:
            return self.union([self.node(member) for member in node["anyOf"]])
        if "enum" in node and any(isinstance(one, int) and not -_INT64 <= one < _INT64 for one in node["enum"]):
            kept = [one for one in node["enum"] if not isinstance(one, int)]
            return {"anyOf": [{"enum": kept}, {"type": "integer"}]} if kept else {"type": "integer"}
        if node.get("type") == "number" and "format" in node:
            return _NUMBER
        return {key: self.node(value) if key in _INNER else value for key, value in node.items()}

    def union(self, members: list[dict[str, Any]]) -> dict[str, Any]:
        if _ANY in members:
            return _ANY
        flat = [inner for member in members for inner in member.get("anyOf", [member])]
        dicts = [one for one in flat if one.get("type") == "object" or "$ref" in one]
        if len(dicts) > 1 and not self.tell_apart(dicts):
            return _ANY
        kept = [one for one in flat if one.get("type") != "array"]
        lists = [one for one in flat if one.get("type") == "array"]
        if sum("format" in one and one["type"] == "string" for one in kept) and sum(map(_is_text, kept)) > 1:
            kept = [one for one in kept if not _is_text(one)] + [{"type": "string"}]
        unique = {repr(one): one for one in [*kept, *(lists if len(lists) < 2 else [{"type": "array"}])]}
        return {"anyOf": list(unique.values())} if len(unique) > 1 else next(iter(unique.values()))

    def tell_apart(self, dicts: list[dict[str, Any]]) -> bool:
        """Find one property that tells all of ``dicts`` apart, and note it as their tag."""
        if not all("$ref" in one for one in dicts):
            return False
        names = [str(one["$ref"]).rpartition("/")[2] for one in dicts]
        constants = [_constants(self.shape.classes[name]) for name in names]
        for wire in constants[0]:
            values = {found.get(wire) for found in constants}
            free = all(self.tags.get(name, wire) == wire for name in names)
            if free and None not in values and len(values) == len(names):
                self.tags.update(dict.fromkeys(names, wire))
                return True
        return False


def _constants(found: Class) -> dict[str, str]:
    """``{property: text}`` of what every object of this class has to hold."""
    return {
        one.wire: one.shape["enum"][0]
        for one in found.attributes
        if one.required and len(one.shape.get("enum", ())) == 1 and isinstance(one.shape["enum"][0], str)
    }


def _is_text(node: dict[str, Any]) -> bool:
    return node.get("type") == "string" or any(isinstance(one, str) for one in node.get("enum", ()))


def view(found: Class, annotations: Mapping[str, str]) -> ClassView:
    """See :class:`Kind`."""
    bases = "Struct, frozen=True, kw_only=True"
    lines = []
    for attribute in found.attributes:
        annotation = annotations[attribute.name]
        if attribute.wire == found.tag:
            value = literal(attribute.shape["enum"][0])
            bases += f", tag_field={literal(attribute.wire)}, tag={value}"
            lines.append(attribute_view(attribute, f"ClassVar[{annotation}]", f" = {value}"))
        else:
            lines.append(_line(attribute, annotation))
    text = docstring(found.description, "    ") if found.description else None
    return ClassView(found.name, bases, text, tuple(lines))


def _line(attribute: Attribute, annotation: str) -> AttributeView:
    if attribute.name == attribute.wire:
        return attribute_view(attribute, annotation, "" if attribute.required else " = UNSET")
    default = "" if attribute.required else ", default=UNSET"
    return attribute_view(attribute, annotation, f" = Field(name={literal(attribute.wire)}{default})")


def imports(used: frozenset[str]) -> tuple[list[str], list[str]]:
    """See :class:`Kind`."""
    elsewhere = from_import("collections.abc", used & {"Mapping", "Sequence"})
    elsewhere += from_import("typing", used & {"Any", "ClassVar", "Literal"})
    elsewhere += [""] * bool(elsewhere)
    elsewhere += from_import("msgspec", used & {"UNSET", "UnsetType"} | {"Struct"})
    # "field" would be hidden by a property of that name.
    elsewhere += ["from msgspec import field as Field"] * ("Field" in used)
    own = from_import("._babelreg.runtime.models.msgspec_base", used & _RICH | {"message"})
    return elsewhere, own


_RICH = frozenset(["Date", "DateTime", "DecimalText", "Uuid"])
