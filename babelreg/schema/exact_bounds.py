"""Bounds of numbers that jsonschema-rs compares inexactly with some values, checked in Python instead.

It compares a Decimal with a whole bound as two doubles if the bound is written as 1.0, is 2^53 or more, or is a
``multipleOf``; and a double of 2^53 or more by its binary value, where its text says another integer. Few schemas have
such bounds: most have ``type: integer`` beside them, which refuses those Decimals.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import orjson

from babelreg.lazy_pattern import LazyPattern
from babelreg.schema.values import as_integer, mappings, rebuilt

_INTEGERS = 2**53
"""From here on every double is an integer, and not every integer is a double."""

_EXCLUSIVE = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}
"""The keyword that makes the other one's bound exclusive in draft-04, where it is a boolean."""

Number = int | float | Decimal


class _Bound:
    """A keyword of jsonschema-rs: it raises ValueError for a number that the bound refuses."""

    keyword = ""

    def __init__(self, parent: Any, value: Any, path: Any) -> None:
        self._bound = None if isinstance(value, bool) else _exact(value)  # the booleans of draft-04 are no bounds
        self._strict = self.keyword.startswith("exclusive") or _is_exclusive(parent, self.keyword)
        self._text = f"{self.keyword}: {value}"

    def validate(self, instance: Any) -> None:
        """Raise ValueError for a number beyond the bound."""
        if self._bound is None or isinstance(instance, bool) or not isinstance(instance, Number):
            return
        if not self.admits(_exact(instance), self._bound):
            raise ValueError(self._text)

    def admits(self, value: int | Decimal, bound: int | Decimal) -> bool:
        """Return whether ``bound`` admits ``value``."""
        raise NotImplementedError


class _Minimum(_Bound):
    keyword = "minimum"

    def admits(self, value: int | Decimal, bound: int | Decimal) -> bool:
        return value > bound if self._strict else value >= bound


class _ExclusiveMinimum(_Minimum):
    keyword = "exclusiveMinimum"


class _Maximum(_Bound):
    keyword = "maximum"

    def admits(self, value: int | Decimal, bound: int | Decimal) -> bool:
        return value < bound if self._strict else value <= bound


class _ExclusiveMaximum(_Maximum):
    keyword = "exclusiveMaximum"


class _MultipleOf(_Bound):
    keyword = "multipleOf"

    def admits(self, value: int | Decimal, bound: int | Decimal) -> bool:
        from fractions import Fraction  # few schemas have such a bound, and no other needs the module

        return (Fraction(value) / Fraction(bound)).denominator == 1


_DOUBTFUL = LazyPattern(rb'"(?:multipleOf|(?:m|exclusiveM)(?:in|ax)imum":(?!-?(?:[0-9]{1,15}|9007199254740991)[,}]))')
_KEYWORDS = {bound.keyword: bound for bound in (_Minimum, _ExclusiveMinimum, _Maximum, _ExclusiveMaximum, _MultipleOf)}


def compared_exactly(schema: Any) -> tuple[Any, Mapping[str, type[_Bound]]]:
    """Return ``schema`` with 1 for the bound 1.0, which is the same number and is compared exactly; and the keywords
    that jsonschema-rs must leave to Python for it, in its option ``keywords``.
    """
    if not _may_be_inexact(schema):
        return schema, {}
    bounded = [mapping for mapping in mappings(schema) if not _KEYWORDS.keys().isdisjoint(mapping)]
    names = {name for mapping in bounded for name in _KEYWORDS.keys() & mapping if _is_inexact(name, mapping)}
    # In draft-04 the two are one bound, which the other one reads.
    keywords = {name: _KEYWORDS[name] for name in names | {_EXCLUSIVE[name] for name in names & _EXCLUSIVE.keys()}}
    if any(_is_small_whole_float(mapping.get(name)) for mapping in bounded for name in _KEYWORDS):
        schema = rebuilt(schema, lambda item: int(item) if _is_small_whole_float(item) else item)
    return schema, keywords


def _may_be_inexact(schema: Any) -> bool:
    """Return False only for a schema whose bounds are all integers below 2^53, if it has any: no walk is needed."""
    try:
        return _DOUBTFUL.search(orjson.dumps(schema)) is not None
    except TypeError:  # no JSON, too deep, or an integer beyond 64 bits
        return True


def _is_small_whole_float(value: Any) -> bool:
    return isinstance(value, float) and value.is_integer() and abs(value) < _INTEGERS


def _is_inexact(name: str, schema: Mapping[str, Any]) -> bool:
    bound = schema[name]
    if isinstance(bound, bool) or not isinstance(bound, (int, float)) or bound != bound // 1:
        return False
    fractions = "type" not in schema or "number" in schema["type"]
    if name == "multipleOf":
        return fractions
    beside = (-math.inf, 0, math.inf)
    return abs(bound) >= _INTEGERS and (fractions or any(_misread(bound, towards) for towards in beside))


def _misread(bound: int | float, towards: float) -> bool:
    """Return whether the double beside ``bound`` is on another side of it by its text than by its binary value."""
    try:
        double = math.nextafter(bound, towards) if towards else float(bound)
    except OverflowError:
        return False
    if math.isinf(double):
        return False
    text, binary, exact = as_integer(double), int(double), _exact(bound)
    return (text > exact) - (text < exact) != (binary > exact) - (binary < exact)


def _is_exclusive(parent: Any, keyword: str) -> bool:
    return isinstance(parent, Mapping) and parent.get(_EXCLUSIVE.get(keyword, "")) is True


def _exact(value: Number) -> int | Decimal:
    """Return the number that JSON text says."""
    return Decimal(repr(value)) if isinstance(value, float) else value
