"""A field: one subschema with the name a reader would call it by, and what stands around it.

Rules about data go by names, types and sample values; all three are gathered here, once per schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from typing import Any

from babelreg.model import Message, Source
from babelreg.schema.dialects import Dialect, Reach, dialect_of
from babelreg.schema.pointer import Pointer
from babelreg.schema.simplify import without_ref_siblings
from babelreg.schema.types import declared_types
from babelreg.schema.walk import children

__all__ = ["LISTING", "SchemaField", "fields", "types_of", "words"]

MOST_VALUES = 100
LISTING = ("enum", "examples", "const", "default")
_LISTING = frozenset(LISTING)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


@dataclass(frozen=True, slots=True)
class SchemaField:
    """One subschema. ``name`` is that of the nearest property, "" at the root; ``words`` are the words of it.

    ``pointer`` leads to it in ``source``; ``root`` is the schema it is part of, without the keywords that a ``$ref`` in
    draft-07 makes void. ``types`` are the JSON types its own
    ``type`` names, without ``null``. ``siblings`` are the properties beside it, itself included. ``values`` are those
    that the message's examples have here, at most :data:`MOST_VALUES`. ``message`` is None in a shared fragment.
    """

    name: str
    words: tuple[str, ...]
    schema: Mapping[str, Any]
    types: tuple[str, ...]
    pointer: Pointer
    values: tuple[Any, ...]
    siblings: Mapping[str, Any]
    root: Any
    source: Source
    message: Message | None

    @property
    def description(self) -> str:
        """Its own title and description, as one text."""
        return " ".join(t for key in ("title", "description") if isinstance(t := self.schema.get(key), str))

    @property
    def bundled(self) -> Any:
        """The bundled schema that it is part of; of a fragment, the fragment."""
        return self.message.schema if self.message else self.root

    @property
    def inside(self) -> Pointer:
        """The pointer to it in :attr:`bundled`."""
        return self.pointer[1:] if self.message else self.pointer

    @property
    def urn(self) -> str | None:
        """The URN of its message, None in a fragment."""
        return self.message.urn if self.message else None

    @property
    def shown(self) -> str:
        """What to call it in a message."""
        return f"'{self.name}'" if self.name else "the schema"

    def listed(self) -> Iterator[tuple[Pointer, Any]]:
        """Every value its schema lists (enum, const, default, examples), with the pointer to it."""
        schema = self.schema
        if _LISTING.isdisjoint(schema):
            return
        for key in ("enum", "examples"):
            if isinstance(values := schema.get(key), list):
                for index, value in enumerate(values):
                    yield (*self.pointer, key, index), value
        for key in ("const", "default"):
            if key in schema:
                yield (*self.pointer, key), schema[key]

    def samples(self) -> Iterator[Any]:
        """Every value it lists or has in an example of its message."""
        yield from (value for _, value in self.listed())
        yield from self.values


@lru_cache(maxsize=1 << 14)
def words(name: str) -> tuple[str, ...]:
    """The words of a name in snake, kebab or camel case, in lower case: ``amountMinor`` is ``("amount", "minor")``."""
    return tuple(word.lower() for word in _WORD.findall(name))


def types_of(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """The JSON types that ``type`` names, without ``null``."""
    return tuple(name for name in declared_types(schema) or () if name != "null")


def fields(schema: Any, source: Source, base: Pointer, message: Message | None) -> Iterator[SchemaField]:
    """Every field of ``schema``, which stands at ``base`` in ``source``; parents before children.

    What stands below ``not``, ``if`` and ``propertyNames`` is not what a message holds, and is left out.
    """
    if not isinstance(schema, dict):
        return
    dialect = dialect_of(schema)
    schema = without_ref_siblings(schema, dialect)
    values = tuple(example.data for example in message.examples[:MOST_VALUES]) if message else ()
    waiting = [SchemaField("", (), schema, types_of(schema), base, values, {}, schema, source, message)]
    while waiting:
        field = waiting.pop()
        yield field
        waiting.extend(reversed(list(_children(field, dialect))))


def _children(field: SchemaField, dialect: Dialect) -> Iterator[SchemaField]:
    for keyword, step, schema, reach in children(field.schema, dialect):
        if not isinstance(schema, dict) or reach in (Reach.CONDITION, Reach.NAME):
            continue
        name, values, siblings = field.name, field.values, field.siblings
        if keyword == "properties":
            name, siblings = str(step[-1]), field.schema["properties"]
            values = tuple(value[name] for value in values if isinstance(value, dict) and name in value)
        elif reach is Reach.NOWHERE:
            name, values, siblings = str(step[-1]) if len(step) > 1 else "", (), {}
        elif reach is Reach.ITEM:
            lists = (value for value in values if isinstance(value, list))
            values, siblings = tuple(islice(chain.from_iterable(lists), MOST_VALUES)), {}
        elif reach is not Reach.IN_PLACE:
            values, siblings = (), {}
        at = field.pointer + step
        root, source, message = field.root, field.source, field.message
        yield SchemaField(name, words(name), schema, types_of(schema), at, values, siblings, root, source, message)
