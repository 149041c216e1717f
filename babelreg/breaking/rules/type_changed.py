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

from babelreg.breaking.rules.rule import Change, RefusedDocument
from babelreg.finding import Severity

severity = Severity.ERROR


def name(shown: RefusedDocument) -> Change | None:
    """See NamingRule."""
    if shown.keyword != "type":
        return None
    before, after = _others(shown), _types(shown.limit)
    if not shown.backward:
        before, after = after, before
    message = f"the type of {shown.subject} changed from {_named(before)} to {_named(after)}"
    return shown.change(message, "type", keep=f"keep {_named(before)} as its type")


def _others(shown: RefusedDocument) -> list[str]:
    """The types on the other side: those said at the same place, else in all variants of a union."""
    other = shown.other("type")
    if other is not None and other[0] == shown.refusal.pointer:
        return _types(other[1])
    every = list(dict.fromkeys(name for said in shown.others("type") for name in _types(said)))
    # Where only a variant beside it says so, the place itself said nothing.
    return [] if every == _types(shown.limit) else every


def _types(said: object) -> list[str]:
    return list(map(str, said)) if isinstance(said, list) else [str(said)]


def _named(types: list[str]) -> str:
    return " or ".join(types) or "any type"
