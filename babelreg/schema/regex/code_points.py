"""Sets of code points, as sorted ranges that do not touch."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from babelreg.schema.regex.character_classes import CLASSES

CodePoints = tuple[tuple[int, int], ...]
"""The first and the last code point of each range."""

_LAST = 0x10FFFF


def span(first: str, last: str) -> CodePoints:
    """Return the set of all characters from ``first`` to ``last``."""
    return ((ord(first), ord(last)),)


@cache
def named(engine: str, name: str) -> CodePoints:
    """Return a class (``digit``, ``word``, ``space``, ``line_end``) as ``engine`` has it."""
    bounds = (item.partition("-") for item in CLASSES[engine][name].split())
    return tuple((int(first, 16), int(last or first, 16)) for first, _, last in bounds)


def union(sets: Iterable[CodePoints]) -> CodePoints:
    """Return the code points that are in any of the sets."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(item for points in sets for item in points):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return tuple(merged)


def complement(points: CodePoints) -> CodePoints:
    """Return all code points that are not in the set."""
    gaps = []
    start = 0
    for first, last in points:
        if first > start:
            gaps.append((start, first - 1))
        start = last + 1
    return (*gaps, (start, _LAST)) if start <= _LAST else tuple(gaps)
