"""Candidate numbers: at the bounds of both sides and next to them, and multiples."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from babelreg.containment.search.node import Nodes
from babelreg.schema.values import is_number

_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_PLAIN_INTEGERS = (0, 1, -1, 2, 3, 7, 10, 1000, -1000)
_PLAIN_NUMBERS = (0.5, 1.5, -2.5, 0.1, 1e10)
_HUGE = 1e15
_LARGEST = 1e300


def numbers(alternative: Nodes, hints: Nodes, *, integer: bool) -> Iterator[int | float]:
    """Yield numbers for a node: with ``integer`` integral ones only, without it only others."""
    steps = [step for step in _numbers(alternative, "multipleOf") if step > 0]
    for bound in (*_numbers(hints, *_BOUNDS), *_numbers(alternative, *_BOUNDS)):
        yield from _near(bound, steps, integer)
    if not steps:
        yield from _PLAIN_INTEGERS if integer else _PLAIN_NUMBERS
    for factor in (*steps, *_numbers(hints, "multipleOf")):
        yield from _multiples(factor, (0, 1, 2, 3, -1, 5, 7), integer)


def _multiples(factor: int | float, times: Iterable[int], integer: bool) -> Iterator[int | float]:
    for product in (factor * number for number in times):
        if (product == int(product)) == integer:
            yield int(product) if integer else product


def _near(bound: int | float, steps: list[int | float], integer: bool) -> Iterator[int | float]:
    if steps:
        step = math.prod({int(s) if s == int(s) else s for s in steps})
        if step <= 0 or abs(bound / step) > _HUGE:
            return
        lowest = math.floor(bound / step)
        yield from _multiples(step, (lowest, lowest + 1, lowest - 1), integer)
    elif integer:
        floor = math.floor(bound)
        yield from (floor, floor + 1, floor - 1)
    else:
        yield from (bound + 0.5, bound - 0.5, bound + 0.001, bound - 0.001)
        if bound != int(bound):
            yield bound


def _numbers(nodes: Nodes, *keywords: str) -> list[int | float]:
    """Return the different numbers under the keywords."""
    values = (node.schema.get(keyword) for node in nodes for keyword in keywords)
    return list(dict.fromkeys(value for value in values if is_number(value) and abs(value) <= _LARGEST))
