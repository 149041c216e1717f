"""Edits of one file of the registry, as data: a rule proposes them, ``load.yaml.editor`` applies them."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from babelreg.schema.pointer import Pointer


class Edit(NamedTuple):
    """One change at ``pointer`` in the file ``path``, which is relative to the registry.

    ``replace`` puts ``value`` there, ``insert`` adds a member of a mapping with it (``pointer`` names mapping and key),
    and ``remove`` removes the member or item.
    """

    path: str
    kind: Literal["replace", "insert", "remove"]
    pointer: Pointer
    value: Any = None
