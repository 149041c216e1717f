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


def name(example: RefusedDocument) -> Change | None:
    """See NamingRule."""
    if example.keyword != "type":
        return None
    before, after = _others(example), _types(example.limit)
    if not example.backward:
        before, after = after, before
    message = f"the type of {example.subject} changed from {_named(before)} to {_named(after)}"
    return example.change(message, "type", keep=f"keep {_named(before)} as its type")


def _others(example: RefusedDocument) -> list[str]:
    """The types on the other side: those said at the same place, else in all variants of a union."""
    other = example.sending_keyword("type")
    if other is not None and other[0] == example.refusal.pointer:
        return _types(other[1])
    every = list(dict.fromkeys(name for said in example.sending_values("type") for name in _types(said)))
    # Where only a variant beside it says so, the place itself said nothing.
    return [] if every == _types(example.limit) else every


def _types(said: object) -> list[str]:
    return list(map(str, said)) if isinstance(said, list) else [str(said)]


def _named(types: list[str]) -> str:
    return " or ".join(types) or "any type"
