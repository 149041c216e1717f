"""The pattern of a text changed.

A narrower pattern refuses texts that are still sent; a wider or removed one lets producers send texts that published
readers refuse.

Bad::

    # before
    data:
      type: object
      properties:
        sku: {type: string, pattern: "^[A-Z]+$"}
    # after
    data:
      type: object
      properties:
        sku: {type: string, pattern: "^[0-9]+$"}

Good::

    # before
    data:
      type: object
      properties:
        sku: {type: string, pattern: "^[A-Z]+$"}
    # after
    data:
      type: object
      properties:
        sku: {type: string, pattern: "^[A-Z]+$", description: Article number.}

Fix::

    Keep the published pattern, or mint the next version.
"""

from __future__ import annotations

from babelreg.breaking.rules.rule import Change, RefusedDocument
from babelreg.finding import Severity

severity = Severity.ERROR


_KEYWORDS = ("pattern",)


def name(example: RefusedDocument) -> Change | None:
    if example.keyword not in _KEYWORDS:
        return None
    return example.limit_change(*_KEYWORDS)
