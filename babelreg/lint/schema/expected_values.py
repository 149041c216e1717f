"""Schemas of the values that a consumer expects: each stands alone, without references."""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.schema.dialects import is_valid_schema
from babelreg.schema.pointer import Pointer

_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef", "$id", "$schema")


def is_usable(expected: object) -> bool:
    """Return True for a valid schema that stands alone."""
    return next(references(expected), None) is None and is_valid_schema(expected)


def references(expected: object) -> Iterator[Pointer]:
    """Yield the pointers to keywords of ``expected`` that lead to other schemas, or name this one."""
    pending: list[tuple[object, Pointer]] = [(expected, ())]
    while pending:
        part, here = pending.pop()
        if isinstance(part, dict):
            yield from ((*here, name) for name in _REFERENCES if isinstance(part.get(name), str))
            pending += [(inner, (*here, key)) for key, inner in part.items() if key not in ("enum", "const")]
        elif isinstance(part, list):
            pending += [(inner, (*here, number)) for number, inner in enumerate(part)]
