"""The allowed length of a text changed.

A tighter bound refuses texts that are still sent; a looser one allows texts that published readers refuse, or truncate
in a column of fixed width.

Bad::

    # before
    data:
      type: object
      properties:
        sku: {type: string, maxLength: 20}
    # after
    data:
      type: object
      properties:
        sku: {type: string, maxLength: 12}

Good::

    # before
    data:
      type: object
      properties:
        sku: {type: string, maxLength: 20}
    # after
    data:
      type: object
      properties:
        sku: {type: string, maxLength: 20, description: Article number.}

Fix::

    Keep the published length, or mint the next version. Allow longer texts once every consumer accepts them.
"""

from __future__ import annotations

from babelreg.breaking.rules.rule import Change, RefusedDocument
from babelreg.finding import Severity

severity = Severity.ERROR


_KEYWORDS = ("minLength", "maxLength")


def name(example: RefusedDocument) -> Change | None:
    if example.keyword not in _KEYWORDS:
        return None
    return example.limit_change(*_KEYWORDS)
