"""PHP classes of a schema: typed accessors over the decoded object, which is kept.

Objects stay ``stdClass`` inside, so reading a document and writing it again changes nothing: absent and null differ,
undeclared properties and empty objects stay. A type is never narrower than the reader view, but for integers beyond 64
bits, which PHP has as floats.

An accessor has PHP's own type, and a PHPDoc type where that says less: ``list<Line>``, ``array<int>`` for a map, the
constants of a closed enum. An enum that may grow is its JSON type, with constants for the known texts. Where a value
may be a list or a map, the map is a ``stdClass``: an empty PHP array would be both.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from babelreg.schema.values import json_type
from babelreg.typemap.php.names import attributes, claim, constant, literal, parameter, part
from babelreg.typemap.schema_facets import ListedValues, TypeSpelling
from babelreg.typemap.shapes import Attribute, Class, Shape, definition, shape

__all__ = [
    *("PhpClass", "PhpConstant", "PhpProperty", "PhpType"),
    *("class_names", "classes", "definition_of", "shape_of", "shared_classes"),
]

_INT64 = range(-(2**63), 2**63)


def _listed(listed: ListedValues) -> tuple[list[Any], list[str]]:
    """Return the values with literal types, and the JSON types of the others; of those that grow, both."""
    scalars = [value for value in listed.values if _has_literal_type(value)]
    wide = listed.values if listed.grows else [value for value in listed.values if not _has_literal_type(value)]
    return scalars, list(dict.fromkeys(json_type(value) for value in wide))


def _has_literal_type(value: Any) -> bool:
    if value is None or isinstance(value, (str, bool)):
        return True
    return isinstance(value, int) and value in _INT64


_PHP = TypeSpelling(frozenset(), _listed, attributes)


class PhpType(NamedTuple):
    """A type: PHP's own, that of PHPDoc, and the expression that makes the ``JsonType``."""

    native: tuple[str, ...]
    doc: tuple[str, ...]
    json: str


class PhpConstant(NamedTuple):
    """A constant with a known text of an enum."""

    name: str
    value: str


class PhpProperty(NamedTuple):
    """A property and its accessors: ``getOrderId``, where ``word`` is ``OrderId``.

    ``wire`` is the literal of its name. ``native`` is the declared type, ``doc`` that of PHPDoc, "" where it says no
    more; the two of ``get`` also admit null where the property may be absent.
    """

    word: str
    parameter: str
    wire: str
    native: str
    doc: str
    get_native: str
    get_doc: str
    json: str
    required: bool
    description: str | None
    limits: str | None
    deprecated: bool


class PhpClass(NamedTuple):
    """A class. ``name`` is relative to the namespace of the message's parts; the first class is the message itself."""

    name: str
    properties: tuple[PhpProperty, ...]
    constants: tuple[PhpConstant, ...]
    description: str | None


def shape_of(
    schema: Any, name: str, *, strict: bool = False, known: Mapping[str, Mapping[str, Class]] | None = None
) -> Shape:
    """Return the object types of the bundled ``schema``; see :func:`shapes.shape`."""
    return shape(schema, name, _PHP, strict=strict, known=known)


def definition_of(schema: Any, reference: str, *, strict: bool = False) -> Mapping[str, Class]:
    """Return the class that ``reference`` leads to, and those that it uses; see :func:`shapes.definition`."""
    return definition(schema, reference, _PHP, strict=strict)


def classes(data: Shape, namespace: str, shared: Mapping[str, str] | None = None) -> list[PhpClass]:
    """Return the classes of ``data``, that of the message first, except those in ``shared``.

    ``namespace`` is that of the messages; ``shared`` has names relative to it.
    """
    shared = shared or {}
    names = {name: spelled for name, spelled in class_names(data, shared).items() if name not in shared}
    root, *parts = (class_ for name, class_ in data.classes.items() if name not in shared)
    from_root = {
        **{class_: name if class_ == data.root else f"{data.root}\\{name}" for class_, name in names.items()},
        **shared,
    }
    from_part = {
        **names,
        **{class_: f"\\{namespace}\\{name}" for class_, name in {data.root: data.root, **shared}.items()},
    }
    return [
        _ClassSpelling(root, data.root, from_root).result(),
        *sorted(
            (_ClassSpelling(each, names[each.name], from_part).result() for each in parts), key=lambda each: each.name
        ),
    ]


def shared_classes(data: Shape) -> list[PhpClass]:
    """Return the classes of ``data``, of which none is a message; they are in one namespace."""
    names = class_names(data)
    return [_ClassSpelling(each, names[name], names).result() for name, each in sorted(data.classes.items())]


def class_names(data: Shape, shared: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the PHP classes of ``data``; parts have names in the namespace of the message's parts.

    Those in ``shared`` have names relative to the namespace of the messages.
    """
    used: set[str] = set()
    found = {data.root: data.root, **(shared or {})}
    for name in sorted(data.classes):
        if name not in found:
            found[name] = claim(part(name.removeprefix(data.root) or name), used)
    return found


_SCALARS = {
    "string": PhpType(("string",), ("string",), "JsonType::text()"),
    "integer": PhpType(("int",), ("int",), "JsonType::integer()"),
    "number": PhpType(("int", "float"), ("int", "float"), "JsonType::number()"),
    "boolean": PhpType(("bool",), ("bool",), "JsonType::boolean()"),
    "null": PhpType(("null",), ("null",), "JsonType::null()"),
}
_ANY = PhpType(("mixed",), ("mixed",), "JsonType::any()")


class _ClassSpelling:
    def __init__(self, class_: Class, name: str, names: Mapping[str, str]) -> None:
        self.class_ = class_
        self.name = name
        self.names = names
        self.constants: dict[tuple[str, str], str] = {}
        self.used: set[str] = {"urn", "queue", "required"}

    def result(self) -> PhpClass:
        properties = tuple(map(self.property, self.class_.attributes))
        constants = tuple(PhpConstant(name, literal(text)) for (_, text), name in self.constants.items())
        return PhpClass(self.name, properties, constants, self.class_.description)

    def property(self, attribute: Attribute) -> PhpProperty:
        type_ = self.type(attribute.shape, attribute.wire)
        return PhpProperty(
            attribute.name,
            parameter(attribute.name),
            literal(attribute.wire),
            *_spelled_types(type_, attribute.required),
            type_.json,
            attribute.required,
            attribute.description,
            attribute.limits,
            attribute.deprecated,
        )

    def type(self, node: Mapping[str, Any], wire: str) -> PhpType:
        if "anyOf" not in node:
            return self.single(node, wire, {node.get("type")}, both=False)
        options = list(node["anyOf"])
        kinds = {option.get("type") for option in options}
        if "number" in kinds:  # which integers are, too
            options = [option for option in options if option.get("type") != "integer"]
        both = {"array", "object"} <= kinds
        types = list(dict.fromkeys(self.single(option, wire, kinds, both=both) for option in options))
        return types[0] if len(types) == 1 else _union([each for each in types if each.native])

    def single(self, node: Mapping[str, Any], wire: str, kinds: set[Any], *, both: bool) -> PhpType:
        if "$ref" in node:
            name = self.names[str(node["$ref"]).rpartition("/")[2]]
            return PhpType((name,), (name,), f"JsonType::object({name}::class)")
        if "enum" in node:
            return self.listed(node["enum"], wire, kinds)
        kind = node.get("type")
        if kind == "array":
            item = self.type(node.get("items", {}), wire)
            return PhpType(("array",), (f"list<{'|'.join(item.doc)}>",), f"JsonType::list({item.json})")
        if kind == "object":
            value = self.type(node.get("additionalProperties", {}), wire)
            if both:
                return PhpType(("\\stdClass",), ("\\stdClass",), f"JsonType::members({value.json})")
            return PhpType(("array",), (f"array<{'|'.join(value.doc)}>",), f"JsonType::map({value.json})")
        return _SCALARS.get(str(kind), _ANY)

    def listed(self, values: list[Any], wire: str, kinds: set[Any]) -> PhpType:
        """Return the type of listed values, but of those that ``kinds`` beside them make pointless."""
        native: list[str] = []
        terms: list[str] = []
        for value in values:
            kind = json_type(value)
            name = f"self::{self.constant(value, wire)}" if isinstance(value, str) else _spelled(value)
            if kind in kinds or (kind == "integer" and "number" in kinds):
                continue
            native += _SCALARS[kind].native
            terms.append(name)
        return PhpType(tuple(dict.fromkeys(native)), tuple(terms), f"JsonType::oneOf({', '.join(terms)})")

    def constant(self, value: str, wire: str) -> str:
        key = (wire, value)
        if key not in self.constants:
            name = constant(wire, value)
            candidate, number = name, 2
            while candidate.lower() in self.used:
                candidate, number = f"{name}_{number}", number + 1
            self.used.add(candidate.lower())
            self.constants[key] = candidate
        return self.constants[key]


def _spelled(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if value > _INT64.start else "PHP_INT_MIN"
    return "null" if value is None else str(value).lower()


def _union(types: list[PhpType]) -> PhpType:
    if any(type_ == _ANY for type_ in types) or not types:
        return _ANY
    if len(types) == 1:
        return types[0]
    native = tuple(dict.fromkeys(term for type_ in types for term in type_.native))
    doc = tuple(dict.fromkeys(term for type_ in types for term in type_.doc))
    return PhpType(native, doc, f"JsonType::anyOf({', '.join(type_.json for type_ in types)})")


@lru_cache(maxsize=4096)  # most properties have one of a few types
def _spelled_types(type_: PhpType, required: bool) -> tuple[str, str, str, str]:
    """Return the declared type and that of PHPDoc, of the value and of what an accessor returns."""
    maybe = type_
    if not required and type_ != _ANY:
        maybe = PhpType(_with_null(type_.native), _with_null(type_.doc), "")
    return _declared(type_.native), _doc(type_), _declared(maybe.native), _doc(maybe)


def _with_null(terms: tuple[str, ...]) -> tuple[str, ...]:
    return terms if "null" in terms else (*terms, "null")


def _declared(native: tuple[str, ...]) -> str:
    others = [term for term in native if term != "null"]
    if len(native) == 2 and len(others) == 1:
        return f"?{others[0]}"
    return "|".join([*others, *(["null"] if "null" in native else [])])


def _doc(type_: PhpType) -> str:
    return "" if set(type_.doc) == set(type_.native) else "|".join(type_.doc)
