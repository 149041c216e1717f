"""Every subschema of a schema, with its place and with what it judges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from babelreg.errors import SchemaError
from babelreg.schema.dialects import Dialect, KeywordShape, Reach, identify
from babelreg.schema.pointer import Pointer, text

__all__ = ["MAX_DEPTH", "Subschema", "children", "mappings", "walk"]

MAX_DEPTH = 100
"""How deep subschemas may nest. Validators recurse; a registry that needs more is an attack or a mistake."""


@dataclass(frozen=True, slots=True)
class Subschema:
    """A subschema: ``keyword`` holds it, ``reach`` says what it judges. The root has neither.

    ``schema`` is whatever stands where a schema belongs, so in an invalid one it need not be a mapping or a boolean.
    """

    pointer: Pointer
    schema: Any
    keyword: str | None = None
    reach: Reach | None = None


def children(schema: Any, dialect: Dialect) -> Iterator[tuple[str, Pointer, Any, Reach]]:
    """The subschemas directly below: keyword, pointer from ``schema``, subschema, reach. In the order written."""
    if not isinstance(schema, dict):
        return
    if dialect.ref_alone and "$ref" in schema:
        # only what a reference can lead to
        names = [name for name in ("definitions", "$defs") if name in schema]
    else:
        names = list(schema)
    for name in names:
        keyword = dialect.keywords.get(name)
        if keyword is not None:
            for step, subschema in _held(schema[name], keyword.shape):
                yield name, (name, *step), subschema, keyword.reach


def _held(value: Any, shape: KeywordShape) -> Iterator[tuple[Pointer, Any]]:
    if isinstance(value, list) and shape in (KeywordShape.LIST, KeywordShape.ONE_OR_LIST):
        for index, subschema in enumerate(value):
            yield (index,), subschema
    elif shape in (KeywordShape.ONE, KeywordShape.ONE_OR_LIST):
        yield (), value
    elif isinstance(value, dict) and shape in (KeywordShape.MAP, KeywordShape.MAP_OR_NAMES):
        for name, subschema in value.items():
            if not (shape is KeywordShape.MAP_OR_NAMES and isinstance(subschema, list)):
                yield (name,), subschema


def walk(schema: Any, dialect: Dialect | None = None) -> Iterator[Subschema]:
    """Every subschema, the root first, depth first in the order written. References are not followed.

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


def mappings(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every mapping in ``value`` at any depth: schemas, and data and names that look like them.

    So nothing is missed whatever the dialect, for questions where too much does no harm. There is no recursion.
    """
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            yield item
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
