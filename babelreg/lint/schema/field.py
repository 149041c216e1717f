"""Fields of a schema: subschemas with their property names, types, siblings and sample values.

Rules about data depend on these; they are collected here, once per schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import Any, NamedTuple

from babelreg.model import Message, Source
from babelreg.schema.dialects import Dialect, Reach, dialect_of
from babelreg.schema.keywords import BRANCHES, COMBINED, DEFINITIONS, DEPENDENT
from babelreg.schema.pointer import Pointer
from babelreg.schema.simplify import without_ref_siblings
from babelreg.schema.types import declared_types
from babelreg.schema.walk import children

MAX_VALUES = 100
LISTING = ("enum", "examples", "const", "default")
_LISTING = frozenset(LISTING)
_COMBINED = frozenset((*COMBINED, "if", "$ref"))
_BRANCHES = BRANCHES - set(DEPENDENT)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


class SchemaField(NamedTuple):
    """One subschema. ``name`` is that of the nearest property, "" at the root; ``words`` are the words of it.

    ``pointer`` locates it in ``source``; ``root`` is the schema that contains it, without the keywords that a ``$ref``
    disables in draft-07. ``types`` are the JSON types in its ``type``, without ``null``. ``siblings`` are the
    properties of its object, itself included. ``values`` are those in the message's examples, at most
    :data:`MAX_VALUES`. ``message`` is None in a shared fragment.
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
        """Title and description as one text."""
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
        """URN of its message, None in a fragment."""
        return self.message.urn if self.message else None

    @property
    def shown(self) -> str:
        """Name to show in a message."""
        return f"'{self.name}'" if self.name else "the schema"

    @property
    def may_be_limited_elsewhere(self) -> bool:
        """True when ``allOf``, ``$ref`` or the like in it, or the place that uses it, may limit the same value."""
        if not self.pointer or not _COMBINED.isdisjoint(self.schema):
            return True  # without a pointer it is a whole fragment
        steps = self.pointer[-2:]
        # A part of another schema of the same value, or a definition.
        return not _BRANCHES.isdisjoint(map(str, steps)) or steps[0] in DEFINITIONS

    def listed(self) -> Iterator[tuple[Pointer, Any]]:
        """Yield the values in its schema (enum, const, default, examples), with their pointers."""
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

    def samples(self) -> Sequence[Any]:
        """Return the values in its schema and in the examples of its message."""
        if _LISTING.isdisjoint(self.schema):
            return self.values
        return [*(value for _, value in self.listed()), *self.values]


@lru_cache(maxsize=1 << 14)
def words(name: str) -> tuple[str, ...]:
    """Return the words of a name in snake, kebab or camel case, in lower case: ``("amount", "minor")``."""
    return tuple(word.lower() for word in _WORD.findall(name))


def types_of(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the JSON types in ``type``, without ``null``."""
    declared = schema.get("type")
    if type(declared) is str:
        return () if declared == "null" else (declared,)
    return tuple(name for name in declared_types(schema) or () if name != "null")


def fields(schema: Any, source: Source, base: Pointer, message: Message | None) -> Iterator[SchemaField]:
    """Yield the fields of ``schema``, which is at ``base`` in ``source``; parents before children.

    Subschemas below ``not``, ``if`` and ``propertyNames`` do not describe data of a message, and are left out.
    """
    if not isinstance(schema, dict):
        return
    dialect = dialect_of(schema)
    schema = without_ref_siblings(schema, dialect)
    values = tuple(example.data for example in message.examples[:MAX_VALUES]) if message else ()
    pending = [SchemaField("", (), schema, types_of(schema), base, values, {}, schema, source, message)]
    while pending:
        field = pending.pop()
        yield field
        if not dialect.keywords.keys().isdisjoint(field.schema):
            pending.extend(reversed(_children(field, dialect)))


def _children(field: SchemaField, dialect: Dialect) -> list[SchemaField]:
    fields: list[SchemaField] = []
    own_name, _, own_schema, _, pointer, own_values, own_siblings, root, source, message = field
    parts = [value for value in own_values if isinstance(value, dict)]
    for keyword, step, schema, reach in children(own_schema, dialect):
        if not isinstance(schema, dict) or reach is Reach.CONDITION or reach is Reach.NAME:
            continue
        name, values, siblings = own_name, own_values, own_siblings
        if keyword == "properties":
            name, siblings = str(step[-1]), own_schema["properties"]
            values = tuple([part[name] for part in parts if name in part])
        elif reach is Reach.NOWHERE:
            name, values, siblings = str(step[-1]) if len(step) > 1 else "", (), {}
        elif reach is Reach.ITEM:
            lists = (value for value in values if isinstance(value, list))
            values, siblings = tuple(islice(chain.from_iterable(lists), MAX_VALUES)), {}
        elif reach is not Reach.IN_PLACE:
            values, siblings = (), {}
        typed, at = types_of(schema), pointer + step
        fields.append(SchemaField(name, words(name), schema, typed, at, values, siblings, root, source, message))
    return fields
