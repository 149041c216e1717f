"""Ranges of numbers: the bounds and the step that schemas leave for a number, and whether one contains another."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from math import lcm
from typing import Any

from babelreg.breaking.containment.proof.conjuncts import BoundSchema, Facts
from babelreg.schema.dialects import Dialect
from babelreg.schema.types import declared_types
from babelreg.schema.values import is_number

__all__ = ["NumberRange", "is_readable", "only_integers", "range_of", "range_of_all"]

_MAX_EXPONENT = 400
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")


@dataclass(frozen=True, slots=True)
class NumberRange:
    """The numbers between two bounds; None for no bound. ``step`` divides all of them, where it is known.

    ``least_excluded`` and ``most_excluded`` tell that the bound itself is not in the range.
    """

    least: Fraction | None = None
    least_excluded: bool = False
    most: Fraction | None = None
    most_excluded: bool = False
    step: Fraction | None = None

    @property
    def empty(self) -> bool:
        """True if no multiple of the step is between the bounds."""
        if self.least is None or self.most is None:
            return False
        if self.least > self.most or (self.least == self.most and (self.least_excluded or self.most_excluded)):
            return True
        if self.step is None:
            return False
        first = -(-self.least // self.step) * self.step
        if self.least_excluded and first == self.least:
            first += self.step
        return first > self.most or (first == self.most and self.most_excluded)

    def is_within(self, other: NumberRange) -> bool:
        """Return True if every number of this range is in ``other``; steps are not compared."""
        low, high = self._bounds_within(other)
        return (other.least is None or low) and (other.most is None or high)

    def _bounds_within(self, other: NumberRange) -> tuple[bool, bool]:
        """Return whether the lower and the upper bound are at least as tight as those of ``other``."""
        least, least_excluded, most, most_excluded = self.least, self.least_excluded, self.most, self.most_excluded
        if self.step is not None:
            # The first and last multiples are the bounds that count: integers above 0 are at least 1.
            if least is not None:
                first = -(-least // self.step) * self.step
                least, least_excluded = (first + self.step if least_excluded and first == least else first), False
            if most is not None:
                last = most // self.step * self.step
                most, most_excluded = (last - self.step if most_excluded and last == most else last), False
        low = (
            least is not None
            and other.least is not None
            and (least > other.least or (least == other.least and (least_excluded or not other.least_excluded)))
        )
        high = (
            most is not None
            and other.most is not None
            and (most < other.most or (most == other.most and (most_excluded or not other.most_excluded)))
        )
        return low, high


def only_integers(facts: Facts, dialect: Dialect) -> bool:
    """Return True if ``facts`` leave integers only of all numbers."""
    if any(map(_is_integer_type, facts)):
        return True
    step = range_of_all(facts).step
    # In draft 4 an integer is a number written without a fraction, whatever its value.
    return dialect.booleans and step is not None and step.denominator == 1


def _is_integer_type(node: BoundSchema) -> bool:
    types = declared_types(node.schema)
    return types is not None and "integer" in types and "number" not in types


def range_of_all(facts: Facts) -> NumberRange:
    """Return the range that all of ``facts`` leave."""
    lows: list[tuple[Fraction, bool]] = []
    highs: list[tuple[Fraction, bool]] = []
    steps: list[Fraction] = []
    for node in facts:
        own = range_of(node.schema)
        lows += [] if own.least is None else [(own.least, own.least_excluded)]
        highs += [] if own.most is None else [(own.most, own.most_excluded)]
        steps += [] if own.step is None else [own.step]
        if _is_integer_type(node):
            steps.append(Fraction(1))
    least, least_excluded = max(lows, default=(None, False))
    most, most_excluded = min(((high, not excluded) for high, excluded in highs), default=(None, True))
    return NumberRange(
        least, least_excluded, most, not most_excluded, reduce(_common_multiple, steps) if steps else None
    )


def _common_multiple(left: Fraction, right: Fraction) -> Fraction:
    """Return the smallest number that both divide."""
    denominator = lcm(left.denominator, right.denominator)
    return Fraction(lcm(int(left * denominator), int(right * denominator)), denominator)


def range_of(schema: dict[str, Any]) -> NumberRange:
    """Return the range that the keywords of ``schema`` leave; a bound that is not readable is left out."""
    least, most = _number(schema.get("minimum")), _number(schema.get("maximum"))
    least_excluded, most_excluded = schema.get("exclusiveMinimum") is True, schema.get("exclusiveMaximum") is True
    above, below = _number(schema.get("exclusiveMinimum")), _number(schema.get("exclusiveMaximum"))
    if above is not None and (least is None or above >= least):
        least, least_excluded = above, True
    if below is not None and (most is None or below <= most):
        most, most_excluded = below, True
    step = _number(schema.get("multipleOf"))
    return NumberRange(least, least_excluded, most, most_excluded, step if step else None)


def _number(value: Any) -> Fraction | None:
    if not is_number(value):
        return None
    # As it is written: 0.1 means a tenth, not the double next to it.
    written = Decimal(repr(value))
    return Fraction(written) if written.is_finite() and abs(written.adjusted()) < _MAX_EXPONENT else None


def is_readable(schema: dict[str, Any]) -> bool:
    """Return True if :func:`range_of` takes every bound of ``schema`` into account."""
    bounds = [schema[keyword] for keyword in _BOUNDS if schema.get(keyword) is not None]
    return all(isinstance(bound, bool) or _number(bound) is not None for bound in bounds)
