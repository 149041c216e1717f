"""Floats without a fraction as integers: in JSON Schema 1.0 and 1 are one number, so they are stored as one.

Recursive, and with a limit of digits: it runs for each row of Spark, where ``schema.values.rebuilt`` takes four times
as long.
"""

from __future__ import annotations

from decimal import Decimal
from itertools import count
from typing import Any

from babelreg.schema.values import as_integer, is_integral
from babelreg.typemap.spark.values import Unstorable

_LARGE = 2.0**64
_MOST_LARGE = 100_000
"""Limit of the numbers beyond 64 bits in a document: 6 bytes of a message become up to 309 digits."""

MIN_GROWING_BYTES = 5 * _MOST_LARGE
"""JSON of fewer bytes cannot reach that limit."""


def floats_as_integers(value: Any) -> Any:
    """Return ``value`` with every float without a fraction as an integer; ``value`` itself is not changed.

    Raises Unstorable where there are so many large ones that their digits would fill the memory; RecursionError.
    """
    large = count(1)

    def walk(value: Any) -> Any:
        if type(value) is float:
            if not value.is_integer():
                return value
            if not -_LARGE < value < _LARGE and next(large) > _MOST_LARGE:
                raise Unstorable("unstorable_size")
            return as_integer(value)
        if type(value) is dict:
            return {name: walk(item) for name, item in value.items()}
        if type(value) is list:
            return [walk(item) for item in value]
        return int(value) if type(value) is Decimal and is_integral(value) else value

    return walk(value)
