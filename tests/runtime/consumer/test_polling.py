from __future__ import annotations

import pytest
from babelqueue.transport import InMemoryTransport, ReceivedMessage
from stop_double import Stop

from babelreg.runtime.consumer.polling import poll


class Away(InMemoryTransport):
    """A broker that answers, or fails, as ``script`` says: one letter a call, ``x`` for a failure."""

    def __init__(self, script: str) -> None:
        super().__init__()
        self.script = list(script)

    def pop(self, queue: str, timeout: float = 1.0) -> ReceivedMessage | None:
        found = self.script.pop(0)
        if found == "x":
            raise ConnectionError("away")
        return ReceivedMessage(found, queue)


def first(script: str, count: int, stop: Stop) -> list[str]:
    deliveries = poll(Away(script), ["orders"], stop, timeout_seconds=0.0, until_empty=False)
    return [next(deliveries).body for _ in range(count)]


def test_a_broker_that_is_away_for_a_while_is_waited_for() -> None:
    stop = Stop()
    assert first("axxxbxc", 3, stop) == ["a", "b", "c"]
    assert stop.waited == [1.0, 2.0, 4.0, 1.0]


def test_the_longest_pause_is_half_a_minute() -> None:
    stop = Stop()
    assert first("a" + "x" * 8 + "b", 2, stop) == ["a", "b"]
    assert max(stop.waited) == 30.0


def test_a_broker_that_was_never_there_is_an_error() -> None:
    with pytest.raises(ConnectionError):
        first("x", 1, Stop())


def test_a_run_until_the_queue_is_empty_does_not_take_a_failure_for_emptiness() -> None:
    deliveries = poll(Away("ax"), ["orders"], Stop(), timeout_seconds=0.0, until_empty=True)
    assert next(deliveries).body == "a"
    with pytest.raises(ConnectionError):
        next(deliveries)
