"""A message that one side sends is refused by the other, and no specific rule applies.

The witness shows it: a document that one schema allows and the other refuses, confirmed by two independent validators.

Bad::

    # before
    data:
      type: object
      properties:
        pair: {type: array, prefixItems: [{type: integer}]}
    # after
    data:
      type: object
      properties:
        pair: {type: array, prefixItems: [false]}

Good::

    # before
    data:
      type: object
      properties:
        pair: {type: array, prefixItems: [{type: integer}]}
    # after
    data:
      type: object
      properties:
        pair: {type: array, prefixItems: [{type: integer}], description: A pair.}

Fix::

    Undo the change, or mint the next version. The finding shows a message that one side sends and the other refuses.
"""

from __future__ import annotations

from babelreg.breaking.rules.rule import Change, RefusedDocument
from babelreg.finding import Severity

severity = Severity.ERROR


def name(example: RefusedDocument) -> Change | None:
    what = "is refused by the new schema" if example.backward else "is refused by the published schema"
    message = f"{example.subject} {example.value_spelled} {what} ({example.keyword})"
    return example.change(message, example.keyword, keep="undo the change")
