"""No two services take each other's messages from one queue."""

from __future__ import annotations

import pytest

CREATED, PAID = "urn:babel:orders:created", "urn:babel:orders:paid"
MESSAGES = f"""\
# file: orders/created.yaml
urn: {CREATED}
queue: orders
# file: orders/paid.yaml
urn: {PAID}
queue: orders
"""


def service(name: str, lang: str, *uses: str) -> str:
    items = "".join(
        f"  - urn: {urn}\n" + (f"    queue: {queue}\n" if queue else "")
        for urn, _, queue in (use.partition("@") for use in uses)
    )
    consumes = f"consumes:\n{items}" if uses else ""
    return f"# file: _services/{name}.yaml\nowner: team-a\nlang: {lang}\n{consumes}"


@pytest.mark.parametrize(
    "services, places",
    [
        pytest.param([service("a", "go", CREATED), service("b", "go", CREATED)], [], id="inboxes"),
        pytest.param(
            [service("a", "go", f"{CREATED}@work"), service("b", "go", f"{CREATED}@work")],
            ["_services/b.yaml:5:12"],
            id="an event with two consumers on one queue",
        ),
        pytest.param(
            [service("a", "go", f"{CREATED}@work"), service("b", "go", f"{PAID}@work")],
            ["_services/b.yaml:5:12"],
            id="different messages on one queue",
        ),
        pytest.param(
            [service("a", "go", CREATED), service("b", "go", f"{PAID}@a")],
            ["_services/b.yaml:5:12"],
            id="the inbox of another service",
        ),
        pytest.param(
            [service("a", "go", f"{CREATED}@orders", f"{PAID}@orders"), service("b", "go", CREATED)],
            ["_services/a.yaml:5:12"],
            id="the queue of producers in PHP, of which others need copies",
        ),
        pytest.param(
            [service("a", "go", f"{CREATED}@orders", f"{PAID}@orders")], [], id="the queue of producers, alone"
        ),
        pytest.param(
            [service("orders", "go", CREATED), service("b", "go", PAID)],
            ["_services/orders.yaml:4:10"],
            id="a service with the name of the producers' queue",
        ),
        pytest.param(
            [
                service("orders-api", "python"),
                service("a", "go", f"{CREATED}@orders", f"{PAID}@orders"),
                service("b", "go", CREATED),
            ],
            [],
            id="the queue that producers in Python name: they send to every inbox",
        ),
    ],
)
def test_a_queue_has_one_service(services, places, findings):
    assert [str(f.place) for f in findings(MESSAGES + "".join(services), "queue-shared")] == places


def test_two_workers_of_one_command_are_reported_by_another_rule(findings):
    ship = "urn:babel:orders:parcel.ship"
    block = f"# file: orders/parcel.ship.yaml\nurn: {ship}\nkind: command\n"
    block += service("a", "go", f"{ship}@work") + service("b", "go", f"{ship}@work")
    assert findings(block, "queue-shared") == []
