"""Candidate numbers: at the bounds of both sides and next to them, and multiples."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from babelreg.containment.search.node import Nodes
from babelreg.schema.values import is_number

_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_PLAIN_INTEGERS = (0, 1, -1, 2, 3, 7, 10, 1000, -1000)
_PLAIN_NUMBERS = (0.5, 1.5, -2.5, 0.1, 1e10)
_HUGE = 1e15


def numbers(alternative: Nodes, hints: Nodes, *, integer: bool) -> Iterator[int | float]:
    """Yield numbers for a node: with ``integer`` integral ones only, without it only others."""
    steps = [k for node in alternative if (k := _number(node.schema.get("multipleOf"))) is not None and k > 0]
    own_bounds, hint_bounds = _bounds(alternative), _bounds(hints)
    for bound in (*hint_bounds, *own_bounds):
        yield from _near(bound, steps, integer)
    for plain in _PLAIN_INTEGERS if integer else _PLAIN_NUMBERS:
        if not steps:
            yield plain
    for factor in (*steps, *(k for node in hints if (k := _number(node.schema.get("multipleOf"))) is not None)):
        for times in (0, 1, 2, 3, -1, 5, 7):
            product = factor * times
            if (product == int(product)) == integer:
                yield int(product) if integer else product


def _near(bound: int | float, steps: list[int | float], integer: bool) -> Iterator[int | float]:
    if steps:
        step = math.prod({int(s) if s == int(s) else s for s in steps})
        if step <= 0 or abs(bound / step) > _HUGE:
            return
        lowest = math.floor(bound / step)
        for product in (step * lowest, step * (lowest + 1), step * (lowest - 1)):
            if (product == int(product)) == integer:
                yield int(product) if integer else product
    elif integer:
        floor = math.floor(bound)
        yield from (floor, floor + 1, floor - 1)
    else:
        yield from (bound + 0.5, bound - 0.5, bound + 0.001, bound - 0.001)
        if bound != int(bound):
            yield bound


def _bounds(nodes: Nodes) -> list[int | float]:
    bounds: dict[int | float, None] = {}
    for node in nodes:
        for keyword in _BOUNDS:
            bound = _number(node.schema.get(keyword))
            if bound is not None:
                bounds[bound] = None
    return list(bounds)


def _number(value: Any) -> int | float | None:
    if not is_number(value) or abs(value) > 1e300:
        return None
    return value
