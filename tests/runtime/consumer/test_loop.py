"""The loop of a consumer: it waits for a broker that is away, and keeps the order of a single stream."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
import runtime_messages as on
from babelqueue import BabelQueue
from babelqueue.transport import InMemoryTransport, ReceivedMessage

from babelreg.runtime import Consumer, Context
from babelreg.runtime.consumer.loop import ConsumerLoop


class Away(InMemoryTransport):
    """A broker that answers, or fails, as ``script`` says: one letter a call, ``x`` for a failure."""

    def __init__(self, script: str, stop: Callable[[], None]) -> None:
        super().__init__()
        self.script = list(script)
        self._stop = stop

    def pop(self, queue: str, timeout: float = 1.0) -> ReceivedMessage | None:
        if not self.script:
            self._stop()
            return None
        if self.script.pop(0) == "x":
            raise ConnectionError("away")
        return ReceivedMessage(json.dumps(on.envelope()), queue)


def pauses(script: str, monkeypatch: pytest.MonkeyPatch, *, until_empty: bool = False) -> tuple[int, list[float]]:
    """Run on ``script``; return the number of deliveries, and the seconds of each pause."""
    app = BabelQueue(transport=Away(script, lambda: consumer.stop()), queue="orders")
    consumer = Consumer(app)
    consumer.on(on.OrdersCreated)(lambda order, context: None)
    waited: list[float] = []
    monkeypatch.setattr(ConsumerLoop, "_paused_seconds", lambda loop: 0.0)
    monkeypatch.setattr(
        "babelreg.runtime.consumer.pauses.logger.warning", lambda words, *values: waited.append(values[2])
    )
    count = consumer.run(prefetch=0, timeout_seconds=0.0, max_messages=9 if until_empty else None)
    return count, waited


def test_a_broker_that_is_away_for_a_while_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert pauses("axxxbxc", monkeypatch) == (3, [1.0, 2.0, 4.0, 1.0])


def test_the_longest_pause_is_half_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    assert pauses("a" + "x" * 8 + "b", monkeypatch) == (2, [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0])


def test_a_broker_that_was_never_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConnectionError):
        pauses("x", monkeypatch)


def test_a_run_until_the_queue_is_empty_does_not_take_a_failure_for_emptiness(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConnectionError):
        pauses("ax", monkeypatch, until_empty=True)


def test_the_end_of_a_pause_is_not_taken_for_an_empty_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pause ends between the look whether there is one and the question whether the queue is empty."""
    app = on.app()
    on.put(app, on.envelope())
    consumer = Consumer(app)
    consumer.on(on.OrdersCreated)(lambda order, context: None)
    pauses = [1.0]
    monkeypatch.setattr(ConsumerLoop, "_paused_seconds", lambda loop: pauses.pop() if pauses else 0.0)
    assert consumer.run(max_messages=5, timeout_seconds=0.0) == 1


def test_a_single_stream_settles_a_message_before_it_begins_the_next() -> None:
    app = on.app()
    settled: list[int] = []
    seen: list[list[int]] = []
    consumer = Consumer(app)

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        seen.append(list(settled))

    acknowledge = app.transport.ack

    def ack(message: ReceivedMessage) -> None:
        settled.append(json.loads(message.body)["data"]["order_id"])
        acknowledge(message)

    app.transport.ack = ack  # type: ignore[method-assign]
    for number in range(1, 5):
        on.put(app, on.envelope(data={"order_id": number}))
    consumer.run(max_messages=4, prefetch=4, timeout_seconds=0.01)
    assert seen == [[], [1], [1, 2], [1, 2, 3]]
