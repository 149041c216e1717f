"""The delay of a retry grows by the message's delivery policy, with jitter always."""

from __future__ import annotations

import json

import pytest
import runtime_messages as on
from babelqueue.transport import InMemoryTransport, ReceivedMessage
from hypothesis import given
from hypothesis import strategies as st

from babelreg.runtime import Consumer, Context
from babelreg.runtime.consumer.consequences import retry_delay_seconds

BACKOFF = {"first_seconds": 1, "factor": 2, "longest_seconds": 300}


@pytest.mark.parametrize("attempts, longest", [(1, 1), (2, 2), (3, 4), (9, 256), (10, 300), (1000, 300)])
def test_delays_double_up_to_the_longest(attempts: int, longest: float) -> None:
    assert retry_delay_seconds(on.app(), BACKOFF, attempts, lambda least, most: most) == longest
    assert retry_delay_seconds(on.app(), BACKOFF, attempts, lambda least, most: least) == longest / 2


@given(st.integers(1, 1000), st.floats(0.001, 86400), st.floats(1, 100), st.floats(0.001, 604800))
def test_a_delay_is_never_longer_than_the_longest(attempts: int, first: float, factor: float, longest: float) -> None:
    backoff = {"first_seconds": first, "factor": factor, "longest_seconds": longest}
    assert 0 < retry_delay_seconds(on.app(), backoff, attempts) <= longest


def test_without_a_policy_the_app_decides() -> None:
    app = on.app(retry_backoff=3.0, retry_backoff_multiplier=2.0)
    assert [retry_delay_seconds(app, None, attempts) for attempts in (1, 2)] == [3.0, 6.0]
    assert retry_delay_seconds(on.app(), None, 1) == 0.0


class Delaying(InMemoryTransport):
    """Notes the delays that it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.delays: list[float] = []

    def redeliver(self, message: ReceivedMessage, body: str, delay: float) -> None:
        self.delays.append(delay)


def test_a_handler_that_fails_is_called_again_after_the_delay_of_its_message() -> None:
    app = on.app()
    app.transport = transport = Delaying()
    consumer = Consumer(app)

    @consumer.on(on.OrdersDelayed)
    def handle(order: on.OrdersDelayed, context: Context) -> None:
        raise RuntimeError("no")

    for attempts in (0, 1, 2):
        body = json.dumps({**on.envelope(attempts=attempts), "job": on.DELAYED})
        assert consumer.dispatch(ReceivedMessage(body, "orders")).kind == "retried"
    assert [longest / 2 <= delay <= longest for delay, longest in zip(transport.delays, (10, 30, 50), strict=True)]
