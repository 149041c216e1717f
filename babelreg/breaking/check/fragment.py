"""A change inside a shared fragment, told in the words of the fragment: ``minor``, not ``total.minor``.

So it reads the same whichever message it was found in, and can be one finding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from babelreg.breaking.containment.fields import spelled
from babelreg.breaking.rules.rule import Change
from babelreg.model import Message
from babelreg.schema.pointer import Pointer

__all__ = ["brought_in", "told_within"]

_BY_NAME = ("properties", "patternProperties", "dependentSchemas", "dependencies")
_BY_INDEX = ("allOf", "anyOf", "oneOf")
_IN_PLACE = ("not", "if", "then", "else")
_ITEMS = ("items", "additionalItems", "contains", "unevaluatedItems")
_VALUES = ("additionalProperties", "unevaluatedProperties")
_LISTS_NAMES = ("required", "dependentRequired")
_ITEM, _VALUE = 0, "*"


def brought_in(message: Message, pointer: Pointer) -> str | None:
    """The path of the fragment that ``pointer`` leads into, in the bundled schema of ``message``; None where it stays
    in the message's own file.
    """
    origin = message.origins.get(str(pointer[1])) if len(pointer) > 1 and pointer[0] == "$defs" else None
    return origin.path if origin is not None else None


def told_within(change: Change, path: str) -> Change:
    """``change``, which stands in the fragment ``path``, with its fields named as they stand there."""
    places = (change.old, change.new) if len(change.fields) > 1 else (change.new,)
    message, keep = change.message, change.keep
    for field, place in zip(change.fields, places, strict=False):
        if field and place[:1] == ("$defs",):
            there = _named(place[2:], field, path)
            for mine, its in ((field, there), (_holder(field) or field, _holder(there) or path)):
                message = message.replace(f"'{mine}'", f"'{its}'")
                keep = keep.replace(f"'{mine}'", f"'{its}'") if keep else keep
    return replace(change, message=message, keep=keep)


def _named(pointer: Pointer, field: str, path: str) -> str:
    steps, rest = _steps(pointer)
    if rest[:1] and rest[0] in _LISTS_NAMES:
        return ".".join(filter(None, (spelled(steps), _last(field))))
    return spelled(steps) or path


def _last(field: str) -> str:
    """The last name of a field path; a dot within a name is written with a backslash before it."""
    holder = _holder(field)
    return field[len(holder) + 1 :] if holder else field


def _holder(field: str) -> str:
    """The path of what holds the field; empty where the data itself does."""
    start = len(field)
    while (at := field.rfind(".", 0, start)) > 0 and field[at - 1] == "\\":
        start = at
    return field[: max(at, 0)]


def _steps(pointer: Pointer) -> tuple[list[str | int], Sequence[str | int]]:
    """The steps into the data that ``pointer`` makes, and what is left of it from the first keyword that makes none."""
    steps: list[str | int] = []
    at = 0
    while at < len(pointer):
        keyword, named = str(pointer[at]), at + 1 < len(pointer)
        if keyword in ("$defs", "definitions") and named:
            steps, at = [], at + 2
        elif keyword in ("properties", "patternProperties") and named:
            steps.append(str(pointer[at + 1]) if keyword == "properties" else _VALUE)
            at += 2
        elif keyword == "prefixItems" and named:
            steps.append(_ITEM)
            at += 2
        elif (keyword in _BY_NAME or keyword in _BY_INDEX) and named:
            at += 2
        elif keyword in _IN_PLACE and named:
            at += 1
        elif keyword in _ITEMS and named:
            steps.append(_ITEM)
            at += 1
        elif keyword in _VALUES and named:
            steps.append(_VALUE)
            at += 1
        else:
            break
    return steps, pointer[at:]
