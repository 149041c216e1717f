"""The object around a field: the names that all subschemas declare which apply to the same value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from babelreg.lint.schema.field import SchemaField
from babelreg.schema import pointer
from babelreg.schema.dialects import Dialect, Reach, dialect_of
from babelreg.schema.keywords import ADDITIONAL_PROPERTIES
from babelreg.schema.local_references import LocalReferences
from babelreg.schema.pointer import Pointer
from babelreg.schema.subschemas import segments

__all__ = ["Around", "around"]

_MOST = 1000
_DESCRIBING = ("patternProperties", *ADDITIONAL_PROPERTIES)


@dataclass(frozen=True, slots=True)
class Around:
    """``names`` are all properties that the subschemas declare for one and the same object.

    ``others``: some of them describe or admit further names. ``shared``: the outermost is a part that others may refer
    to, so there may be more around it than is seen here.
    """

    names: frozenset[str]
    others: bool
    shared: bool


def around(field: SchemaField, known: dict[tuple[str, Pointer], Around]) -> Around:
    """Return what is around ``field``, through references and every subschema that applies in place.

    ``known`` keeps the results: many fields may be parts of one object.
    """
    bundled = field.bundled or field.root
    dialect = dialect_of(bundled)
    top, reach = _top(field.inside, dialect)
    key = (field.source.path, field.pointer[: len(field.pointer) - len(field.inside) + len(top)])
    if key not in known:
        shared = reach is Reach.NOWHERE or (not top and field.message is None)
        known[key] = _around(LocalReferences(bundled, dialect), top, shared)
    return known[key]


def _around(references: LocalReferences, top: Pointer, shared: bool) -> Around:
    names: set[str] = set()
    others = False
    for schema in _in_place(references, top):
        if schema is None:
            others = True
        elif not references.dialect.only_refers(schema):
            properties = schema.get("properties")
            names.update(properties if isinstance(properties, dict) else ())
            others = others or any(schema.get(key, False) is not False for key in _DESCRIBING)
    return Around(frozenset(names), others, shared)


def _top(at: Pointer, dialect: Dialect) -> tuple[Pointer, Reach | None]:
    """Return the outermost subschema that applies to the same value as the one at ``at``, and its reach."""
    top: Pointer = ()
    reach: Reach | None = None
    end = 0
    for steps, keyword in segments(at, dialect):
        end += len(steps)
        if keyword.reach is not Reach.IN_PLACE:
            top, reach = at[:end], keyword.reach
    return top, reach


def _in_place(references: LocalReferences, top: Pointer) -> Iterator[dict[str, Any] | None]:
    """Yield every subschema that applies to the value of the one at ``top``; None for one that cannot be found."""
    try:
        waiting: list[Any] = [pointer.find(references.root, top)]
    except KeyError:
        waiting = [None]
    seen: set[int] = set()
    while waiting:
        schema = waiting.pop()
        if id(schema) in seen or isinstance(schema, bool):
            continue
        if not isinstance(schema, dict) or len(seen) > _MOST:
            yield None
            continue
        seen.add(id(schema))
        yield schema
        if None in references.targets(schema):
            yield None
        waiting += [below for _, below in references.in_place(schema)]
