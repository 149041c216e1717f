"""Sets of code points, as sorted ranges that do not touch, and the partition that several of them make."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cache

from babelreg.schema.regex.character_classes import CLASSES

__all__ = ["CodePoints", "Partition", "complement", "named", "single", "span", "union"]

CodePoints = tuple[tuple[int, int], ...]
"""The first and the last code point of each range."""

_LAST = 0x10FFFF


def single(character: str) -> CodePoints:
    """Return the set of one character."""
    return span(character, character)


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


class Partition:
    """The coarsest partition of all code points in which each of ``sets`` is a union of parts.

    Two characters of one part are in the same sets, so an automaton needs one symbol for all of them.
    """

    def __init__(self, sets: Iterable[CodePoints]) -> None:
        members = list(dict.fromkeys(sets))
        changes: dict[int, int] = {0: 0}
        for number, points in enumerate(members):
            for first, last in points:
                changes[first] = changes.get(first, 0) ^ 1 << number
                if last < _LAST:
                    changes[last + 1] = changes.get(last + 1, 0) ^ 1 << number
        self._starts = sorted(changes)
        self._parts: list[int] = []
        by_membership: dict[int, int] = {}
        membership = 0
        for start in self._starts:
            membership ^= changes[start]
            self._parts.append(by_membership.setdefault(membership, len(by_membership)))
        self.count = len(by_membership)
        self._of = {
            points: tuple(part for held, part in by_membership.items() if held >> number & 1)
            for number, points in enumerate(members)
        }

    def of(self, points: CodePoints) -> Sequence[int]:
        """Return the numbers of the parts that make up ``points``, one of the sets given."""
        return self._of[points]

    def part(self, character: str) -> int:
        """Return the number of the part that holds ``character``."""
        return self._parts[bisect_right(self._starts, ord(character)) - 1]
