"""The range or the step of a number changed.

A narrower range refuses numbers that are still sent; a wider one sends numbers that published readers refuse.

Bad::

    # before
    data:
      type: object
      properties:
        qty: {type: integer, minimum: 0}
    # after
    data:
      type: object
      properties:
        qty: {type: integer, minimum: 1}

Good::

    # before
    data:
      type: object
      properties:
        qty: {type: integer, minimum: 0}
    # after
    data:
      type: object
      properties:
        qty: {type: integer, minimum: 0, description: How many.}

Fix::

    Keep the published range, or mint the next version. Widen the range once every consumer accepts it.
"""

from __future__ import annotations

from babelreg.breaking.rules.rule import Change, RefusedDocument
from babelreg.finding import Severity

severity = Severity.ERROR


_KEYWORDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")


def name(example: RefusedDocument) -> Change | None:
    if example.keyword not in _KEYWORDS:
        return None
    return example.limit_change(*_KEYWORDS)
