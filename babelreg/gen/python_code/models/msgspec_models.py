"""Models as msgspec structs: frozen and fast; they drop properties that the schema does not declare.

msgspec can parse a union of objects only with a tag, so a union has classes where each class requires the same property
with a different constant text; any other union of objects is ``Any``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from babelreg.errors import BabelregError
from babelreg.gen.python_code.models.kind import (
    AttributeView,
    ClassView,
    Imports,
    attribute_view,
    from_import,
)
from babelreg.typemap.names import visible
from babelreg.typemap.python.names import docstring, literal
from babelreg.typemap.shapes import Attribute, Class, Shape

__all__ = ["about", "absent", "caveat", "imports", "known", "limited", "narrowed", "output", "runtime", "view"]

output = "MsgspecStruct"
known = frozenset(["UnsetType"])
runtime = ("models/msgspec_base.py",)
absent = ("msgspec", "UNSET")
about = "A property that may be absent is ``UNSET`` until it is set."
limited = False
caveat = "Properties that the schema does not declare are dropped: a handler never sees them."
_ANY: dict[str, Any] = {}
_INNER = ("additionalProperties", "items")
_NUMBER = {"anyOf": [{"type": "integer"}, {"type": "number"}]}  # msgspec would dump a Decimal as text
_INT64 = 2**63


def narrowed(shape: Shape) -> Shape:
    """Return ``shape`` with wider types for unions that msgspec cannot parse, and with the tags of the others."""
    narrowing = _Narrowing(shape)
    classes = {name: narrowing.of_class(class_) for name, class_ in shape.classes.items()}
    tagged = {name: replace(class_, tag=narrowing.tags.get(name)) for name, class_ in classes.items()}
    return Shape(shape.root, tagged)


class _Narrowing:
    """One pass over a shape. ``tags`` are the properties that distinguish the classes of a union, by class."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.tags: dict[str, str] = {}

    def of_class(self, class_: Class) -> Class:
        for attribute in class_.attributes:
            if any(character in '"\\' or ord(character) < 32 for character in attribute.wire):
                raise BabelregError(
                    f"msgspec cannot name the property {literal(visible(attribute.wire))} of {class_.name}",
                    fix="set gen.python.models to pydantic or typeddict, or rename the property while it is a draft",
                )
        attributes = [replace(attribute, shape=self.node(attribute.shape)) for attribute in class_.attributes]
        return replace(class_, attributes=tuple(attributes))

    def node(self, node: dict[str, Any]) -> dict[str, Any]:
        if "anyOf" in node:
            return self.union([self.node(member) for member in node["anyOf"]])
        if "enum" in node and any(isinstance(value, int) and not -_INT64 <= value < _INT64 for value in node["enum"]):
            others = [value for value in node["enum"] if not isinstance(value, int)]
            return {"anyOf": [{"enum": others}, {"type": "integer"}]} if others else {"type": "integer"}
        if node.get("type") == "number" and "format" in node:
            return _NUMBER
        return {key: self.node(value) if key in _INNER else value for key, value in node.items()}

    def union(self, members: list[dict[str, Any]]) -> dict[str, Any]:
        if _ANY in members:
            return _ANY
        flat = [inner for member in members for inner in member.get("anyOf", [member])]
        objects = [node for node in flat if node.get("type") == "object" or "$ref" in node]
        if len(objects) > 1 and not self.find_tag(objects):
            return _ANY
        others = [node for node in flat if node.get("type") != "array"]
        lists = [node for node in flat if node.get("type") == "array"]
        if sum("format" in node and node["type"] == "string" for node in others) and sum(map(_is_text, others)) > 1:
            others = [node for node in others if not _is_text(node)] + [{"type": "string"}]
        unique = {repr(node): node for node in [*others, *(lists if len(lists) < 2 else [{"type": "array"}])]}
        return {"anyOf": list(unique.values())} if len(unique) > 1 else next(iter(unique.values()))

    def find_tag(self, objects: list[dict[str, Any]]) -> bool:
        """Find a property that distinguishes all ``objects``, and record it as their tag."""
        if not all("$ref" in node for node in objects):
            return False
        names = [str(node["$ref"]).rpartition("/")[2] for node in objects]
        constants = [_constants(self.shape.classes[name]) for name in names]
        for wire in constants[0]:
            values = {by_property.get(wire) for by_property in constants}
            free = all(self.tags.get(name, wire) == wire for name in names)
            if free and None not in values and len(values) == len(names):
                self.tags.update(dict.fromkeys(names, wire))
                return True
        return False


def _constants(class_: Class) -> dict[str, str]:
    """Return ``{property: text}`` for the required constant properties of this class."""
    return {
        attribute.wire: attribute.shape["enum"][0]
        for attribute in class_.attributes
        if attribute.required
        and len(attribute.shape.get("enum", ())) == 1
        and isinstance(attribute.shape["enum"][0], str)
    }


def _is_text(node: dict[str, Any]) -> bool:
    return node.get("type") == "string" or any(isinstance(value, str) for value in node.get("enum", ()))


def view(class_: Class, annotations: Mapping[str, str]) -> ClassView:
    """See :class:`Kind`."""
    bases = "Struct, frozen=True, kw_only=True"
    lines = []
    for attribute in class_.attributes:
        annotation = annotations[attribute.name]
        if attribute.wire == class_.tag:
            value = literal(attribute.shape["enum"][0])
            bases += f", tag_field={literal(attribute.wire)}, tag={value}"
            lines.append(attribute_view(attribute, f"ClassVar[{annotation}]", f" = {value}"))
        else:
            lines.append(_line(attribute, annotation))
    text = docstring(class_.description, "    ") if class_.description else None
    return ClassView(class_.name, bases, text, tuple(lines))


def _line(attribute: Attribute, annotation: str) -> AttributeView:
    if attribute.name == attribute.wire:
        return attribute_view(attribute, annotation, "" if attribute.required else " = UNSET")
    default = "" if attribute.required else ", default=UNSET"
    return attribute_view(attribute, annotation, f" = Field(name={literal(attribute.wire)}{default})")


def imports(used: frozenset[str]) -> Imports:
    """See :class:`Kind`."""
    standard = from_import("collections.abc", used & {"Mapping", "Sequence"})
    standard += from_import("typing", used & {"Any", "ClassVar", "Literal"})
    libraries = from_import("msgspec", used & {"UNSET", "UnsetType"} | {"Struct"})
    # A property may have the name "field".
    libraries += ["from msgspec import field as Field"] * ("Field" in used)
    return Imports(standard, libraries, {"runtime.models.msgspec_base": used & _TYPED_NAMES | {"message"}})


_TYPED_NAMES = frozenset(["Date", "DateTime", "DecimalText", "Uuid"])
