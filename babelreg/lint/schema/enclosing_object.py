"""The object that a field belongs to: property names declared by all subschemas that apply to it in place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from babelreg.lint.schema.field import SchemaField
from babelreg.schema import pointer
from babelreg.schema.dialects import Dialect, Reach, dialect_of
from babelreg.schema.keywords import ADDITIONAL_PROPERTIES
from babelreg.schema.local_references import LocalReferences
from babelreg.schema.pointer import Pointer
from babelreg.schema.subschemas import segments

_MAX_SUBSCHEMAS = 1000
_DESCRIBING = ("patternProperties", *ADDITIONAL_PROPERTIES)


class EnclosingObject(NamedTuple):
    """Property names that the subschemas of one object declare.

    ``others``: a subschema describes or admits further names. ``shared``: other schemas may refer to the outermost
    subschema, so there may be more conditions than are visible here.
    """

    names: frozenset[str]
    others: bool
    shared: bool


def enclosing_object(field: SchemaField, cache: dict[tuple[str, Pointer], EnclosingObject]) -> EnclosingObject:
    """Return the object of ``field``, through references and every subschema that applies in place.

    ``cache`` holds earlier results: many fields may be parts of one object.
    """
    bundled = field.bundled or field.root
    dialect = dialect_of(bundled)
    top, reach = _top(field.inside, dialect)
    key = (field.source.path, field.pointer[: len(field.pointer) - len(field.inside) + len(top)])
    if key not in cache:
        shared = reach is Reach.NOWHERE or (not top and field.message is None)
        cache[key] = _collect(LocalReferences(bundled, dialect), top, shared)
    return cache[key]


def _collect(references: LocalReferences, top: Pointer, shared: bool) -> EnclosingObject:
    names: set[str] = set()
    others = False
    for schema in _in_place(references, top):
        if schema is None:
            others = True
        elif not references.dialect.only_refers(schema):
            properties = schema.get("properties")
            names.update(properties if isinstance(properties, dict) else ())
            others = others or any(schema.get(key, False) is not False for key in _DESCRIBING)
    return EnclosingObject(frozenset(names), others, shared)


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
        pending: list[Any] = [pointer.find(references.root, top)]
    except KeyError:
        pending = [None]
    seen: set[int] = set()
    while pending:
        schema = pending.pop()
        if id(schema) in seen or isinstance(schema, bool):
            continue
        if not isinstance(schema, dict) or len(seen) > _MAX_SUBSCHEMAS:
            yield None
            continue
        seen.add(id(schema))
        yield schema
        if None in references.targets(schema):
            yield None
        pending += [below for _, below in references.in_place(schema)]
