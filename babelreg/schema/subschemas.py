"""Subschemas by the keywords of all dialects, for questions in which too much does no harm; and copies with changes.

:mod:`babelreg.schema.walk` says what counts in one dialect: not what a ``$ref`` makes void.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from babelreg.schema.dialects import DIALECTS, Dialect, Keyword, KeywordShape
from babelreg.schema.keywords import IN_PLACE
from babelreg.schema.pointer import Pointer
from babelreg.schema.walk import held

_ANY_DIALECT = {
    name: keyword for dialect in reversed(tuple(DIALECTS.values())) for name, keyword in dialect.keywords.items()
}


def subschemas(schema: Any) -> Iterator[tuple[Pointer, Any]]:
    """Yield the subschemas directly below in any dialect, definitions included, each with the steps to it."""
    return _below(schema, _ANY_DIALECT)


def applied_in_place(schema: Any) -> Iterator[tuple[Pointer, Any]]:
    """Yield those that apply to the same value as ``schema`` itself; a ``$ref`` is not followed."""
    return _below(schema, _APPLIED_IN_PLACE)


_APPLIED_IN_PLACE = {name: keyword for name, keyword in _ANY_DIALECT.items() if name in IN_PLACE}


def _below(schema: Any, keywords: Mapping[str, Keyword]) -> Iterator[tuple[Pointer, Any]]:
    if not isinstance(schema, dict):
        return
    for name, value in schema.items():
        keyword = keywords.get(name)
        if keyword is not None:
            for steps, below in held(value, keyword.shape):
                if isinstance(below, (dict, bool)):
                    yield (name, *steps), below


def with_subschemas(schema: dict[str, Any], convert: Callable[[Any], Any]) -> dict[str, Any]:
    """Return a copy of ``schema`` with each subschema directly below converted. ``schema`` is not changed."""
    copy: dict[str, Any] = dict(schema)
    for pointer, below in subschemas(schema):
        name = str(pointer[0])
        if len(pointer) == 1:
            copy[name] = convert(below)
            continue
        if copy[name] is schema[name]:
            copy[name] = schema[name].copy()
        copy[name][pointer[1]] = convert(below)
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
