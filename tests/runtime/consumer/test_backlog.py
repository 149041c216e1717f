"""Deliveries in order of arrival, of each key one at a time."""

from __future__ import annotations

from typing import Any

import pytest
from babelqueue.transport import ReceivedMessage

from babelreg.runtime.consumer.backlog import Waiting
from babelreg.runtime.consumer.valid_delivery import ValidDelivery


def delivery(name: str) -> ValidDelivery:
    unused: Any = None
    return ValidDelivery(ReceivedMessage(name, "orders"), unused, unused, 0, 0, unused, unused, None)


class Queue:
    """A queue of deliveries by name: the first letter is the key, ``-`` none."""

    def __init__(self, names: str) -> None:
        self.waiting = Waiting()
        self.deliveries = {name: delivery(name) for name in names.split()}
        for name, added in self.deliveries.items():
            self.waiting.add(added, None if name[0] == "-" else name[0])

    def begin(self) -> str:
        """Begin all that may begin; return their names."""
        names = []
        while (item := self.waiting.next()) is not None:
            names.append(item[0].received.body)
        return " ".join(names)

    def done(self, name: str) -> None:
        self.waiting.done(self.deliveries[name])


@pytest.mark.parametrize(
    "names, first, done, second",
    [
        pytest.param("-1 -2 -3", "-1 -2 -3", [], "", id="without keys all begin"),
        pytest.param("a1 a2 a3", "a1", ["a1"], "a2", id="of one key the next one begins after the one before it"),
        pytest.param("a1 b1 a2 b2", "a1 b1", ["b1"], "b2", id="other keys do not wait"),
        pytest.param("a1 -1 a2", "a1 -1", ["-1"], "", id="what has no key frees none"),
        pytest.param("a1 a2", "a1", [], "", id="nothing is done yet"),
    ],
)
def test_deliveries_of_one_key_begin_one_after_another(names: str, first: str, done: list[str], second: str) -> None:
    queue = Queue(names)
    assert queue.begin() == first
    for name in done:
        queue.done(name)
    assert queue.begin() == second


def test_what_waits_is_removed_in_order_of_arrival_and_running_keys_stay_busy() -> None:
    queue = Queue("a1 b1 a2 -1 b2 a3")
    first = queue.waiting.next()
    assert first is not None
    assert first[0].received.body == "a1"
    assert len(queue.waiting) == 5
    assert [waits.received.body for waits in queue.waiting.clear()] == ["b1", "a2", "-1", "b2", "a3"]
    assert len(queue.waiting) == 0
    later = delivery("a4")
    queue.waiting.add(later, "a")
    assert queue.waiting.next() is None
    queue.done("a1")
    assert queue.begin() == "a4"
    queue.waiting.done(later)
    queue.waiting.add(delivery("a5"), "a")
    assert queue.begin() == "a5"


def test_keys_are_forgotten_when_nothing_waits_for_them() -> None:
    queue = Queue("a1 a2 b1 -1")
    while names := queue.begin():
        for name in names.split():
            queue.done(name)
    assert not queue.waiting._keys
    assert not queue.waiting._behind
    assert not queue.waiting._arrivals
