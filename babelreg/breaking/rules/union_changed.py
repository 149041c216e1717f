"""The variants of a value changed.

One side sends a variant that the other side's `anyOf`, `oneOf`, `not` or condition does not admit, or that two
branches of a `oneOf` admit at once.

Bad::

    # before
    data:
      type: object
      properties:
        ref: {anyOf: [{type: integer}, {type: string}]}
    # after
    data:
      type: object
      properties:
        ref: {anyOf: [{type: integer}]}

Good::

    # before
    data:
      type: object
      properties:
        ref: {anyOf: [{type: integer}, {type: string}]}
    # after
    data:
      type: object
      properties:
        ref: {anyOf: [{type: integer}, {type: string}], description: Order or article.}

Fix::

    Keep the published variants, or mint the next version.
"""

from __future__ import annotations

from babelreg.breaking.rules.rule import Change, RefusedDocument
from babelreg.finding import Severity
from babelreg.schema.keywords import DEPENDENT, IN_PLACE

severity = Severity.ERROR


_KEYWORDS = IN_PLACE - set(DEPENDENT)


def name(example: RefusedDocument) -> Change | None:
    """See NamingRule."""
    if example.keyword not in _KEYWORDS:
        return None
    what = "may no longer be" if example.backward else "may now be"
    message = f"{example.subject} {what} {example.value_spelled} ({example.keyword}{_twice(example)})"
    return example.change(message, *_KEYWORDS, keep="keep the published variants")


def _twice(example: RefusedDocument) -> str:
    """A value that two branches of a ``oneOf`` take is refused for that alone."""
    return (
        ", for two variants take it"
        if example.keyword == "oneOf" and "more than one" in example.refusal.message
        else ""
    )
