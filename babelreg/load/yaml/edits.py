"""Changes to YAML text at positions: comments, quotes and every untouched byte survive.

Each edit is a function from text to text. It looks up where the value stands, replaces just those characters, reads
the result again and compares it with what was meant; an edit that would have changed anything else raises EditError and
nothing is lost. ``draft`` makes many edits at once.
"""

from __future__ import annotations

from typing import Any

from babelreg.load.yaml.editor import Draft
from babelreg.load.yaml.emitter import EditError, spell
from babelreg.model import Edit
from babelreg.schema.pointer import Pointer

__all__ = ["EditError", "insert", "remove", "rename_key", "replace", "spell"]


def replace(text: str, pointer: Pointer, value: Any) -> str:
    """Return ``text`` with the value at ``pointer`` replaced.

    Raises EditError when nothing stands there.
    """
    return _edited(Draft(text), Edit("", "replace", pointer, value))


def insert(text: str, pointer: Pointer, value: Any, *, after: str | None = None, block: bool = False) -> str:
    """Return ``text`` with a new member of a mapping: ``pointer`` names mapping and key.

    It is put behind the member ``after``, else at the end. ``block`` writes a list or mapping over several lines.
    Raises EditError when the key is there already, or its parent is no mapping.
    """
    draft = Draft(text, lambda pointer, keys: after)
    draft.take([Edit("", "insert", pointer, value)], [draft.inserting(pointer, value, after, as_block=block)])
    return draft.result()


def remove(text: str, pointer: Pointer) -> str:
    """Return ``text`` without the member or item at ``pointer``, and without the comment on its line.

    Raises EditError when nothing stands there.
    """
    return _edited(Draft(text), Edit("", "remove", pointer))


def rename_key(text: str, pointer: Pointer, key: str) -> str:
    """Return ``text`` with the key at ``pointer`` spelled ``key``; its value and its place stay.

    Raises EditError when the key is there already, or nothing stands at ``pointer``.
    """
    return _edited(Draft(text), Edit("", "rename", pointer, key))


def _edited(draft: Draft, edit: Edit) -> str:
    draft.take([edit], draft.plan([edit]))
    return draft.result()
