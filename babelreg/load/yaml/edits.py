"""Edits of YAML text in place: comments, quotes and every untouched byte survive.

Each edit is a function from text to text. It finds the position of the value, replaces only those characters, parses
the result and compares it with the intended value; an edit that would change anything else raises EditError.
``editor`` makes many edits at once.
"""

from __future__ import annotations

import copy
from typing import Any

from babelreg.load.yaml import parser
from babelreg.load.yaml.editor import Draft, checked
from babelreg.load.yaml.emitter import EditError, spell
from babelreg.model import Edit
from babelreg.schema import pointer as pointers
from babelreg.schema.pointer import Pointer

__all__ = ["EditError", "append", "insert", "remove", "replace", "spell"]


def replace(text: str, pointer: Pointer, value: Any) -> str:
    """Return ``text`` with the value at ``pointer`` replaced.

    Raises EditError when there is no such value.
    """
    return _edited(Draft(text), Edit("", "replace", pointer, value))


def insert(text: str, pointer: Pointer, value: Any, *, after: str | None = None, block: bool = False) -> str:
    """Return ``text`` with a new member of a mapping: ``pointer`` names mapping and key.

    It goes after the member ``after``, else to the end. ``block`` writes a list or mapping over several lines.
    Raises EditError when the key exists already, or its parent is not a mapping.
    """
    draft = Draft(text, lambda pointer, keys: after)
    draft.take([Edit("", "insert", pointer, value)], [draft.inserting(pointer, value, after, as_block=block)])
    return draft.result()


def remove(text: str, pointer: Pointer) -> str:
    """Return ``text`` without the member or item at ``pointer``, and without the comment on its line.

    Raises EditError when there is no such value.
    """
    return _edited(Draft(text), Edit("", "remove", pointer))


def append(text: str, pointer: Pointer, item: Any) -> str:
    """Return ``text`` with ``item`` appended to the list at ``pointer``, formatted like the items before it.

    A mapping of one key has no braces. Raises EditError when there is no list, or it cannot be extended in place.
    """
    draft = Draft(text)
    current = draft.there(pointer)
    if not isinstance(current, list):
        raise EditError(f"'{pointers.text(pointer)}' is not a list")
    wanted = copy.deepcopy(draft.value)
    pointers.find(wanted, pointer).append(item)
    if not current:
        splice = draft.replacing(pointer, [item])
        return checked(text[: splice.start] + splice.text + text[splice.end :], wanted)
    mark = parser.marks(text)
    for step in pointer:
        mark = mark.children[step]
    last = mark.children[len(current) - 1]
    end = last.start + len(text[last.start : last.end].rstrip())
    if mark.style == "[":
        return checked(f"{text[:end]}, {spell(item)}{text[end:]}", wanted)
    lead = text[text.rfind("\n", 0, last.start) + 1 : last.start]
    if lead.strip() != "-":
        raise EditError("this list shares its lines with others", fix="edit it by hand")
    at = text.find("\n", end)
    at = len(text) if at < 0 else at - 1 if text[at - 1] == "\r" else at
    newline = "\r\n" if "\r\n" in text else "\n"
    return checked(f"{text[:at]}{newline}{lead}{_spelled(item)}{text[at:]}", wanted)


def _edited(draft: Draft, edit: Edit) -> str:
    draft.take([edit], draft.plan([edit]))
    return draft.result()


def _spelled(item: Any) -> str:
    if isinstance(item, dict) and len(item) == 1:
        return "".join(f"{spell(str(key))}: {spell(value)}" for key, value in item.items())
    return spell(item)
