"""Delay queues: the delays of one differ by less than a factor of two."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.runtime.transports.rabbitmq_delay import delay_queue


@pytest.mark.parametrize(
    "seconds, name, expiration",
    [
        pytest.param(0.0005, "orders.delay.1", "1", id="the shortest"),
        pytest.param(1, "orders.delay.1", "1000", id="a second"),
        pytest.param(1.5, "orders.delay.2", "1500", id="between two queues"),
        pytest.param(300, "orders.delay.512", "300000", id="five minutes"),
    ],
)
def test_a_delay_has_a_queue_and_an_expiration(seconds: float, name: str, expiration: str) -> None:
    queue = delay_queue("orders", seconds)
    assert (queue.name, queue.expiration) == (name, expiration)
    assert queue.arguments["x-dead-letter-routing-key"] == "orders"


@given(st.floats(1, 10**9))
def test_a_message_waits_at_most_twice_its_delay(seconds: float) -> None:
    queue = delay_queue("orders", seconds)
    longest = int(queue.name.rpartition(".")[2])
    assert longest < 2 * int(queue.expiration) / 1000 <= 2 * longest
    assert int(queue.expiration) < 2**31
