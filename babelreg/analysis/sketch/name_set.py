"""Count of objects that have the same names of properties."""

from __future__ import annotations


class NameSet:
    """Objects that have the same names: their count, and the first and the last day on which they were sent."""

    __slots__ = ("count", "first", "last")

    def __init__(self, count: int, first: int, last: int) -> None:
        self.count = count
        self.first = first
        self.last = last

    def add(self, count: int, first: int, last: int) -> None:
        """Add ``count`` objects that were sent from ``first`` to ``last``."""
        self.count += count
        self.first = min(self.first, first)
        self.last = max(self.last, last)
