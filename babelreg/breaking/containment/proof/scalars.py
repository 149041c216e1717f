"""Numbers, texts, and the few values that can be listed."""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from math import lcm
from typing import TYPE_CHECKING, Any

from babelreg.breaking.containment.proof.facts import BoundSchema, Facts
from babelreg.breaking.containment.proof.strings import nothing_left
from babelreg.errors import SchemaError
from babelreg.schema.dialects import Dialect
from babelreg.schema.values import is_number, json_type
from babelreg.schema.walk import mappings

if TYPE_CHECKING:
    from babelreg.breaking.containment.proof.inclusion import Proof

__all__ = [
    "REFERENCES",
    "count",
    "judged",
    "kind",
    "listed",
    "mentions",
    "never",
    "no_number",
    "no_string",
    "nothing_more",
    "numbers",
    "strings",
    "whole",
]

_LONGEST = 400
_MOST_LISTED = 24
_AUTOMATA = 20
REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


def kind(value: Any) -> str:
    """Return the type of a JSON value; integers are numbers."""
    name = json_type(value)
    return "number" if name == "integer" else name


def judged(schema: Any, value: Any, dialect: Dialect, *, formats: bool, opaque: Set[str] = frozenset()) -> bool | None:
    """Whether ``schema`` allows ``value``; None where it refers elsewhere, where 1 and 1.0 are not the same, or where
    it has one of the patterns ``opaque``, which another engine may read otherwise.
    """
    if isinstance(schema, bool):
        return schema
    if mentions(schema, REFERENCES) or (not dialect.booleans and _holds_number(value)):
        return None
    if opaque and _has_pattern(schema, opaque):
        return None
    try:
        return bool(dialect.validator_for(schema, formats=formats).is_valid(value))
    except (SchemaError, ValueError, RecursionError):
        return None


def mentions(schema: Any, keywords: Collection[str]) -> bool:
    """True if one of ``keywords`` is a key anywhere in ``schema``."""
    return any(not here.keys().isdisjoint(keywords) for here in mappings(schema))


def _has_pattern(schema: Any, patterns: Set[str]) -> bool:
    return any(
        item.get("pattern") in patterns or not patterns.isdisjoint(item.get("patternProperties") or ())
        for item in mappings(schema)
    )


def _holds_number(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_holds_number, value.values()))
    return any(map(_holds_number, value)) if isinstance(value, list) else kind(value) == "number"


def nothing_more(proof: Proof, facts: Facts, outer: BoundSchema) -> bool:
    """For null and booleans there are no keywords of their own."""
    return True


def never(proof: Proof, facts: Facts) -> bool:
    """Null is not nothing; what is left of null and booleans is listed elsewhere."""
    return False


@dataclass(frozen=True, slots=True)
class _Range:
    """The numbers between two bounds; None is no bound. ``step`` divides them all, where it is known."""

    least: Fraction | None = None
    least_out: bool = False
    most: Fraction | None = None
    most_out: bool = False
    step: Fraction | None = None

    @property
    def empty(self) -> bool:
        """True if no number lies between the bounds and on the step."""
        if self.least is None or self.most is None:
            return False
        if self.least > self.most or (self.least == self.most and (self.least_out or self.most_out)):
            return True
        if self.step is None:
            return False
        first = -(-self.least // self.step) * self.step
        if self.least_out and first == self.least:
            first += self.step
        return first > self.most or (first == self.most and self.most_out)

    def within(self, other: _Range) -> bool:
        """True if every number of this range is in ``other``; steps are not compared."""
        low, high = self._tight(other)
        return (other.least is None or low) and (other.most is None or high)

    def _tight(self, other: _Range) -> tuple[bool, bool]:
        least, least_out, most, most_out = self.least, self.least_out, self.most, self.most_out
        if self.step is not None:
            # The first and last multiples are the bounds that count: integers above 0 are at least 1.
            if least is not None:
                first = -(-least // self.step) * self.step
                least, least_out = (first + self.step if least_out and first == least else first), False
            if most is not None:
                last = most // self.step * self.step
                most, most_out = (last - self.step if most_out and last == most else last), False
        low = (
            least is not None
            and other.least is not None
            and (least > other.least or (least == other.least and (least_out or not other.least_out)))
        )
        high = (
            most is not None
            and other.most is not None
            and (most < other.most or (most == other.most and (most_out or not other.most_out)))
        )
        return low, high


def whole(facts: Facts, dialect: Dialect) -> bool:
    """True if only integers are left of the numbers."""
    if any("integer" in _types(node) and "number" not in _types(node) for node in facts):
        return True
    step = _range(facts).step
    # In draft 4 an integer is a number written without a fraction, whatever its value.
    return dialect.booleans and step is not None and step.denominator == 1


def _types(node: BoundSchema) -> list[str]:
    said = node.schema.get("type", "number")
    return [said] if isinstance(said, str) else list(said)


def _range(facts: Facts) -> _Range:
    lows: list[tuple[Fraction, bool]] = []
    highs: list[tuple[Fraction, bool]] = []
    steps: list[Fraction] = []
    for node in facts:
        one = _said(node.schema)
        lows += [] if one.least is None else [(one.least, one.least_out)]
        highs += [] if one.most is None else [(one.most, one.most_out)]
        steps += [] if one.step is None else [one.step]
        if "integer" in _types(node) and "number" not in _types(node):
            steps.append(Fraction(1))
    least, least_out = max(lows, default=(None, False))
    most, most_out = min(((high, not out) for high, out in highs), default=(None, True))
    return _Range(least, least_out, most, not most_out, reduce(_common, steps) if steps else None)


def _common(left: Fraction, right: Fraction) -> Fraction:
    """The smallest number that both divide."""
    denominator = lcm(left.denominator, right.denominator)
    return Fraction(lcm(int(left * denominator), int(right * denominator)), denominator)


def _said(schema: dict[str, Any]) -> _Range:
    least, most = _number(schema.get("minimum")), _number(schema.get("maximum"))
    least_out, most_out = schema.get("exclusiveMinimum") is True, schema.get("exclusiveMaximum") is True
    above, below = _number(schema.get("exclusiveMinimum")), _number(schema.get("exclusiveMaximum"))
    if above is not None and (least is None or above >= least):
        least, least_out = above, True
    if below is not None and (most is None or below <= most):
        most, most_out = below, True
    step = _number(schema.get("multipleOf"))
    return _Range(least, least_out, most, most_out, step if step else None)


def _number(value: Any) -> Fraction | None:
    if not is_number(value):
        return None
    # As it is written: 0.1 means a tenth, not the double next to it.
    written = Decimal(repr(value))
    return Fraction(written) if written.is_finite() and abs(written.adjusted()) < _LONGEST else None


def numbers(proof: Proof, facts: Facts, outer: BoundSchema) -> bool:
    """``Proof.holds`` for numbers."""
    wanted, given = _said(outer.schema), _range(facts)
    if given.empty:
        return True
    if wanted.step is not None and (given.step is None or given.step % wanted.step):
        return False
    if any(outer.schema.get(k) is not None and not _read(outer.schema[k]) for k in _BOUNDS):
        return False
    return given.within(wanted)


_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")


def _read(value: Any) -> bool:
    return isinstance(value, bool) or _number(value) is not None


def no_number(proof: Proof, facts: Facts) -> bool:
    """``Proof.void`` for numbers."""
    return _range(facts).empty


_CONTENT = ("contentEncoding", "contentMediaType")
"""Asserted in drafts 6 and 7 by some validators."""


def strings(proof: Proof, facts: Facts, outer: BoundSchema) -> bool:
    """``Proof.holds`` for texts."""
    schema = outer.schema
    asserted = [keyword for keyword in _CONTENT if keyword in schema] + ["format"] * proof.formats
    for keyword in asserted:
        said = schema.get(keyword)
        if said is not None and all(node.schema.get(keyword) != said for node in facts):
            return False
    least, most = _lengths(facts)
    patterns = _patterns(facts)
    wanted_least, wanted_most = count(schema.get("minLength")) or 0, count(schema.get("maxLength"))
    shorter = wanted_least - 1 if most is None else min(wanted_least - 1, most)
    if wanted_least > least and not _none(proof, patterns, (), least, shorter):
        return False
    too_long = wanted_most is not None and (most is None or most > wanted_most)
    if too_long and not (patterns and _none(proof, patterns, (), (wanted_most or 0) + 1, most)):
        return False
    pattern = schema.get("pattern")
    return pattern is None or pattern in patterns or _none(proof, patterns, (pattern,), least, most)


def _none(
    proof: Proof,
    matching: list[str],
    none_of: Sequence[str],
    least: int = 0,
    most: int | None = None,
    but: Sequence[str] = (),
) -> bool:
    proof.spend(_AUTOMATA)
    return nothing_left(matching, none_of, least, most, but=but)


def listed(proof: Proof, facts: Facts, schema: dict[str, Any]) -> bool:
    """True if patterns leave no text but those that ``schema`` lists: ``^[ab]$`` within ``enum: [a, b]``."""
    least, most = _lengths(facts)
    patterns = _patterns(facts)
    lists = [schema["enum"]] if "enum" in schema else []
    lists += [[schema["const"]]] if "const" in schema else []
    texts = [[value for value in values if isinstance(value, str)] for values in lists]
    return bool(patterns) and all(
        len(each) <= _MOST_LISTED and _none(proof, patterns, (), least, most, but=each) for each in texts
    )


def no_string(proof: Proof, facts: Facts) -> bool:
    """``Proof.void`` for texts."""
    least, most = _lengths(facts)
    if most is not None and least > most:
        return True
    patterns = _patterns(facts)
    return len(patterns) > 1 and _none(proof, patterns, (), least, most)


def _lengths(facts: Facts) -> tuple[int, int | None]:
    lows = [count(node.schema.get("minLength")) or 0 for node in facts]
    highs = [most for node in facts if (most := count(node.schema.get("maxLength"))) is not None]
    return max(lows, default=0), min(highs, default=None)


def _patterns(facts: Facts) -> list[str]:
    return sorted({said for node in facts if isinstance(said := node.schema.get("pattern"), str)})


def count(value: Any) -> int | None:
    """A length or a number of members; 3.0 is one too."""
    if not is_number(value) or value < 0 or value > 1e15:
        return None
    return int(value) if value == int(value) else None
