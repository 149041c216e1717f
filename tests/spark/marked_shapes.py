"""Random schemas with marks of personal data, and documents of which it is known what is personal.

Every value in a document is a word of its own. One that stands below a mark is personal, however the schema says so:
itself, around it, in a branch, behind a reference, for all items or names.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

MARK = "x-gdpr-sensitive"


@dataclass
class Shape:
    """A schema, a document that satisfies it, and the words in the document: personal ones and ``open`` ones."""

    schema: dict[str, Any]
    data: dict[str, Any]
    personal: set[str] = field(default_factory=set)
    open: set[str] = field(default_factory=set)


def shape(seed: int) -> Shape:
    """The shape of a number."""
    maker = _Maker(random.Random(seed))
    found = Shape({}, {})
    schema, data = maker.object(found, 0, personal=False)
    found.schema, found.data = {**schema, "$defs": maker.definitions}, data
    return found


class _Maker:
    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.definitions: dict[str, Any] = {}
        self.words = 0

    def word(self, found: Shape, personal: bool) -> str:
        self.words += 1
        word = f"w{self.words}w{self.dice.randrange(10**12):012d}w"
        (found.personal if personal else found.open).add(word)
        return word

    def value(self, found: Shape, depth: int, personal: bool) -> tuple[dict[str, Any], Any]:
        """A schema and a value; both may be marked here."""
        marked = self.dice.random() < 0.25
        kinds = [
            self.text,
            self.text,
            self.object,
            self.items,
            self.names,
            self.free,
            self.mixed,
            self.pair,
            self.chain,
        ]
        kind = self.text if depth > 3 else self.dice.choice(kinds)
        schema, value = kind(found, depth + 1, personal or marked)
        schema = self.wrapped(schema, marked)
        return schema, value

    def wrapped(self, schema: dict[str, Any], marked: bool) -> dict[str, Any]:
        """``schema``, with the mark in one of the places where it may stand, perhaps behind a reference."""
        mark = {MARK: self.dice.choice([True, "email", "name"])} if marked else {}
        way = self.dice.randrange(6)
        if way == 0:
            name = f"d{len(self.definitions)}"
            self.definitions[name] = {**schema, **mark}
            return {"$ref": f"#/$defs/{name}"}
        if way == 1:
            name = f"d{len(self.definitions)}"
            self.definitions[name] = schema
            return {"$ref": f"#/$defs/{name}", **mark}
        if way == 2:
            return {"allOf": [schema, mark or {}]}
        if way == 3:
            return {"anyOf": [{**schema, **mark}, {"type": "null"}]}
        if way == 4:
            return {**schema, "if": mark, "then": {}}
        return {**schema, **mark}

    def text(self, found: Shape, depth: int, personal: bool) -> tuple[dict[str, Any], Any]:
        return {"type": "string"}, self.word(found, personal)

    def object(self, found: Shape, depth: int, personal: bool) -> tuple[dict[str, Any], Any]:
        names = self.dice.sample(
            ["a", "b.c", "lang", "Total", "x y", "total_minor", "é", "select"], self.dice.randint(1, 4)
        )
        made = {name: self.value(found, depth, personal) for name in names}
        return {"type": "object", "properties": {n: s for n, (s, _) in made.items()}}, {
            n: v for n, (_, v) in made.items()
        }

    def items(self, found: Shape, depth: int, personal: bool) -> tuple[dict[str, Any], Any]:
        schema, value = self.value(found, depth, personal)
        return {"type": "array", "items": schema}, [value]

    def names(self, found: Shape, depth: int, personal: bool) -> tuple[dict[str, Any], Any]:
        by_name = self.dice.random() < 0.3
        schema, value = self.value(found, depth, personal or by_name)
        key = self.word(found, personal or by_name)
        named = {"propertyNames": {MARK: True}} if by_name else {}
        return {"type": "object", "additionalProperties": schema, **named}, {key: value}

    def free(self, found: Shape, depth: int, personal: bool) -> tuple[dict[str, Any], Any]:
        return {}, {"deep": [self.word(found, personal)]}

    def mixed(self, found: Shape, depth: int, personal: bool) -> tuple[dict[str, Any], Any]:
        schema, value = self.value(found, depth, personal)
        return {"anyOf": [schema, {"type": "integer"}, {"type": "boolean"}]}, value

    def pair(self, found: Shape, depth: int, personal: bool) -> tuple[dict[str, Any], Any]:
        made = [self.value(found, depth, personal) for _ in range(2)]
        return {"type": "array", "prefixItems": [schema for schema, _ in made]}, [value for _, value in made]

    def chain(self, found: Shape, depth: int, personal: bool) -> tuple[dict[str, Any], Any]:
        """A list of its own kind, whose head is a value."""
        name = f"d{len(self.definitions)}"
        self.definitions[name] = {}
        schema, value = self.value(found, depth, personal)
        within: dict[str, Any] = {"type": "object", "properties": {"head": schema, "next": {"$ref": f"#/$defs/{name}"}}}
        self.definitions[name] = within
        return {"$ref": f"#/$defs/{name}"}, {
            "head": value,
            "next": {"head": _again(value), "next": {"head": _again(value)}},
        }


def _again(value: Any) -> Any:
    """The same value once more: what is personal in it is so there, too."""
    return value
