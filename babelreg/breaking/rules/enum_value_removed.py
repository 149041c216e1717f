"""A value was removed from an enumeration.

Producers may still send it, and queued and stored messages contain it. New readers refuse these messages. Adding a list
where any value was allowed has the same effect.

Bad::

    # before
    data:
      type: object
      properties:
        channel: {type: string, enum: [web, app]}
    # after
    data:
      type: object
      properties:
        channel: {type: string, enum: [web]}

Good::

    # before
    data:
      type: object
      properties:
        channel: {type: string, enum: [web, app]}
    # after
    data:
      type: object
      properties:
        channel: {type: string, enum: [web, app], description: app is gone by 2099.}

Fix::

    Restore the value and note in the description that it is no longer sent. Remove it in the next version.
"""

from __future__ import annotations

from babelreg.breaking.rules.rule import Change, RefusedDocument, values_spelled
from babelreg.finding import Severity

severity = Severity.ERROR


def name(example: RefusedDocument) -> Change | None:
    if example.keyword not in ("enum", "const") or not example.backward:
        return None
    other = example.sending_keyword("enum", "const")
    if other is None:
        listed = values_spelled(example.limit_values())
        return example.change(f"{example.subject} became limited to {listed}", keep="remove the list again")
    values = example.other_values()
    were, them = ("was", values_spelled(values)) if len(values) == 1 else ("were", "them")
    message = f"{values_spelled(values)} of {example.subject} {were} removed"
    return example.change(message, "enum", "const", keep=f"restore {them}")
