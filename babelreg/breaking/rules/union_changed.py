"""The alternatives of a value changed.

One side sends an alternative that the other side's `anyOf`, `oneOf`, `not` or condition refuses, or that two branches
of a `oneOf` admit at once.

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

    Keep the published alternatives, or mint the next version.
"""

from __future__ import annotations

from typing import Any

from babelreg.breaking.rules.rule import Change, RefusedDocument, definition_name
from babelreg.finding import Severity
from babelreg.schema.keywords import DEPENDENT, IN_PLACE

severity = Severity.ERROR


_MAX_NAMES = 4
_MAX_TITLE = 40
_KEYWORDS = IN_PLACE - set(DEPENDENT)


def name(example: RefusedDocument) -> Change | None:
    if example.keyword not in _KEYWORDS:
        return None
    what = "may no longer be" if example.backward else "may now be"
    message = f"{example.subject} {what} {example.value_described} ({_keyword(example)}{_twice(example)})"
    return example.change(message, *_KEYWORDS, keep="keep the published variants")


def _keyword(example: RefusedDocument) -> str:
    """Return the refusing keyword, with the names of its variants where each has one."""
    variants = example.limit if isinstance(example.limit, list) else []
    names = [_variant_name(variant) for variant in variants]
    if not names or None in names or len(names) > _MAX_NAMES:
        return example.keyword
    return f"{example.keyword} of {' | '.join(map(str, names))}"


def _variant_name(variant: Any) -> str | None:
    """Return the name of the definition that a variant refers to, or its title."""
    if not isinstance(variant, dict):
        return None
    title = variant.get("title")
    return definition_name(variant.get("$ref")) or (
        title if isinstance(title, str) and len(title) <= _MAX_TITLE else None
    )


def _twice(example: RefusedDocument) -> str:
    """A value that two branches of a ``oneOf`` take is refused for that alone."""
    return (
        ", because two variants accept it"
        if example.keyword == "oneOf" and "more than one" in example.refusal.message
        else ""
    )
