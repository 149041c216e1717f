"""A value was added to an enumeration.

Consumers with the published schema know a closed list of values and refuse the new one. If you expect more values,
declare it early: an enum beside `x-open-enum: true` refuses no new value.

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

    If readers can handle unknown values, set `x-open-enum: true` before the first new one is sent. Otherwise mint the
    next version.
"""

from __future__ import annotations

from babelreg.breaking.rules.rule import Change, RefusedDocument, values_spelled
from babelreg.finding import Severity

severity = Severity.ERROR


def name(example: RefusedDocument) -> Change | None:
    if example.keyword not in ("enum", "const") or example.backward:
        return None
    other = example.sending_keyword("enum", "const")
    if other is None:
        listed = values_spelled(example.limit_values())
        return example.change(f"{example.subject} is no longer limited to {listed}", keep="restore the list")
    values = example.other_values()
    were, them = ("was", values_spelled(values)) if len(values) == 1 else ("were", "the new values")
    message = f"{values_spelled(values)} of {example.subject} {were} added"
    return example.change(message, "enum", "const", keep=f"remove {them} again")
