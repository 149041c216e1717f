"""A property is no longer required.

Consumers with the published schema rely on it. As soon as a producer omits it, they refuse the message.

Bad::

    # before
    data:
      type: object
      required: [total]
      properties:
        order_id: {type: integer}
        total: {type: integer}
    # after
    data:
      type: object
      properties:
        order_id: {type: integer}
        total: {type: integer}

Good::

    # before
    data:
      type: object
      required: [total]
      properties:
        order_id: {type: integer}
        total: {type: integer}
    # after
    data:
      type: object
      required: [total]
      properties:
        order_id: {type: integer}
        total: {type: integer}
        note: {type: string}

Fix::

    Keep it required, or mint the next version. Consumers that do not need it can migrate to that version.
"""

from __future__ import annotations

from dataclasses import replace

from babelreg.breaking.rules.rule import Change, OfSeveral, RefusedDocument
from babelreg.finding import Severity

severity = Severity.ERROR


def name(example: RefusedDocument) -> Change | None:
    missing = example.missing
    if missing is None or example.backward:
        return None
    message = f"property '{missing}' is no longer required"
    change = example.change(message, "required", keep="require it again", fields=(missing,))
    several = OfSeveral("properties {} are no longer required", "require them again", change.new)
    return replace(change, several=several)
