"""When facts are apart: single keywords contradict each other, so that no value satisfies all of them.

Part of the checker: of babelreg, it imports other parts only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import lcm
from typing import Any

from babelreg.containment.certificates.core_schemas import type_of
from babelreg.containment.certificates.facts import Fact, Facts, closed, exact, given, item_counts, limits, required
from babelreg.schema.values import equality_key

MOST_LISTED = 1_000
"""Numbers between two bounds; more of them are not gone through one by one."""

_BOUNDS = (("minimum", 1, False), ("exclusiveMinimum", 1, True), ("maximum", -1, False), ("exclusiveMaximum", -1, True))


def integer_only(fact: Fact) -> bool:
    return fact.holds and "integer" in fact.schema.get("type", ()) and "number" not in fact.schema["type"]


def step_of(facts: Iterable[Fact]) -> Fraction | None:
    """Return a number that divides all numbers, the largest that is known."""
    steps = [step for value in given(facts, "multipleOf") if (step := exact(value))]
    steps += [Fraction(1)] if any(map(integer_only, facts)) else []
    below = lcm(*(step.denominator for step in steps))
    return Fraction(lcm(*(int(step * below) for step in steps)), below) if steps else None


def number_range(facts: Iterable[Fact], step: Fraction | None) -> list[tuple[Fraction, bool]] | None:
    """Return the lower bound of the numbers and the upper one, negated, each with whether it is excluded.

    Where there is a step they are multiples of it, and not excluded. None unless both are bounded.
    """
    tightest: list[tuple[Fraction, bool]] = []
    for direction in (1, -1):
        bounds = []
        for keyword, sign, excluded in _BOUNDS:
            values = [*map(exact, given(facts, keyword, sign == direction))]
            bounds += [(direction * value, excluded == (sign == direction)) for value in values if value is not None]
        if not bounds:
            return None
        bound, excluded = max(bounds)
        if step is not None:
            first = -(-bound // step) * step
            bound, excluded = first + step if excluded and first == bound else first, False
        tightest.append((bound, excluded))
    return tightest


def whole_numbers(facts: Iterable[Fact], draft: int) -> range | None:
    """Return all numbers that the facts admit, where they are whole and between two bounds; there may be fewer.

    None for too many, and in draft 4 for numbers that need not be integers, as 1.0 is another value than 1 there.
    """
    step = step_of(facts)
    if step is None or step.denominator > 1 or not (draft or any(map(integer_only, facts))):
        return None
    bounds = number_range(facts, step)
    if bounds is None:
        return None
    low, high = int(bounds[0][0]), -int(bounds[1][0])
    few = low > -(2**53) and high < 2**53 and high - low < MOST_LISTED * int(step)
    return range(low, high + 1, int(step)) if few else None


def numbers_apart(facts: Iterable[Fact], draft: int) -> bool:
    step = step_of(facts)
    divided = [exact(value) for value in given(facts, "multipleOf", False)]
    if any(step and other and step % other == 0 for other in divided):
        return True
    if (bounds := number_range(facts, step)) is not None:
        (low, above), (high, below) = bounds
        if low > -high or (low == -high and (above or below)):
            return True
    if not any("integer" in names for names in given(facts, "type", False)):
        return False
    # In draft 4, 1.0 is not an integer, although it is a multiple of 1, and a list with 1 allows it.
    lists = [[value for value in values if type_of(value) == "number"] for values in given(facts, "enum")]
    integers = (step is not None and step.denominator == 1) or any(all(type(v) is int for v in vs) for vs in lists)
    return any(map(integer_only, facts)) or (draft > 0 and integers)


def strings_apart(facts: Iterable[Fact], draft: int) -> bool:
    low, high = limits(facts, "minLength", "maxLength")
    refused = [fact for fact in facts if not fact.holds]
    return low > high or any(_same_text(given_, fact) for fact in refused for given_ in facts if given_.holds)


def _same_text(fact: Fact, refused: Fact) -> bool:
    """Return True if a fact holds that is refused, as both are written alike."""
    together = next((group for group in _SAME_TEXT if refused.schema.keys() <= group), ())
    if not together or any(fact.schema.get(name) != refused.schema.get(name) for name in together):
        return False
    if "pattern" not in together:
        return True
    if fact.side.reads_as(refused.side):
        return True
    return "ecma" not in (fact.side.reading, refused.side.reading) and "$" not in refused.schema["pattern"]


_SAME_TEXT = ({"format"}, {"pattern"}, {"contentEncoding", "contentMediaType"})


def arrays_apart(facts: Iterable[Fact], draft: int) -> bool:
    low, high = item_counts(facts)
    unique = high <= 1 or any(given(facts, "uniqueItems"))
    return low > high or (unique and any(given(facts, "uniqueItems", False)))


def property_counts(facts: Iterable[Fact]) -> tuple[float, float]:
    low, high = limits(facts, "minProperties", "maxProperties")
    lists = [len(fact.schema.get("properties", ())) for fact in facts if closed(fact)]
    return max(low, len(required(facts))), min([high, *lists])


_OF_PROPERTIES = {"properties", "patternProperties", "additionalProperties", "propertyNames"}

_OF_PROPERTIES |= {"dependencies", "dependentRequired", "dependentSchemas"}


def objects_apart(facts: Iterable[Fact], draft: int) -> bool:
    low, high = property_counts(facts)
    if low > high or any(required(facts).issuperset(names) for names in given(facts, "required", False)):
        return True
    return high == 0 and any(fact.schema.keys() <= _OF_PROPERTIES for fact in facts if not fact.holds)


_APART: dict[str, Callable[[Iterable[Fact], int], bool]] = {
    "null": lambda *_: False, "boolean": lambda *_: False, "number": numbers_apart, "string": strings_apart,
    "array": arrays_apart, "object": objects_apart,
}  # fmt: skip


def apart(facts: Facts, name: str, draft: int) -> bool:
    """Return True if single keywords of the facts contradict each other for values of the type."""
    if name not in facts.types or _APART[name](facts, draft):
        return True
    lists = [fact for fact in facts if "enum" in fact.schema and (fact.holds or len(fact.schema) == 1)]
    refused, held = ([_keys(fact, name) for fact in lists if fact.holds is holds] for holds in (False, True))
    if refused:
        held += [{equality_key(value)} for value in only_value(facts, name)]
    return any(values >= listed for listed in held for values in refused)


def only_value(facts: Facts, name: str | None) -> list[Any]:
    """Return a list of the value of the type that holds nothing, where the facts admit no other; else an empty one."""
    return [_COUNTED[name][1]] if name in _COUNTED and _COUNTED[name][0](facts)[1] == 0 else []


_COUNTED: dict[str, tuple[Callable[[Iterable[Fact]], tuple[float, float]], Any]] = {
    "string": (lambda facts: limits(facts, "minLength", "maxLength"), ""),
    "array": (item_counts, []),
    "object": (property_counts, {}),
}
"""By type, the limits of what a value holds, and the only value that holds nothing."""


def _keys(fact: Fact, name: str) -> set[Any]:
    return fact.side.view.keys(fact.schema["enum"]).get(name, set())
