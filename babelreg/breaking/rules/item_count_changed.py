"""The allowed number of items of an array changed, or `uniqueItems`.

A tighter bound refuses arrays that are still sent; a looser one allows arrays that published readers refuse.

Bad::

    # before
    data:
      type: object
      properties:
        lines: {type: array, maxItems: 10, items: {type: integer}}
    # after
    data:
      type: object
      properties:
        lines: {type: array, maxItems: 5, items: {type: integer}}

Good::

    # before
    data:
      type: object
      properties:
        lines: {type: array, maxItems: 10, items: {type: integer}}
    # after
    data:
      type: object
      properties:
        lines: {type: array, maxItems: 10, items: {type: integer}, description: Article numbers.}

Fix::

    Keep the published bounds, or mint the next version.
"""

from __future__ import annotations

from babelreg.breaking.rules.rule import Change, RefusedDocument
from babelreg.finding import Severity

severity = Severity.ERROR


_KEYWORDS = ("minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains")


def name(example: RefusedDocument) -> Change | None:
    if example.keyword not in _KEYWORDS:
        return None
    return example.limit_change(*_KEYWORDS)
