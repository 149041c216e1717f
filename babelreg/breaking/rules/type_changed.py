"""A value has another JSON type, or more or fewer of them.

One side sends a type that the other side refuses: a number where text was agreed on, or null where there always was a
value.

Bad::

    # before
    data:
      type: object
      properties:
        order_id: {type: integer}
    # after
    data:
      type: object
      properties:
        order_id: {type: string}

Good::

    # before
    data:
      type: object
      properties:
        order_id: {type: integer}
    # after
    data:
      type: object
      properties:
        order_id: {type: integer}
        order_number: {type: string}

Fix::

    Keep the type, and add a property of the other type beside it. Or mint the next version; its `upcast` casts.
"""

from __future__ import annotations

from babelreg.breaking.rules.rule import Change, Shown
from babelreg.finding import Severity

severity = Severity.ERROR


def name(shown: Shown) -> Change | None:
    """See NamingRule."""
    if shown.keyword != "type":
        return None
    other = shown.other("type")
    before, after = (_named(other[1]) if other else "any type", _named(shown.limit))
    if not shown.backward:
        before, after = after, before
    message = f"the type of {shown.subject} changed from {before} to {after}"
    return shown.change(message, "type", keep=f"keep {before} as its type")


def _named(said: object) -> str:
    return " or ".join(map(str, said)) if isinstance(said, list) else str(said)
