"""The subschemas of a schema: directly below, at any depth, and copied with changes.

Three ways to look, for three questions. :func:`children` and :func:`walk` say what counts in one dialect: not what is
beside a ``$ref`` that stands alone. :func:`subschemas` says what any dialect might count, for comparisons of text.
:func:`mappings` yields every mapping, schema or not, for questions in which too much does no harm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from babelreg.errors import SchemaError
from babelreg.schema.dialects import DIALECTS, Dialect, Keyword, KeywordShape, Reach, identify
from babelreg.schema.keywords import DEFINITIONS, IN_PLACE
from babelreg.schema.pointer import Pointer, text

__all__ = [
    "MAX_DEPTH",
    "Subschema",
    "applied_in_place",
    "children",
    "held_by",
    "mappings",
    "segments",
    "subschemas",
    "walk",
    "with_subschemas",
]

MAX_DEPTH = 100
"""How deep subschemas may nest. Validators recurse; a registry that needs more is an attack or a mistake."""

_LISTS = (KeywordShape.LIST, KeywordShape.ONE_OR_LIST)
_ONES = (KeywordShape.ONE, KeywordShape.ONE_OR_LIST)
_MAPS = (KeywordShape.MAP, KeywordShape.MAP_OR_NAMES)
_ANY_DIALECT = {
    name: keyword for dialect in reversed(tuple(DIALECTS.values())) for name, keyword in dialect.keywords.items()
}
_ONE = frozenset(name for name, keyword in _ANY_DIALECT.items() if keyword.shape in _ONES)
_LIST = frozenset(name for name, keyword in _ANY_DIALECT.items() if keyword.shape in _LISTS)
_MAP = frozenset(name for name, keyword in _ANY_DIALECT.items() if keyword.shape in _MAPS)


@dataclass(frozen=True, slots=True)
class Subschema:
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
        if keyword is not None:
            for step, subschema in _held(schema[name], keyword.shape):
                yield name, (name, *step), subschema, keyword.reach


def held_by(schema: Any, keyword: str, dialect: Dialect) -> Iterator[tuple[Pointer, Any]]:
    """Yield the subschemas that ``keyword`` holds, with the steps to each; none where it has no effect."""
    table = dialect.keywords.get(keyword)
    if table is None or not isinstance(schema, dict) or keyword not in schema:
        return
    if keyword in ("then", "else") and "if" not in schema:
        return
    if not dialect.only_refers(schema) or table.reach is Reach.NOWHERE:
        yield from (((keyword, *step), subschema) for step, subschema in _held(schema[keyword], table.shape))


def _held(value: Any, shape: KeywordShape) -> Iterator[tuple[Pointer, Any]]:
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


def segments(pointer: Pointer, dialect: Dialect) -> Iterator[tuple[Pointer, Keyword]]:
    """Split a pointer into a schema into its steps from subschema to subschema, each with its keyword.

    Ends where a step leads to no subschema: ``("items", "enum", 0)`` has one segment.
    """
    at = 0
    while at < len(pointer):
        keyword = dialect.keywords.get(str(pointer[at]))
        if keyword is None:
            return
        indexed = at + 1 < len(pointer) and isinstance(pointer[at + 1], int)
        one = keyword.shape is KeywordShape.ONE or (keyword.shape is KeywordShape.ONE_OR_LIST and not indexed)
        end = at + (1 if one else 2)
        if end > len(pointer):
            return
        yield pointer[at:end], keyword
        at = end


def subschemas(schema: Any) -> Iterator[tuple[Pointer, Any]]:
    """Yield the subschemas directly below in any dialect, definitions included, each with the steps to it."""
    return _below(schema, _ONE, _LIST, _MAP)


def applied_in_place(schema: Any) -> Iterator[tuple[Pointer, Any]]:
    """Yield those that apply to the same value as ``schema`` itself; a ``$ref`` is not followed."""
    return _below(schema, _ONE & IN_PLACE, _LIST & IN_PLACE, _MAP & IN_PLACE)


def _below(
    schema: Any, ones: frozenset[str], lists: frozenset[str], maps: frozenset[str]
) -> Iterator[tuple[Pointer, Any]]:
    if not isinstance(schema, dict):
        return
    for keyword, value in schema.items():
        if keyword in ones and isinstance(value, (dict, bool)):
            yield (keyword,), value
        elif keyword in lists and isinstance(value, list):
            yield from (((keyword, i), item) for i, item in enumerate(value) if isinstance(item, (dict, bool)))
        elif keyword in maps and isinstance(value, dict):
            yield from (((keyword, name), item) for name, item in value.items() if isinstance(item, (dict, bool)))


def with_subschemas(schema: dict[str, Any], convert: Callable[[Any], Any]) -> dict[str, Any]:
    """Return a copy of ``schema`` with each subschema directly below converted. ``schema`` is not changed."""
    copy = dict(schema)
    for steps, subschema in subschemas(schema):
        keyword = str(steps[0])
        if len(steps) == 1:
            copy[keyword] = convert(subschema)
            continue
        holder = copy[keyword]
        if holder is schema[keyword]:
            holder = copy[keyword] = list(holder) if isinstance(holder, list) else dict(holder)
        holder[steps[1]] = convert(subschema)
    return copy


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
