"""A value is new among those listed.

Consumers that run with the published schema know all values there can be, and refuse the new one. Where more values
are to be expected, say so in time: an enum beside `x-open-enum: true` refuses no new value.

Bad::

    # before
    data:
      type: object
      properties:
        channel: {type: string, enum: [web]}
    # after
    data:
      type: object
      properties:
        channel: {type: string, enum: [web, app]}

Good::

    # before
    data:
      type: object
      properties:
        channel: {type: string, enum: [web], x-open-enum: true}
    # after
    data:
      type: object
      properties:
        channel: {type: string, enum: [web, app], x-open-enum: true}

Fix::

    Where readers can live with values they do not know, say `x-open-enum: true` before the first new one comes. Else
    mint the next version.
"""

from __future__ import annotations

from babelreg.breaking.rules.rule import Change, RefusedDocument, short
from babelreg.finding import Severity

severity = Severity.ERROR


def name(shown: RefusedDocument) -> Change | None:
    """See NamingRule."""
    if shown.keyword not in ("enum", "const") or shown.backward:
        return None
    other = shown.other("enum", "const")
    if other is not None and other[0][-1] == shown.keyword == "const":
        return shown.change(shown.bound(), "const", keep=f"keep {short(shown.limit)}")
    if other is None:
        return shown.change(f"{shown.subject} is no longer limited to listed values", keep="put the list back")
    value = shown.value_spelled
    return shown.change(f"value {value} of {shown.subject} was added", "enum", "const", keep=f"take {value} out again")
