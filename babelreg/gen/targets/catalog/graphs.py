"""Graphs of the catalog: services that send, messages or contexts, services that receive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from babelreg.gen.targets.catalog.layers import Edge, layout

__all__ = ["MAX_NODES", "graph", "overview"]

MAX_NODES = 60
"""The most nodes in a layer: nobody reads a larger drawing, a table says the same."""


def graph(messages: Mapping[str, Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the graph of entries by URN, or None where it is empty or too large to read."""
    return _drawn(
        "message",
        ((name, urn) for urn, entry in messages.items() for name in entry.get("producers", ())),
        ((urn, name) for urn, entry in messages.items() for name in entry.get("consumers", ())),
    )


def overview(messages: Mapping[str, Mapping[str, Any]], contexts: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the graph of all messages, or that of their contexts where there are too many messages.

    ``contexts`` has the context of each URN.
    """
    return graph(messages) or _drawn(
        "context",
        ((name, contexts[urn]) for urn, entry in messages.items() for name in entry.get("producers", ())),
        ((contexts[urn], name) for urn, entry in messages.items() for name in entry.get("consumers", ())),
    )


def _drawn(kind: str, sent: Iterable[Edge], received: Iterable[Edge]) -> dict[str, Any] | None:
    before, after = set(sent), set(received)
    senders, receivers = {source for source, _ in before}, {target for _, target in after}
    middle = {target for _, target in before} | {source for source, _ in after}
    if not middle or max(len(senders), len(middle), len(receivers)) > MAX_NODES:
        return None
    edges = [sorted(before), sorted(after)]
    return {"kind": kind, "layers": layout([sorted(senders), sorted(middle), sorted(receivers)], edges), "edges": edges}
