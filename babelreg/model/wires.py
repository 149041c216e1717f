"""Names that messages have in other wire formats: the ``wires:`` block of a registry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Wires"]


@dataclass(frozen=True, slots=True)
class Wires:
    """The URNs of foreign names. All blocks are empty where the registry maps nothing.

    ``flowlayer`` is ``{"commands" | "events": {name: URN}}``, ``phpmq`` is ``{"queues": {name: URN}}``, ``strata`` is
    ``{context: {operation: {"request" | "response" | "post": URN}}}``. ``wire.mapping.UrnMapping.of`` takes a block.
    """

    flowlayer: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    phpmq: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    strata: Mapping[str, Mapping[str, Mapping[str, str]]] = field(default_factory=dict)

    def block(self, wire: str) -> Mapping[str, Mapping[str, Any]]:
        """Return the block of the wire format of that name; empty for a format that takes no mapping."""
        return self.blocks.get(wire, {})

    @property
    def blocks(self) -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
        """The blocks by the name of their format, in the order in which they are written."""
        return {"flowlayer": self.flowlayer, "phpmq": self.phpmq, "strata": self.strata}
