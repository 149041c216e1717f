"""Edits of one file of the registry, as data: a rule proposes them, ``load.yaml.editor`` applies them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from babelreg.schema.pointer import Pointer

__all__ = ["Edit"]


@dataclass(frozen=True, slots=True)
class Edit:
    """One change at ``pointer`` in the file ``path``, which is relative to the registry.

    ``replace`` puts ``value`` there, ``insert`` adds a member of a mapping with it (``pointer`` names mapping and key),
    ``remove`` takes the member or item away, ``rename`` spells its key as ``value`` says.
    """

    path: str
    kind: Literal["replace", "insert", "remove", "rename"]
    pointer: Pointer
    value: Any = None
