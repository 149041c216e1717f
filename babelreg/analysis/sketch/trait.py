"""Traits of the values at a place, which a sketch keeps as bits."""

from __future__ import annotations


class Trait:
    """Bits that say what some values at a place are: they bound the numbers, and exclude a format."""

    NEGATIVE = 1
    UNSAFE = 2
    """An integer that a double does not hold."""
    BEYOND_INT64 = 4
    DECIMAL = 8
    """A number that no double returns."""
    FRACTION = 16
    """A number that is not whole: 1.0 is."""
    BELOW_SAFE = 32
    ABOVE_SAFE = 64
    """A number beyond the integers that a double holds."""
    NO_URI = 128
    """A text that is no URI, not even one that does not look like it."""
