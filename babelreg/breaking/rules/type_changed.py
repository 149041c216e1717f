"""The JSON type of a value changed, or the types that it may have.

One side sends a type that the other side refuses: a number instead of text, or null instead of a value.

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

    Keep the type, and add a new property with the other type. Or mint the next version; its `upcast` casts.
"""

from __future__ import annotations

from babelreg.breaking.rules.rule import Change, RefusedDocument
from babelreg.containment.accepted_types import accepted_types
from babelreg.finding import Severity

severity = Severity.ERROR


def name(example: RefusedDocument) -> Change | None:
    if example.keyword != "type":
        return None
    before, after = _of_both_sides(example)
    if not example.backward:
        before, after = after, before
    message = f"the type of {example.subject} changed from {_named(before)} to {_named(after)}"
    keep = f"keep {_named(before)} as its type" if before else "leave its type open"
    return example.change(message, "type", keep=keep)


def _of_both_sides(example: RefusedDocument) -> tuple[list[str], list[str]]:
    """Return the types on the sending and on the refusing side, as a reader of the two schemas would say them.

    Those at one pointer, where they differ: that is the edit. Else those that all variants of the value together have
    on each side. Else those of every part that has a type, as where a variant does not list the value at all.
    """
    other, limit = example.sending_keyword("type"), _types(example.limit)
    if other is not None and other[0] == example.refusal.pointer and _types(other[1]) != limit:
        return _types(other[1]), limit
    sending, refusing = (
        accepted_types(message.schema, example.refusal.instance) for message in (example.sending, example.refusing)
    )
    if sending != refusing:
        return sending, refusing
    names = list(dict.fromkeys(name for types in example.sending_values("type") for name in _types(types)))
    names.sort(key="null".__eq__)
    # Where only another variant has a type, there is none at the pointer itself.
    return ([] if names == limit else names), limit


def _types(types: object) -> list[str]:
    return list(map(str, types)) if isinstance(types, list) else [str(types)]


def _named(types: list[str]) -> str:
    return " or ".join(types) or "any type"
