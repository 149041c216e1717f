"""Names that messages have in a foreign wire format: those that `wires:` of the registry maps."""

from __future__ import annotations

from babelreg.model import Registry
from babelreg.wire.mapping import Key, UrnMapping

__all__ = ["wire_names"]


def wire_names(registry: Registry, wire: str) -> dict[str, Key]:
    """Return the name of each message that travels in ``wire``, by URN; see ``wire.mapping`` for its parts."""
    return dict(UrnMapping.of(registry.settings.wires.block(wire)).keys)
