"""A value that was allowed is no longer among those listed.

Producers may still send it, and queued and stored messages contain it. New readers refuse these. A list that is new
where any value was allowed takes values away in the same manner.

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

    Put the value back and say in the description that it is not sent any more. Take it out in the next version.
"""

from __future__ import annotations

from babelreg.breaking.rules.rule import Change, RefusedDocument, short
from babelreg.finding import Severity

severity = Severity.ERROR


def name(example: RefusedDocument) -> Change | None:
    """See NamingRule."""
    if example.keyword not in ("enum", "const") or not example.backward:
        return None
    other = example.sending_keyword("enum", "const")
    if other is not None and other[0][-1] == example.keyword == "const":
        return example.change(example.limit_change(), "const", keep=f"keep {short(other[1])}")
    if other is None:
        return example.change(f"{example.subject} became limited to listed values", keep="take the list out again")
    value = example.value_spelled
    return example.change(f"value {value} of {example.subject} was removed", "enum", "const", keep=f"put {value} back")
