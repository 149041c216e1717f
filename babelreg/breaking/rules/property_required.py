"""A property became required.

Producers that run with the published schema may leave it out, and so may every message that is still queued or
stored. New readers refuse all of these.

Bad::

    # before
    data:
      type: object
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

Good::

    # before
    data:
      type: object
      properties:
        order_id: {type: integer}
        total: {type: integer}
    # after
    data:
      type: object
      properties:
        order_id: {type: integer}
        total: {type: integer, default: 0}
"""

from __future__ import annotations

from babelreg.breaking.rules.rule import Change, Shown
from babelreg.finding import Severity

severity = Severity.ERROR


def name(shown: Shown) -> Change | None:
    """See NamingRule."""
    missing = shown.missing
    if missing is None or not shown.backward:
        return None
    known = missing in shown.pair.old_fields
    message = f"property '{missing}' became required" if known else f"required property '{missing}' was added"
    keep = "make it optional again" if known else "make it optional"
    return shown.change(message, "required", keep=keep, fields=(missing,))
