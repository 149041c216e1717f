"""What else judges the value that a field judges: the subschemas around it, in place, and the names they declare."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from babelreg.errors import SchemaError
from babelreg.lint.schema.field import SchemaField
from babelreg.schema import pointer
from babelreg.schema.dialects import DEFAULT, Dialect, KeywordShape, Reach, identify
from babelreg.schema.pointer import Pointer
from babelreg.schema.walk import children

__all__ = ["Around", "around"]

_MOST = 1000
_DESCRIBING = ("patternProperties", "additionalProperties", "unevaluatedProperties")


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
    """What stands around ``field``, through references and every subschema that judges in place.

    ``known`` keeps what was found: many fields may be parts of one object.
    """
    whole = field.message.schema if field.message and field.message.schema else field.root
    at = field.pointer[1:] if field.message else field.pointer
    dialect = _dialect(whole)
    top, reach = _top(at, dialect)
    key = (field.source.path, field.pointer[: len(field.pointer) - len(at) + len(top)])
    if key not in known:
        shared = reach is Reach.NOWHERE or (not top and field.message is None)
        known[key] = _found_from(whole, top, dialect, shared)
    return known[key]


def _found_from(whole: Any, top: Pointer, dialect: Dialect, shared: bool) -> Around:
    names: set[str] = set()
    others = False
    for schema in _in_place(whole, top, dialect):
        if schema is None:
            others = True
            continue
        properties = schema.get("properties")
        names.update(properties if isinstance(properties, dict) else ())
        others = others or any(schema.get(key, False) is not False for key in _DESCRIBING)
    return Around(frozenset(names), others, shared)


def _dialect(schema: Any) -> Dialect:
    try:
        return identify(schema)
    except SchemaError:
        return DEFAULT


def _top(at: Pointer, dialect: Dialect) -> tuple[Pointer, Reach | None]:
    """The outermost subschema that judges the same value as the one at ``at``, and what that is held for."""
    top: Pointer = ()
    reach: Reach | None = None
    here = 0
    while here < len(at):
        keyword = dialect.keywords.get(str(at[here]))
        if keyword is None:
            break
        listed = keyword.shape is KeywordShape.ONE_OR_LIST and here + 1 < len(at) and isinstance(at[here + 1], int)
        here += 1 if keyword.shape in (KeywordShape.ONE, KeywordShape.ONE_OR_LIST) and not listed else 2
        if keyword.reach is not Reach.IN_PLACE:
            top, reach = at[:here], keyword.reach
    return top, reach


def _in_place(whole: Any, top: Pointer, dialect: Dialect) -> Iterator[dict[str, Any] | None]:
    """Every subschema that judges what the one at ``top`` judges; None for one that cannot be found."""
    waiting: list[Any] = [_found(whole, top)]
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
        reference = schema.get("$ref")
        if isinstance(reference, str):
            waiting.append(_followed(whole, reference))
        waiting += [below for _, _, below, reach in children(schema, dialect) if reach is Reach.IN_PLACE]


def _found(whole: Any, at: Pointer) -> Any:
    try:
        return pointer.find(whole, at)
    except KeyError:
        return None


def _followed(whole: Any, reference: str) -> Any:
    if not reference.startswith("#"):
        return None
    try:
        return pointer.find(whole, pointer.parse(unquote(reference[1:])))
    except (KeyError, ValueError):
        return None
