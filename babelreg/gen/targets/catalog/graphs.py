"""Graphs of the catalog: services that send, messages or contexts, services that receive.

In a graph of messages, a queue that a service reads beside its inbox is a node of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelreg.gen.targets.catalog.layers import Edge, layout

MAX_NODES = 60
"""The most nodes in a layer: nobody reads a larger drawing, a table says the same."""


def graph(messages: Mapping[str, Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the graph of entries by URN, or None where it is empty or too large to read.

    ``receivers`` has the service of each node for a queue other than an inbox; it is absent where there are none.
    """
    queues = {
        (urn, service): f"{service}: {queue}"
        for urn, entry in messages.items()
        for service, queue in entry.get("inboxes", {}).items()
        if queue != service
    }
    drawn = _drawn("message", messages, {urn: urn for urn in messages}, queues)
    if drawn is None or not queues:
        return drawn
    return {**drawn, "receivers": {node: service for (_, service), node in sorted(queues.items())}}


def overview(messages: Mapping[str, Mapping[str, Any]], contexts: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the graph of all messages, or that of their contexts where there are too many messages.

    ``contexts`` has the context of each URN.
    """
    return graph(messages) or _drawn("context", messages, contexts, {})


def _drawn(
    kind: str,
    messages: Mapping[str, Mapping[str, Any]],
    groups: Mapping[str, str],
    queues: Mapping[tuple[str, str], str],
) -> dict[str, Any] | None:
    """Draw ``groups`` of messages; ``queues`` are the nodes of receivers that are not named as their service."""
    before: set[Edge] = {(name, groups[urn]) for urn, entry in messages.items() for name in entry.get("producers", ())}
    after: set[Edge] = {
        (groups[urn], queues.get((urn, name), name))
        for urn, entry in messages.items()
        for name in entry.get("consumers", ())
    }
    senders, receivers = {source for source, _ in before}, {target for _, target in after}
    middle = {target for _, target in before} | {source for source, _ in after}
    if not middle or max(len(senders), len(middle), len(receivers)) > MAX_NODES:
        return None
    edges = [sorted(before), sorted(after)]
    return {"kind": kind, "layers": layout([sorted(senders), sorted(middle), sorted(receivers)], edges), "edges": edges}
