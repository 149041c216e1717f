"""A field: one subschema with the name a reader would call it by, and what stands around it.

Rules about data go by names, types and sample values; all three are gathered here, once per schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from babelreg.errors import SchemaError
from babelreg.model import Message, Source
from babelreg.schema.dialects import DEFAULT, Dialect, Reach, identify
from babelreg.schema.pointer import Pointer
from babelreg.schema.walk import children

__all__ = ["Field", "fields", "types_of", "words"]

ANY = "*"
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


@dataclass(frozen=True, slots=True)
class Field:
    """One subschema. ``name`` is that of its property, "" at the root and below keywords that give none.

    ``pointer`` leads to it in ``source``; ``root`` is the schema it is part of. ``siblings`` are the properties beside
    it, itself included. ``path`` is where its values stand in the data (``*`` for any item), None below ``$defs``.
    ``message`` is None in a shared fragment.
    """

    name: str
    schema: Mapping[str, Any]
    pointer: Pointer
    path: tuple[str, ...] | None
    siblings: Mapping[str, Any]
    root: Any
    source: Source
    message: Message | None

    @property
    def types(self) -> tuple[str, ...]:
        """The JSON types its own ``type`` names, without ``null``."""
        return types_of(self.schema)

    @property
    def description(self) -> str:
        """Its own title and description, as one text."""
        return " ".join(t for key in ("title", "description") if isinstance(t := self.schema.get(key), str))

    @property
    def words(self) -> tuple[str, ...]:
        """The words of its name, in lower case."""
        return words(self.name)

    @property
    def urn(self) -> str | None:
        """The URN of its message, None in a fragment."""
        return self.message.urn if self.message else None

    def listed(self) -> Iterator[tuple[Pointer, Any]]:
        """Every value its schema lists (enum, const, default, examples), with the pointer to it."""
        for key in ("enum", "examples"):
            values = self.schema.get(key)
            if isinstance(values, list):
                for index, value in enumerate(values):
                    yield (*self.pointer, key, index), value
        for key in ("const", "default"):
            if key in self.schema:
                yield (*self.pointer, key), self.schema[key]

    def samples(self) -> Iterator[Any]:
        """Every value it lists or has in an example of its message."""
        yield from (value for _, value in self.listed())
        if self.message is not None and self.path is not None:
            for example in self.message.examples:
                yield from _values(example.data, self.path)


def types_of(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """The JSON types that ``type`` names, without ``null``."""
    types = schema.get("type")
    listed = types if isinstance(types, list) else [types]
    return tuple(t for t in listed if isinstance(t, str) and t != "null")


def words(name: str) -> tuple[str, ...]:
    """The words of a name in snake, kebab or camel case, in lower case: ``amountMinor`` is ``("amount", "minor")``."""
    return tuple(word.lower() for word in _WORD.findall(name))


def fields(schema: Any, source: Source, base: Pointer, message: Message | None) -> Iterator[Field]:
    """Every field of ``schema``, which stands at ``base`` in ``source``; parents before children.

    What stands below ``not``, ``if`` and ``propertyNames`` is not what a message holds, and is left out.
    """
    try:
        dialect = identify(schema)
    except SchemaError:
        dialect = DEFAULT  # schema-invalid says so
    waiting = [Field("", schema, base, (), {}, schema, source, message)] if isinstance(schema, dict) else []
    while waiting:
        field = waiting.pop()
        yield field
        waiting.extend(reversed(list(_children(field, dialect))))


def _children(field: Field, dialect: Dialect) -> Iterator[Field]:
    for keyword, step, schema, reach in children(field.schema, dialect):
        if not isinstance(schema, dict) or reach in (Reach.CONDITION, Reach.NAME):
            continue
        name, path, siblings = field.name, field.path, field.siblings
        if keyword == "properties":
            name, siblings = str(step[-1]), field.schema["properties"]
            path = None if path is None else (*path, name)
        elif reach is Reach.NOWHERE:
            name, path, siblings = str(step[-1]) if len(step) > 1 else "", None, {}
        elif reach is not Reach.IN_PLACE:
            path, siblings = None if path is None else (*path, ANY), {}
        yield Field(name, schema, field.pointer + step, path, siblings, field.root, field.source, field.message)


def _values(data: Any, path: tuple[str, ...]) -> Iterator[Any]:
    if not path:
        yield data
    elif path[0] == ANY:
        if isinstance(data, list):
            for item in data:
                yield from _values(item, path[1:])
    elif isinstance(data, dict) and path[0] in data:
        yield from _values(data[path[0]], path[1:])
