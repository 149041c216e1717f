"""Graphs of the catalog: inboxes are their services, other queues nodes of their own."""

from __future__ import annotations

from typing import Any

from babelreg.gen.targets.catalog.graphs import MAX_NODES, graph, overview

CREATED: dict[str, Any] = {
    "producers": ["orders-api"],
    "consumers": ["billing", "warehouse"],
    "inboxes": {"billing": "billing", "warehouse": "to-pick"},
}


def test_a_queue_beside_the_inbox_is_a_node_that_names_its_service() -> None:
    drawn = graph({"urn:babel:orders:created": CREATED})
    assert drawn is not None
    assert drawn["edges"][1] == [
        ("urn:babel:orders:created", "billing"),
        ("urn:babel:orders:created", "warehouse: to-pick"),
    ]
    assert [name for name, _ in drawn["layers"][2]] == ["billing", "warehouse: to-pick"]
    assert drawn["receivers"] == {"warehouse: to-pick": "warehouse"}


def test_a_graph_of_contexts_shows_services_alone() -> None:
    messages = {f"urn:babel:orders:created.v{number}": CREATED for number in range(2, MAX_NODES + 3)}
    assert graph(messages) is None
    drawn = overview(messages, dict.fromkeys(messages, "orders"))
    assert drawn is not None
    assert drawn["edges"] == [[("orders-api", "orders")], [("orders", "billing"), ("orders", "warehouse")]]
    assert "receivers" not in drawn
