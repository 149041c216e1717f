"""Subschemas by the keywords of all dialects, for questions in which too much does no harm; and copies with changes.

:mod:`babelreg.schema.walk` says what counts in one dialect: not what a ``$ref`` makes void.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from babelreg.schema.dialects import DIALECTS, Dialect, Keyword, KeywordShape
from babelreg.schema.keywords import IN_PLACE
from babelreg.schema.pointer import Pointer

__all__ = ["applied_in_place", "segments", "subschemas", "with_subschemas"]

_ANY_DIALECT = {
    name: keyword for dialect in reversed(tuple(DIALECTS.values())) for name, keyword in dialect.keywords.items()
}


def _shaped(*shapes: KeywordShape) -> frozenset[str]:
    return frozenset(name for name, keyword in _ANY_DIALECT.items() if keyword.shape in shapes)


_ONE = _shaped(KeywordShape.ONE, KeywordShape.ONE_OR_LIST)
_LIST = _shaped(KeywordShape.LIST, KeywordShape.ONE_OR_LIST)
_MAP = _shaped(KeywordShape.MAP, KeywordShape.MAP_OR_NAMES)


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
    for keyword, value in schema.items():
        if keyword in _ONE and isinstance(value, (dict, bool)):
            copy[keyword] = convert(value)
        elif keyword in _LIST and isinstance(value, list):
            copy[keyword] = [convert(item) if isinstance(item, (dict, bool)) else item for item in value]
        elif keyword in _MAP and isinstance(value, dict):
            copy[keyword] = {
                name: convert(item) if isinstance(item, (dict, bool)) else item for name, item in value.items()
            }
    return copy


def segments(pointer: Pointer, dialect: Dialect | None = None) -> Iterator[tuple[Pointer, Keyword]]:
    """Split a pointer into a schema into its steps from subschema to subschema, each with its keyword.

    Without ``dialect`` the keywords of all count. Ends where a step leads to no subschema: ``("items", "enum", 0)``
    has one segment.
    """
    keywords = _ANY_DIALECT if dialect is None else dialect.keywords
    at = 0
    while at < len(pointer):
        keyword = keywords.get(str(pointer[at]))
        if keyword is None:
            return
        indexed = at + 1 < len(pointer) and isinstance(pointer[at + 1], int)
        one = keyword.shape is KeywordShape.ONE or (keyword.shape is KeywordShape.ONE_OR_LIST and not indexed)
        end = at + (1 if one else 2)
        if end > len(pointer):
            return
        yield pointer[at:end], keyword
        at = end
