"""Limits of values as arguments of pydantic's ``Field``: those that mean the same in JSON Schema and in pydantic.

That is so for bounds of numbers, for lengths, which both count in code points, and for the number of items and of
members of a map. A pattern means the same if it consists of characters, sets without shorthands, groups, counts and the
anchors ``^`` and ``$``: the engine of pydantic lacks other constructs, or reads them otherwise. pydantic computes the
multiples of a fraction with a tolerance, so only integers have ``multiple_of``.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

from babelreg.schema.regex.parser import Alternatives, Chars, Node, Repeat, Sequence, Zero, parse
from babelreg.schema.values import as_integer, is_integral, is_number
from babelreg.typemap.schema_facets import Parts

_MAX_COPIES = 1000
"""The largest number of copies of a part of a pattern, in nested counts: the engine compiles each."""
_MAX_FLOAT = 2**1023

ARGUMENTS = {
    "minimum": "ge",
    "exclusiveMinimum": "gt",
    "maximum": "le",
    "exclusiveMaximum": "lt",
    "multipleOf": "multiple_of",
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_length",
    "maxItems": "max_length",
    "minProperties": "min_length",
    "maxProperties": "max_length",
    "pattern": "pattern",
}
"""``{keyword of the schema: argument of Field}``, in the order in which code has them."""

_BOUNDS = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")
_KEYWORDS = {
    "integer": (*_BOUNDS, "multipleOf"),
    "number": _BOUNDS,
    "string": ("minLength", "maxLength", "pattern"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}


def field_limits(kind: str, parts: Parts) -> dict[str, Any]:
    """Return the limits that ``parts`` state for values of JSON type ``kind``, as ``{keyword: value}``.

    A keyword that several parts have with different values is left out: one argument cannot say both.
    """
    limits: dict[str, Any] = {}
    for keyword in _KEYWORDS.get(kind, ()):
        given = [part[keyword] for part in parts if keyword in part]
        if given and all(value == given[0] for value in given):
            value = _argument(kind, keyword, given[0])
            if value is not None:
                limits[keyword] = value
    return limits


def _argument(kind: str, keyword: str, value: Any) -> int | float | str | None:
    if keyword == "pattern":
        return value if isinstance(value, str) and _means_the_same(value) else None
    if not is_number(value) or (isinstance(value, float) and not math.isfinite(value)):
        return None
    whole = as_integer(value) if is_integral(value) else value
    if kind == "number":
        return whole if -_MAX_FLOAT < whole < _MAX_FLOAT else None
    if kind != "integer":
        return whole if isinstance(whole, int) and 0 <= whole < 2**63 else None
    if isinstance(whole, float):  # a fraction: the integers beyond it
        above = keyword in ("minimum", "exclusiveMaximum")
        return None if keyword == "multipleOf" else math.ceil(whole) if above else math.floor(whole)
    return None if keyword == "multipleOf" and whole <= 0 else whole


@lru_cache(maxsize=4096)
def _means_the_same(pattern: str) -> bool:
    regex = parse(pattern)
    return regex.node is not None and not regex.uses and "\\0" not in pattern and _is_common(regex.node, 1)


def _is_common(node: Node, copies: int) -> bool:
    """Return True where both engines give ``node`` one meaning; ``copies`` is how often counts around it repeat it."""
    match node:
        case Chars(ranges=ranges, exact=exact):
            return exact and bool(ranges)
        case Zero(sign=sign):
            return bool(sign)
        case Sequence(items=items) | Alternatives(branches=items):
            return all(_is_common(item, copies) for item in items)
        case Repeat(body=Zero()):
            return False
        case Repeat(body=body, low=low, high=high):
            repeated = copies * max(low, high or 1, 1)
            return repeated <= _MAX_COPIES and (high is None or low <= high) and _is_common(body, repeated)
