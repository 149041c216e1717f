"""The subschemas that count in one dialect: not what a ``$ref`` makes void up to draft-07.

:mod:`babelreg.schema.subschemas` has what any dialect might count.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from babelreg.errors import SchemaError
from babelreg.schema.dialects import Dialect, KeywordShape, Reach, identify
from babelreg.schema.keywords import DEFINITIONS
from babelreg.schema.pointer import Pointer, text

MAX_DEPTH = 100
"""Limit of nesting. Validators recurse; a registry that needs more is an attack or a mistake."""

_LISTS = (KeywordShape.LIST, KeywordShape.ONE_OR_LIST)
_ONES = (KeywordShape.ONE, KeywordShape.ONE_OR_LIST)
_MAPS = (KeywordShape.MAP, KeywordShape.MAP_OR_NAMES)


class Subschema(NamedTuple):
    """A subschema: ``keyword`` holds it, ``reach`` says what it applies to. The root has neither.

    ``schema`` is whatever is found where a schema belongs, so in an invalid one it need not be a mapping or a boolean.
    """

    pointer: Pointer
    schema: Any
    keyword: str | None = None
    reach: Reach | None = None


def children(schema: Any, dialect: Dialect) -> Iterator[tuple[str, Pointer, Any, Reach]]:
    """Yield the subschemas directly below: keyword, pointer from ``schema``, subschema, reach. In the order written."""
    if not isinstance(schema, dict):
        return
    if dialect.only_refers(schema):
        names = [name for name in reversed(DEFINITIONS) if name in schema]  # a reference can lead to these
    else:
        names = list(schema)
    for name in names:
        keyword = dialect.keywords.get(name)
        if keyword is None:
            continue
        value, shape, reach = schema[name], keyword.shape, keyword.reach
        if shape is KeywordShape.MAP and type(value) is dict:  # nearly all: not worth a second generator
            for step, subschema in value.items():
                yield name, (name, step), subschema, reach
        else:
            for steps, subschema in held(value, shape):
                yield name, (name, *steps), subschema, reach


def held(value: Any, shape: KeywordShape) -> Iterator[tuple[Pointer, Any]]:
    """Yield the subschemas in the value of a keyword of ``shape``, with the steps to each."""
    if isinstance(value, list) and shape in _LISTS:
        for index, subschema in enumerate(value):
            yield (index,), subschema
    elif shape in _ONES:
        yield (), value
    elif isinstance(value, dict) and shape in _MAPS:
        for name, subschema in value.items():
            if not (shape is KeywordShape.MAP_OR_NAMES and isinstance(subschema, list)):
                yield (name,), subschema


def walk(schema: Any, dialect: Dialect | None = None) -> Iterator[Subschema]:
    """Yield every subschema, the root first, depth first in the order written. References are not followed.

    Raises SchemaError beyond :data:`MAX_DEPTH`.
    """
    dialect = dialect or identify(schema)
    waiting = [(Subschema((), schema), 0)]
    while waiting:
        node, depth = waiting.pop()
        yield node
        if depth > MAX_DEPTH:
            raise SchemaError(f"schemas nest more than {MAX_DEPTH} levels deep at {text(node.pointer)[:100]}...")
        below = [
            (Subschema(node.pointer + step, subschema, keyword, reach), depth + 1)
            for keyword, step, subschema, reach in children(node.schema, dialect)
        ]
        waiting.extend(reversed(below))


def check_depth(schema: Any, dialect: Dialect) -> None:
    """Raise SchemaError where subschemas nest beyond :data:`MAX_DEPTH`."""
    for _ in walk(schema, dialect):
        pass


def in_place(schema: Any, dialect: Dialect, *, conditions: bool = False) -> Iterator[tuple[Pointer, Any]]:
    """Yield the branches of ``schema``, which apply to the same value; ``then`` and ``else`` only beside an ``if``."""
    for keyword, steps, subschema, reach in children(schema, dialect):
        if reach is Reach.IN_PLACE:
            if keyword not in ("then", "else") or "if" in schema:
                yield steps, subschema
        elif conditions and reach is Reach.CONDITION:
            yield steps, subschema
