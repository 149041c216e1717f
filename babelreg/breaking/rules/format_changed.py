"""The format of a text changed.

Formats are asserted everywhere at run time: a text that is not a date, an e-mail address or a URI is refused
where the format asks for one.

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

    Keep the published format. A stricter or other format comes with the next version, or with a property of its own.
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
