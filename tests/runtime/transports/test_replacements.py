from __future__ import annotations

import json
from typing import Any

import pytest
import redis
import runtime_messages as on
from babelqueue import BabelQueue, EnvelopeCodec
from babelqueue.exceptions import BabelQueueError
from babelqueue.kafka_transport import KafkaDeliveryError, KafkaTransport
from babelqueue.outbox import InMemoryOutboxStore
from babelqueue.redis_transport import RedisTransport
from babelqueue.transport import InMemoryTransport, ReceivedMessage
from kafka_double import Log

from babelreg.runtime import Consumer, Context
from babelreg.runtime.producer.outbox_relay import OutboxRelay
from babelreg.runtime.transports.kafka import Kafka
from babelreg.runtime.transports.rabbitmq import RabbitMQ
from babelreg.runtime.transports.redis_laravel import LaravelRedis
from babelreg.runtime.transports.redis_plain import PlainRedis
from babelreg.runtime.transports.replacements import confirmed, redis_transport


class Client:
    """Kafka's producer as far as it is used here; ``answers`` says whether a broker is behind it."""

    def __init__(self, answers: bool) -> None:
        self.answers = answers
        self.reports: list[Any] = []

    def produce(self, queue: str, **record: Any) -> None:
        self.reports.append(record.get("on_delivery"))

    def poll(self, seconds: float) -> None:
        pass

    def flush(self, seconds: float) -> None:
        if self.answers:
            for report in self.reports:
                report(None)


def kafka(answers: bool) -> BabelQueue:
    return BabelQueue(transport=Kafka(producer=Client(answers)), queue="orders")


def test_babelqueue_gives_no_sign_of_a_kafka_that_is_not_there() -> None:
    """What Kafka stands in for. When this fails, babelqueue has mended it."""
    app = BabelQueue(transport=KafkaTransport(producer=Client(answers=False)), queue="orders")
    app.publish(on.CREATED, {"order_id": 1})
    store = InMemoryOutboxStore()
    store.save(EnvelopeCodec.encode(on.envelope()), "orders")
    from babelqueue.outbox import OutboxRelay as theirs

    assert theirs(app.transport, store).flush().published == 1


def test_a_message_that_kafka_did_not_take_is_an_error() -> None:
    with pytest.raises(KafkaDeliveryError):
        on.OrdersCreatedProducer(kafka(answers=False)).send(on.OrdersCreated(order_id=1))
    on.OrdersCreatedProducer(kafka(answers=True)).send(on.OrdersCreated(order_id=1))


def test_a_message_that_kafka_did_not_take_stays_in_the_outbox() -> None:
    store = InMemoryOutboxStore()
    store.save(EnvelopeCodec.encode(on.envelope()), "orders")
    relay = OutboxRelay(kafka(answers=False).transport, store, sleeper=lambda seconds: None)
    assert relay.flush().published == 0
    assert len(store.fetch_unpublished(10)) == 1


def failing_on(log: Log, app: BabelQueue) -> None:
    consumer = Consumer(app)

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        raise RuntimeError("no")

    consumer.run(max_messages=1, timeout_seconds=0)


def test_a_retry_without_retry_topics_goes_to_the_end_of_the_topic() -> None:
    log = Log(json.dumps(on.envelope()).encode(), [])
    app = BabelQueue(transport=Kafka(producer=log, consumer_factory=lambda queue: log), queue="orders")
    failing_on(log, app)
    (written,) = log.written
    assert (written["topic"], log.committed) == ("orders", 1)
    assert json.loads(written["value"])["attempts"] == 1
    assert dict(written["headers"])["bq-attempts"] == b"1"


def test_a_retry_with_retry_topics_goes_there() -> None:
    log = Log(json.dumps(on.envelope()).encode(), [])
    transport = Kafka(producer=log, consumer_factory=lambda queue: log, retry_tiers_ms=[5, 50])
    failing_on(log, BabelQueue(transport=transport, queue="orders"))
    (written,) = log.written
    assert (written["topic"], log.committed) == ("orders.retry.1", 1)


def test_babelqueue_retries_nothing_without_retry_topics() -> None:
    """What Kafka stands in for. When this fails, babelqueue has mended it."""
    log = Log(b"{}", [])
    theirs = KafkaTransport(producer=log, consumer_factory=lambda queue: log)
    received = ReceivedMessage(json.dumps(on.envelope()), "orders")
    with pytest.raises(BabelQueueError, match="retry tiers"):
        theirs.redeliver(received, received.body, 0.0)


def test_the_broker_of_a_transport_is_kept() -> None:
    ours = confirmed(KafkaTransport("kafka://somewhere:1,else:2/x"))
    assert isinstance(ours, Kafka)
    assert ours._settings() == {"bootstrap.servers": "somewhere:1,else:2"}
    amqp = confirmed(BabelQueue("amqp://user:secret@somewhere:1/shop").transport)
    assert isinstance(amqp, RabbitMQ)
    assert (amqp._parameters.host, amqp._parameters.virtual_host) == ("somewhere", "shop")


@pytest.mark.parametrize(
    "query, seconds",
    [
        pytest.param("", 5, id="a URL without"),
        pytest.param("?socket_timeout=30", 30, id="a URL with a timeout of its own"),
    ],
)
def test_a_redis_that_does_not_answer_is_noticed(query: str, seconds: int) -> None:
    ours: Any = confirmed(BabelQueue(f"redis://somewhere:1/0{query}").transport)
    settings = ours.client.connection_pool.connection_kwargs
    assert (settings["socket_timeout"], settings["socket_connect_timeout"]) == (seconds, 5)
    assert settings["socket_keepalive"] is True
    assert sum(settings["socket_keepalive_options"].values()) < 30


def test_a_socket_of_the_system_has_no_keepalive() -> None:
    client = redis.Redis(unix_socket_path="/run/redis.sock")
    confirmed(RedisTransport(client=client))
    assert "socket_keepalive" not in client.connection_pool.connection_kwargs


@pytest.mark.parametrize(
    "query, seconds",
    [
        pytest.param("", 10, id="a URL without"),
        pytest.param("?heartbeat=60", 60, id="a URL with a heartbeat"),
        pytest.param("?heartbeat=0", 0, id="a URL that turns it off"),
    ],
)
def test_a_rabbitmq_that_does_not_answer_is_noticed(query: str, seconds: int) -> None:
    ours: Any = confirmed(BabelQueue(f"amqp://somewhere:1/shop{query}").transport)
    assert ours._parameters.heartbeat == seconds


def test_a_client_of_another_kind_is_left_alone() -> None:
    theirs = RedisTransport(client=object())
    assert confirmed(theirs) is theirs


def test_other_transports_stay_what_they_are() -> None:
    class Mine(KafkaTransport):
        pass

    for transport in (InMemoryTransport(), Mine(group_id="mine")):
        assert confirmed(transport) is transport
    ours = confirmed(KafkaTransport())
    assert confirmed(ours) is ours


def test_explicit_settings_reach_the_transport() -> None:
    kafka = Kafka("kafka://a:1", group_id="billing", retry_tiers_ms=[5], linger=1)
    assert (kafka._group_id, kafka.retry_tiers_ms) == ("billing", [5])
    assert kafka._settings() == {"bootstrap.servers": "a:1", "linger": 1}
    with pytest.raises(ValueError, match="ascending"):
        Kafka(retry_tiers_ms=[5, 3])
    client, clock = redis.Redis(), lambda: 1.0
    settings = {"processing_suffix": ":work", "retry_after": 7, "block_for": 2.0, "migration_batch_size": 5}
    for kind, layout in ((PlainRedis, {}), (LaravelRedis, {"laravel_compat": True, "key_prefix": "mine:"})):
        ours = redis_transport(client=client, clock=clock, **settings, **layout)
        assert type(ours) is kind
        kept = {name: vars(ours)[f"_{name}"] for name in ("processing_suffix", "retry_after", "block_for", "batch")}
        assert list(kept.values()) == list(settings.values())
        assert (vars(ours)["_clock"], vars(ours)["_redis"]) == (clock, client)


def test_one_transport_serves_several_applications() -> None:
    """Each gets a replacement with the settings of the URL, which the client must not have."""
    theirs = RedisTransport("redis://somewhere:1/0?laravel=1&prefix=mine:&retry_after=null")
    for ours in (confirmed(theirs), confirmed(theirs)):
        assert isinstance(ours, LaravelRedis)
        assert (ours.list_of("orders"), ours.lease_seconds) == ("mine:orders", None)
