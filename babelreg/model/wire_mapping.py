"""The names of a registry's messages in one wire format, in both directions."""

from __future__ import annotations

from babelreg.model.registry import Registry
from babelreg.wire.formats import find
from babelreg.wire.mapping import UNMAPPED, Key, UrnMapping


def declared_names(registry: Registry) -> dict[str, str]:
    """Return the URN of each name that a message may be sent under."""
    return {name: message.urn for name, message in registry.by_name.items()}


def wire_mapping(registry: Registry, wire: str) -> UrnMapping:
    """Return the mapping between the names in ``wire`` and URNs; an empty one for a format without names."""
    names = find(wire).names
    return UNMAPPED if names is None else names.mapping(registry.settings.wires.block(wire), declared_names(registry))


def keys_by_urn(registry: Registry, wire: str) -> dict[str, Key]:
    """Return the key of each message that travels in ``wire``, by URN."""
    names = find(wire).names
    if names is None:
        return {}
    block = registry.settings.wires.blocks.get(wire)
    return names.travelling(wire_mapping(registry, wire), block, declared_names(registry))


def wire_notes(registry: Registry, wire: str) -> list[str]:
    """Return what a summary says of messages that were read in ``wire``."""
    names = find(wire).names
    return [] if names is None else names.notes(wire_mapping(registry, wire))
