"""Go types of a schema: structs, string types of listed values, and unions.

Decoding a document and encoding it again gives an equal document, with exact numbers: an absent property is an
``Optional`` that is not set, null is a ``Nullable``, undeclared properties are kept in ``Extra``, and an integer
without bounds is an ``Int`` of any size. A type is never narrower than the reader view: an enum is a string type with
constants for the known values, and a value that may have several types is a union that holds its JSON.

The functions in ``json_values.go`` decode and encode these types by reflection: with a generic function for each, Go
would take a minute to compile 1,000 messages. For the same reason MarshalJSON is not inlined into the method of the
pointer type, which Go adds, messages share the structs of fragments, and ``Optional`` has no ``==``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from babelreg.schema.values import is_number, json_type
from babelreg.typemap.go.names import attributes, claim, comment, literal, tag
from babelreg.typemap.go.struct_sizes import pointed_to
from babelreg.typemap.names import pascal, singular
from babelreg.typemap.schema_facets import ListedValues, Parts, TypeSpelling
from babelreg.typemap.shapes import Attribute, Class, Shape, definition, shape

_INT64 = (-(2**63), 2**63 - 1)
_LOWER, _UPPER = ("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")


def _listed(listed: ListedValues) -> tuple[list[Any], list[str]]:
    """Return the texts, which a string type has constants for, and the JSON types of the others."""
    texts = [value for value in listed.values if isinstance(value, str)]
    kinds = dict.fromkeys(json_type(value) for value in listed.values if not isinstance(value, str))
    return texts, list(kinds)


def _format(kind: str, parts: Parts) -> str | None:
    """Return int64 for an integer between bounds that fit."""
    fits = kind == "integer" and _has_bound(parts, _LOWER) and _has_bound(parts, _UPPER)
    return "int64" if fits else None


def _has_bound(parts: Parts, keys: tuple[str, str]) -> bool:
    bounds = [part[key] for part in parts for key in keys if is_number(part.get(key))]
    return any(_INT64[0] <= bound <= _INT64[1] for bound in bounds)


_GO = TypeSpelling(frozenset(), _listed, attributes, _format)


class _GoType(NamedTuple):
    """A type, and a word for it in names of methods."""

    name: str
    word: str


class GoField(NamedTuple):
    """A field of a struct. ``tag`` is the literal with the property's name, ``comment`` a comment or ""."""

    name: str
    tag: str
    type: str
    comment: str


@dataclass(frozen=True, slots=True)
class GoStruct:
    """A struct of an object."""

    name: str
    fields: tuple[GoField, ...]
    description: str | None


@dataclass(frozen=True, slots=True)
class GoEnum:
    """A string type, with constants: names and literals."""

    name: str
    constants: tuple[tuple[str, str], ...]


class GoOption(NamedTuple):
    """A type of a union: a word for its method, the name of the function that makes the union, and the type."""

    word: str
    maker: str
    type: str


@dataclass(frozen=True, slots=True)
class GoUnion:
    """A value of one of several types."""

    name: str
    options: tuple[GoOption, ...]


@dataclass(slots=True)
class Declarations:
    """The types of one message, the first struct being that of ``data`` itself; or those that messages share."""

    structs: list[GoStruct] = field(default_factory=list)
    enums: list[GoEnum] = field(default_factory=list)
    unions: list[GoUnion] = field(default_factory=list)


def shape_of(
    schema: Any, name: str, *, strict: bool = False, known: Mapping[str, Mapping[str, Class]] | None = None
) -> Shape:
    """Return the object types of the bundled ``schema``; see :func:`shapes.shape`."""
    return shape(schema, name, _GO, strict=strict, known=known)


def definition_of(schema: Any, reference: str, *, strict: bool = False) -> Mapping[str, Class]:
    """Return the class that ``reference`` leads to, and those that it uses; see :func:`shapes.definition`."""
    return definition(schema, reference, _GO, strict=strict)


def struct_name(root: str, class_: str) -> str:
    """Return the name of the struct of a class that messages share, in a shape called ``root`` without such a class."""
    return f"{root}_{class_}"


def declarations(data: Shape, shared: Mapping[str, str] | None = None) -> Declarations:
    """Return the Go types of ``data``, except the classes in ``shared``, whose structs are named there.

    A shape without the class of its root is one of classes that messages share.
    """
    return _GoSpelling(data, shared or {}).all()


_SIMPLE = {
    "string": _GoType("string", "String"),
    "integer": _GoType("Int", "Int"),
    "int64": _GoType("int64", "Int64"),
    "number": _GoType("json.Number", "Number"),
    "boolean": _GoType("bool", "Bool"),
}
_SEVERAL = frozenset(["anyOf", "enum"])
_ANY = _GoType("json.RawMessage", "JSON")


class _GoSpelling:
    def __init__(self, data: Shape, shared: Mapping[str, str]) -> None:
        self.root = data.root
        self.own = [class_ for name, class_ in data.classes.items() if name not in shared]
        self.names = {data.root: data.root, **shared}
        if data.root in data.classes:
            self.used = {f"{data.root}_URN", f"{data.root}_Queue"}
            for name in sorted(data.classes):
                if name not in self.names:
                    self.names[name] = self.claim(name.removeprefix(data.root) or name)
        else:
            self.names |= {name: struct_name(data.root, name) for name in data.classes}
            self.used = set(self.names.values())
        self.pointers = pointed_to(data)
        self.declared = Declarations()

    def claim(self, word: str) -> str:
        return claim(f"{self.root}_{word}", self.used)

    def all(self) -> Declarations:
        self.declared.structs += [self.struct(class_) for class_ in self.own]
        # The root first; one more reference moves no other type.
        self.declared.structs.sort(key=lambda struct: (struct.name != self.root, struct.name))
        self.declared.enums.sort(key=lambda enum: enum.name)
        self.declared.unions.sort(key=lambda union: union.name)
        return self.declared

    def struct(self, class_: Class) -> GoStruct:
        fields = tuple(self.field(class_, attribute) for attribute in class_.attributes)
        return GoStruct(self.names[class_.name], fields, class_.description)

    def field(self, class_: Class, attribute: Attribute) -> GoField:
        parent = self.names[class_.name].removeprefix(self.root).lstrip("_")
        value = self.type(attribute.shape, parent, attribute.wire, direct=True)
        deprecation = "the schema marks it so." if attribute.deprecated else None
        about = comment([attribute.description, attribute.limits], deprecation, "\t")
        type_ = value.name if attribute.required else f"Optional[{value.name}]"
        return GoField(attribute.name, tag(attribute.wire), type_, about)

    def type(self, node: Mapping[str, Any], parent: str, word: str, *, direct: bool = False) -> _GoType:
        """Return the type of ``node``; a new type is named after the class ``parent`` and the property ``word``.

        ``direct``: the value is a part of the struct, not of a slice or a map.
        """
        if not (node.keys() & _SEVERAL):
            return self.single(node, parent, word, direct)
        options = node.get("anyOf", [node])
        values = list(dict.fromkeys(value for option in options for value in option.get("enum", ())))
        kinds = {option.get("type") for option in options} | ({"string"} if values else set())
        others = [option for option in options if option.get("type") != "null" and "enum" not in option]
        if values:  # which are texts
            others = [{"enum": values}, *(option for option in others if option.get("type") != "string")]
        if "number" in kinds:  # which integers are, too
            others = [option for option in others if option.get("type") != "integer"]
        if not others:
            return _ANY
        alone = direct and len(others) == 1
        types = list(dict.fromkeys(self.single(option, parent, word, alone) for option in others))
        only = types[0] if len(types) == 1 else self.union(types, parent, word)
        if "null" in kinds and only != _ANY:
            return _GoType(f"Nullable[{only.name}]", only.word)
        return only

    def single(self, node: Mapping[str, Any], parent: str, word: str, direct: bool) -> _GoType:
        if "$ref" in node:
            return self.reference(str(node["$ref"]).rpartition("/")[2], direct)
        if "enum" in node:
            return self.enum(node["enum"], parent, word)
        kind = node.get("type")
        if kind == "array":
            item = self.type(node.get("items", {}), parent, singular(word))
            return _GoType(f"[]{item.name}", f"{item.word}List")
        if kind == "object":
            value = self.type(node.get("additionalProperties", {}), parent, f"{word} value")
            return _GoType(f"map[string]{value.name}", f"{value.word}Map")
        return _SIMPLE.get(str(node.get("format") or kind), _ANY)

    def reference(self, class_: str, direct: bool) -> _GoType:
        name = self.names[class_]
        word = name.partition("_")[2] or name
        return _GoType(f"*{name}" if direct and class_ in self.pointers else name, word)

    def enum(self, values: list[str], parent: str, word: str) -> _GoType:
        name = self.claim(parent + pascal(word))
        words = [pascal(value) if value else "Empty" for value in values]
        constants = [self.claim(f"{name}_{word}".removeprefix(f"{self.root}_")) for word in words]
        self.declared.enums.append(GoEnum(name, tuple(zip(constants, map(literal, values), strict=True))))
        return _GoType(name, "Known")

    def union(self, types: list[_GoType], parent: str, word: str) -> _GoType:
        name = self.claim(parent + pascal(word))
        used: set[str] = set()
        options = []
        for type_ in types:
            option = claim(type_.word, used)
            maker = self.claim(f"{name}_Of{option}".removeprefix(f"{self.root}_"))
            options.append(GoOption(option, maker, type_.name))
        self.declared.unions.append(GoUnion(name, tuple(options)))
        return _GoType(name, name.partition("_")[2])
