"""The format of a text changed.

Formats are asserted everywhere at run time: with `format: date`, `email` or `uri`, any other text is refused.

Bad::

    # before
    data:
      type: object
      properties:
        contact: {type: string}
    # after
    data:
      type: object
      properties:
        contact: {type: string, format: email}

Good::

    # before
    data:
      type: object
      properties:
        contact: {type: string}
    # after
    data:
      type: object
      properties:
        contact: {type: string, description: An e-mail address.}

Fix::

    Keep the published format. Put a stricter or different format into the next version, or into a new property.
"""

from __future__ import annotations

from babelreg.breaking.rules.rule import Change, RefusedDocument
from babelreg.finding import Severity

severity = Severity.ERROR


_KEYWORDS = ("format",)


def name(example: RefusedDocument) -> Change | None:
    if example.keyword not in _KEYWORDS:
        return None
    return example.limit_change(*_KEYWORDS)
