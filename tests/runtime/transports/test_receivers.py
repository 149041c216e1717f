"""The receivers of real brokers: each queue gets its turn, an idle one is woken, and nothing is left reserved."""

from __future__ import annotations

from collections.abc import Iterator
from queue import SimpleQueue

import pytest
from babelqueue import BabelQueue
from babelqueue.transport import ReceivedMessage
from broker_queues import BrokerQueues, envelope, opened, own_name
from server import Server

from babelreg.runtime.transports.receiver import Receiver, receiver_of
from babelreg.runtime.transports.replacements import confirm

BROKERS = [
    pytest.param("redis", marks=pytest.mark.redis, id="Redis"),
    pytest.param("rabbitmq", marks=pytest.mark.rabbitmq, id="RabbitMQ"),
    pytest.param("kafka", marks=pytest.mark.servers, id="Kafka"),
]
AHEAD = 5
LONG_SECONDS = 60.0


class Queues:
    """Three queues of one broker, and what reads them."""

    def __init__(self, broker: BrokerQueues, names: list[str]) -> None:
        self.broker = broker
        self.names = names
        self.app = BabelQueue(broker.url)
        confirm(self.app)

    def receiver(self, *, until_empty: bool = False) -> Receiver:
        return receiver_of(self.app.transport, self.names, AHEAD, until_empty=until_empty)

    def publish(self, queue: str, count: int) -> None:
        self.broker.publish(queue, map(envelope, range(count)))


@pytest.fixture(params=BROKERS)
def queues(request: pytest.FixtureRequest) -> Iterator[Queues]:
    names = [own_name(name) for name in ("full", "quiet", "empty")]
    made = Queues(opened(request.param, request.getfixturevalue(request.param), *names), names)
    yield made
    made.app.transport.close()


def first(receiver: Receiver, most: int) -> list[ReceivedMessage]:
    """The first messages: a new member of a group of Kafka waits for its partitions."""
    while not (messages := list(receiver.take(most, LONG_SECONDS))):
        pass
    return messages


def test_a_full_queue_does_not_starve_another(queues: Queues) -> None:
    full, quiet, _ = queues.names
    queues.publish(full, 3000)
    queues.publish(quiet, 4)
    receiver = queues.receiver()
    order: list[str] = []
    while order.count(quiet) < 4:
        for message in first(receiver, 1):
            order.append(message.queue)
            queues.app.transport.ack(message)
    receiver.close()
    turns = [number for number, queue in enumerate(order) if queue == quiet]
    assert max(later - earlier for earlier, later in zip([0, *turns], turns, strict=False)) <= 2 * AHEAD


def test_a_message_of_any_queue_ends_the_wait(queues: Queues) -> None:
    receiver = queues.receiver()
    assert list(receiver.take(1, 0.0)) == []
    for queue in queues.names:
        queues.publish(queue, 1)
        (message,) = first(receiver, 1)
        assert message.queue == queue
        queues.app.transport.ack(message)
    receiver.close()


def test_what_is_not_settled_is_delivered_to_the_next_receiver(queues: Queues) -> None:
    full, quiet, _ = queues.names
    queues.publish(full, 20)
    queues.publish(quiet, 2)
    receiver = queues.receiver()
    taken = first(receiver, 2)
    queues.app.transport.ack(taken[0])
    for message in (*reversed(receiver.release()), *taken[1:]):
        queues.app.transport.put_back(message)  # type: ignore[attr-defined]
    receiver.close()
    again = queues.receiver(until_empty=True)
    bodies = []
    while len(bodies) < 21:
        for message in first(again, 100):
            bodies.append((message.queue, message.body))
            queues.app.transport.ack(message)
    again.close()
    assert len(set(bodies)) == 21


@pytest.mark.redis
@pytest.mark.parametrize(
    "settings", [pytest.param("", id="of redis-py"), pytest.param("?socket_timeout=0.4", id="of the URL")]
)
def test_an_idle_list_is_watched_for_less_than_the_timeout_of_its_socket(
    redis: Server, settings: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = BabelQueue(f"{redis.url}{settings}")
    confirm(app)
    client, blocked = app.transport.client, SimpleQueue()  # type: ignore[attr-defined,var-annotated]
    receiver = receiver_of(app.transport, [own_name("idle")], AHEAD, until_empty=False)

    def block(key: str, to: str, seconds: float, *ends: str) -> str:
        blocked.put(seconds)
        receiver.wake()
        return "a message"

    monkeypatch.setattr(client, "blmove", block)
    receiver.take(1, LONG_SECONDS)
    assert blocked.get(timeout=LONG_SECONDS) < client.connection_pool.make_connection().socket_timeout
    receiver.close()


@pytest.mark.rabbitmq
def test_a_delivery_that_nears_the_timeout_of_rabbitmq_is_reported_once(
    rabbitmq: Server, caplog: pytest.LogCaptureFixture
) -> None:
    """``keep`` is called once a minute with all that is reserved, and the timeout is 30 minutes by default."""
    queue = own_name("slow")
    queues = Queues(opened("rabbitmq", rabbitmq, queue), [queue])
    queues.publish(queue, 2)
    receiver = queues.receiver()
    slow, after = [message for _ in range(2) for message in first(receiver, 1)]
    assert receiver.keep_seconds == 60.0
    warned = []
    for minute in range(1, 41):
        receiver.keep([slow, after] if minute > 15 else [slow])
        if caplog.records:
            warned.append((minute, caplog.records.pop().message))
    receiver.close()
    queues.app.transport.close()
    assert [minute for minute, _ in warned] == [20, 35]
    assert all(f"{queue!r} is not settled after 20 minutes" in text for _, text in warned)
