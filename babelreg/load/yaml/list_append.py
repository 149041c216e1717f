"""One more item in a list of a YAML file, laid out like those before it; every other byte stays."""

from __future__ import annotations

import copy
from typing import Any

from babelreg.load.yaml import parser
from babelreg.load.yaml.editor import Draft, checked
from babelreg.load.yaml.emitter import EditError, spell
from babelreg.schema import pointer as pointers
from babelreg.schema.pointer import Pointer

__all__ = ["append"]


def append(text: str, pointer: Pointer, item: Any) -> str:
    """Return ``text`` with ``item`` appended to the list at ``pointer``; a mapping of one key has no braces.

    Raises EditError when no list stands there, or it cannot be made longer in place.
    """
    draft = Draft(text)
    current = draft.there(pointer)
    if not isinstance(current, list):
        raise EditError(f"what stands at '{pointers.text(pointer)}' is no list")
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


def _spelled(item: Any) -> str:
    if isinstance(item, dict) and len(item) == 1:
        return "".join(f"{spell(str(key))}: {spell(value)}" for key, value in item.items())
    return spell(item)
