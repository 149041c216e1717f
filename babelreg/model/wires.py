"""Names that messages have in other wire formats: the ``wires:`` block of a registry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Wires(NamedTuple):
    """The blocks by the name of their format, as the schema of the settings allows them.

    A block has the URNs of foreign names, or settings of a format whose messages carry URNs: ``names`` of each format
    describes it.
    """

    blocks: Mapping[str, Mapping[str, Any]] = {}

    def block(self, wire: str) -> Mapping[str, Any]:
        """Return the block of the wire format of that name; empty where the registry has none."""
        return self.blocks.get(wire, {})
