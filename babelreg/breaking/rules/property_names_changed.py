"""The allowed property names of an object, or their number, changed.

One side sends properties that the other side refuses by `additionalProperties`, `propertyNames`, `maxProperties` or the
like.

Bad::

    # before
    data:
      type: object
      additionalProperties: {type: integer}
    # after
    data:
      type: object
      additionalProperties: {type: integer}
      maxProperties: 2

Good::

    # before
    data:
      type: object
      additionalProperties: {type: integer}
    # after
    data:
      type: object
      additionalProperties: {type: integer}
      description: Stock by article.

Fix::

    Keep the published names and counts, or mint the next version.
"""

from __future__ import annotations

from babelreg.breaking.rules.rule import Change, RefusedDocument
from babelreg.finding import Severity

severity = Severity.ERROR


_KEYWORDS = (
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "patternProperties",
    "minProperties",
    "maxProperties",
)


def name(example: RefusedDocument) -> Change | None:
    if example.keyword not in _KEYWORDS:
        return None
    if example.keyword in ("minProperties", "maxProperties"):
        return example.limit_change(*_KEYWORDS)
    if example.keyword == "propertyNames" and (change := example.name_limit_change(*_KEYWORDS)):
        return change
    what = "may no longer be" if example.backward else "may now be"
    message = f"{example.subject} {what} {example.value_spelled} ({example.keyword})"
    return example.change(message, *_KEYWORDS, keep="keep the published names and counts")
