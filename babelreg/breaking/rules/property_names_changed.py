"""Which names, or how many, an object may have changed.

One side sends properties that the other side's `additionalProperties`, `propertyNames`, `maxProperties` or its kin
refuses.

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


def name(shown: RefusedDocument) -> Change | None:
    """See NamingRule."""
    if shown.keyword not in _KEYWORDS:
        return None
    if shown.keyword in ("minProperties", "maxProperties"):
        message = shown.bound()
    else:
        what = "no longer takes" if shown.backward else "now admits"
        message = f"{shown.subject} {what} {shown.value_spelled} ({shown.keyword})"
    return shown.change(message, *_KEYWORDS, keep="keep the published names and counts")
